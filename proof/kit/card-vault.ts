import { createHash } from 'node:crypto';
import type { Vault } from '../../service/src/engine/ports.ts';

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * The vault's side of a purchase, in this process: cards that the provider already knows, each
 * redeemed by one operation and repeatable for it. It is without the vault's own code, because it
 * moves no money, and a random layer needs no card data.
 */
export class CardVault {
  readonly #cards = new Map<string, { methodId: string; lastFour: string; by: string | null }>();

  keep(token: string, methodId: string, number: string): void {
    this.#cards.set(digestOf(token), { methodId, lastFour: number.slice(-4), by: null });
  }

  isTokenOf: Vault['isTokenOf'] = (token) => this.#cards.has(digestOf(token));

  redeem: Vault['redeem'] = async ({ tokenSha256, operationId }) => {
    const card = this.#cards.get(tokenSha256);
    if (!card) return { kind: 'refused', code: 'card_token_unknown' };
    card.by ??= operationId;
    if (card.by !== operationId) return { kind: 'refused', code: 'card_token_used' };
    const { methodId: providerPaymentMethodId, lastFour } = card;
    const shown = { brand: 'visa', lastFour, expiryMonth: 12, expiryYear: 2034, postalCode: null };
    return { kind: 'redeemed', card: { providerPaymentMethodId, ...shown } };
  };

  forget: Vault['forget'] = async ({ providerPaymentMethodId }) => {
    for (const [digest, { methodId }] of this.#cards) {
      if (methodId === providerPaymentMethodId) this.#cards.delete(digest);
    }
    return { kind: 'confirmed' };
  };
}
