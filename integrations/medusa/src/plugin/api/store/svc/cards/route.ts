// The saved cards of the customer who has signed in: Medusa has the calls to its providers, and no route for them.
// `GET /store/svc/cards` lists, `DELETE /store/svc/cards?id=…` removes. `middlewares.ts` lets only customers in.

import type { Shop } from '../../../../../settle.ts';

type Request = {
  readonly auth_context: { readonly actor_id: string };
  readonly query: { readonly id?: string };
  readonly scope: Shop;
};
type Response = { json(body: object): void };
type Holder = { provider_id: string; data: Record<string, unknown> };
type Card = { id: string; data: Record<string, unknown> };
type PaymentModule = {
  listPaymentMethods(of: object): Promise<Card[]>;
  deletePaymentMethods(of: object): Promise<void>;
};

/** The customer's own accounts at Svc: one for each provider of ours. */
async function holdersOf({ auth_context, scope }: Request): Promise<Holder[]> {
  const { data } = await scope.resolve('query').graph({
    entity: 'customer',
    fields: ['account_holders.*'],
    filters: { id: auth_context.actor_id },
  });
  const [customer] = data as { account_holders?: (Holder | null)[] }[];
  const all = customer?.account_holders ?? [];
  return all.flatMap((holder) => (holder?.provider_id.startsWith('pp_svc') ? [holder] : []));
}

const moduleOf = ({ scope }: Request) => scope.resolve('payment') as unknown as PaymentModule;

export async function GET(request: Request, response: Response): Promise<void> {
  const lists = (await holdersOf(request)).map(async (holder) => {
    const { provider_id } = holder;
    const of = { provider_id, context: { account_holder: holder } };
    const cards = await moduleOf(request).listPaymentMethods(of);
    return cards.map(({ id, data }) => ({ id, provider_id, data }));
  });
  response.json({ cards: (await Promise.all(lists)).flat() });
}

export async function DELETE(request: Request, response: Response): Promise<void> {
  const { id = '' } = request.query;
  let deleted = false;
  for (const holder of await holdersOf(request)) {
    const context = { account_holder: holder };
    const own = { provider_id: holder.provider_id, context };
    const cards = await moduleOf(request).listPaymentMethods(own);
    // Another customer's card is none of this one's.
    if (!cards.some((card) => card.id === id)) continue;
    await moduleOf(request).deletePaymentMethods({ ...own, id });
    deleted = true;
  }
  response.json({ id, deleted });
}
