import { createHash } from 'node:crypto';
import type { Vault } from '../../service/src/engine/ports.ts';
import type { Scheduler } from './scheduler.ts';

/**
 * The vault's side of a purchase, in this process: cards that the provider already knows, each
 * redeemed by one operation and repeatable for it. It is the only part without its real code: it
 * moves no money, and a simulation needs no card data.
 */
export class SimulatedVault implements Vault {
  readonly #cards = new Map<string, { methodId: string; lastFour: string; by: string | null }>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  keep(token: string, methodId: string, number: string): void {
    const digest = createHash('sha256').update(token).digest('hex');
    this.#cards.set(digest, { methodId, lastFour: number.slice(-4), by: null });
  }

  isTokenOf: Vault['isTokenOf'] = (token) =>
    this.#cards.has(createHash('sha256').update(token).digest('hex'));

  isReady: Vault['isReady'] = async () => true;

  redeem: Vault['redeem'] = async ({ tokenSha256, operationId }) => {
    await this.#scheduler.gate('vault redeem');
    const card = this.#cards.get(tokenSha256);
    if (!card) return { kind: 'refused', code: 'card_token_unknown' };
    card.by ??= operationId;
    if (card.by !== operationId) return { kind: 'refused', code: 'card_token_used' };
    return {
      kind: 'redeemed',
      card: {
        providerPaymentMethodId: card.methodId,
        brand: 'visa',
        lastFour: card.lastFour,
        expiryMonth: 12,
        expiryYear: 2034,
        postalCode: null,
      },
    };
  };

  forget: Vault['forget'] = async ({ providerPaymentMethodId }) => {
    await this.#scheduler.gate('vault forget');
    for (const [digest, { methodId }] of this.#cards) {
      if (methodId === providerPaymentMethodId) this.#cards.delete(digest);
    }
    return { kind: 'confirmed' };
  };

  mount: Vault['mount'] = () => ({
    formUrl: 'http://127.0.0.1/form',
    formOrigin: 'http://127.0.0.1',
    mountToken: 'svcm_simulated',
    expiresAt: new Date(0).toISOString(),
    fields: ['number', 'expiry', 'cvc'],
  });
}
