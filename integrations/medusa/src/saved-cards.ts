// The saved cards of a customer who has signed in; Medusa calls the customer at the provider an account holder.

import type { Svc } from '@svc/server';

/** A session of Svc as the merchant reads it. */
export type MerchantSession = Awaited<ReturnType<Svc['checkoutSessions']['retrieve']>>;

/** What Medusa keeps of a card or customer. */
export type Kept = { id: string; data: Record<string, unknown> };

type Holder = Record<string, unknown> | undefined;

export class SavedCards {
  readonly #svc: Svc;

  constructor(svc: Svc) {
    this.#svc = svc;
  }

  async openHolder({ id, email }: { id: string; email: string }): Promise<Kept> {
    // Repeatable; a customer who was made with another address is found by the id.
    const made = await this.#svc
      .request('POST', '/v1/customers', { id, email })
      .catch(async (error: unknown) => {
        const [found] = await this.#svc
          .request('GET', `/v1/customers?externalId[eq]=${encodeURIComponent(id)}`)
          .then(({ data }) => data);
        if (found) return found;
        throw error;
      });
    return { id: made.id, data: { id: made.id } };
  }

  async list(holder: Holder): Promise<Kept[]> {
    if (typeof holder?.id !== 'string') return [];
    const cards = await this.#svc.paymentMethods
      .list({ userUuid: holder.id, status: { eq: 'active' } })
      .toArray({ limit: 100 });
    return cards.map((card) => ({ id: card.id, data: { ...card } }));
  }

  /** Opens a set-up; the storefront sends the customer to `url`, or mounts the card form with `nonce`. */
  async save(holder: Holder): Promise<Kept> {
    if (typeof holder?.id !== 'string')
      throw new Error('only a customer who has signed in saves cards');
    const { id, nonce, url } = await this.#svc.setupSessions.create({ userId: holder.id });
    return { id, data: { id, nonce, url } };
  }

  async remove(holder: Holder, card: string): Promise<object> {
    const own = await this.list(holder);
    if (!own.some(({ id }) => id === card)) throw new Error('this customer has no such card');
    await this.#svc.paymentMethods.delete(card);
    return {};
  }

  /** Pays an open session with a card of its own buyer; another customer's card is refused by Svc. */
  async pay(
    session: MerchantSession,
    { nonce, card }: { nonce: string; card: string },
  ): Promise<void> {
    const { id, externalId, userId, email } = session;
    const buyer = externalId ?? userId;
    if (!buyer || !email) throw new Error('a guest has no saved cards');
    const body = {
      sessionId: id,
      tokenizedData: { provider: 'cardprovider', type: 'card', paymentMethodId: card },
      accountData: { userId: buyer, email },
    } as const;
    await this.#svc.request('POST', `/v1/checkouts/sessions/${id}/process`, body, {
      nonce,
      userId: buyer,
    });
  }
}
