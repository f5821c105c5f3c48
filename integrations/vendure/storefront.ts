// For a storefront of Vendure, without a library: copy it. Two calls, before and after the card page of Svc. The order
// has a customer, an address and a shipping method by then.

export type Store = {
  /** Address of the shop API. */
  shopApi: string;
  /** The session of the buyer, from the header `vendure-auth-token`; left out where cookies carry it. */
  token?: string;
};

export type SvcPayment = {
  /**
   * `open`: not paid yet, also after a decline. Send the buyer to `url`; where it is null call `startPayment` again.
   * `paid`, `declined`, `wait`, `undone`: see `message`.
   */
  state: 'open' | 'paid' | 'declined' | 'wait' | 'undone';
  message: string;
  orderCode: string;
  url: string | null;
};

async function ask<T>(store: Store, query: string, variables: object = {}): Promise<T> {
  const { shopApi, token } = store;
  const answer = await fetch(shopApi, {
    method: 'POST',
    credentials: 'include',
    headers: {
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: T; errors?: { message: string }[] };
  if (errors?.[0]) throw new Error(errors[0].message);
  return data;
}

const fields = 'state message orderCode url';

/** Call it again whenever the total has changed: the page of the old total ends. */
export async function startPayment(store: Store): Promise<SvcPayment> {
  // From here the cart stays as it is while the buyer pays; it may have been done before.
  await ask(store, 'mutation { transitionOrderToState(state: "ArrangingPayment") { __typename } }');
  type Made = { createSvcSession: SvcPayment };
  const made = await ask<Made>(store, `mutation { createSvcSession { ${fields} } }`);
  return made.createSvcSession;
}

/** On the page of `successUrl`. Only `paid` is a thank-you; the webhook may have been first, which is the same. */
export async function confirmPayment(store: Store, orderCode: string): Promise<SvcPayment> {
  const query = `mutation ($code: String!) { confirmSvcPayment(orderCode: $code) { ${fields} } }`;
  type Confirmed = { confirmSvcPayment: SvcPayment };
  const confirmed = await ask<Confirmed>(store, query, { code: orderCode });
  return confirmed.confirmSvcPayment;
}
