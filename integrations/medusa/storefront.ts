// For a storefront of Medusa, without a library: copy it. Two calls, before and after the card page of Svc.

type Cart = { id: string };
type Answer = Record<string, unknown>;

export type Store = {
  /** Address of Medusa. */
  backend: string;
  publishableKey: string;
  /** `pp_svc_<id>` of medusa-config. */
  provider: string;
};

async function post(store: Store, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`${store.backend}/store${path}`, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json', 'x-publishable-api-key': store.publishableKey },
    body: JSON.stringify(body),
  });
  const said = (await answer.json()) as Answer;
  if (!answer.ok) throw new Error(String(said.message));
  return said;
}

/**
 * Returns the address of the card page; send the buyer there. Call it again whenever the total has changed: the page
 * of the old total ends. The cart must have an e-mail address.
 */
export async function startPayment(store: Store, cart: Cart, savedCard?: string): Promise<string> {
  const made = await post(store, '/payment-collections', { cart_id: cart.id });
  const { id } = made.payment_collection as { id: string };
  const begun = await post(store, `/payment-collections/${id}/payment-sessions`, {
    provider_id: store.provider,
    ...(savedCard ? { data: { payment_method_id: savedCard } } : {}),
  });
  const { payment_sessions } = begun.payment_collection as {
    payment_sessions: { data: { svc_url: string } }[];
  };
  return payment_sessions[0]?.data.svc_url ?? '';
}

/** When the buyer is back, or has paid with a saved card. Repeatable: the webhook may have been first. */
export async function completeCart(store: Store, cart: Cart): Promise<{ orderId: string }> {
  const said = await post(store, `/carts/${cart.id}/complete`, {});
  if (said.type === 'order') return { orderId: (said.order as { id: string }).id };
  throw new Error(
    String((said.error as Answer | undefined)?.message ?? 'The order is not paid yet.'),
  );
}
