// The card behind a token of the card form. Where the provider's own fields took the card, only the
// provider can state which card it is and whose: the vault knows only an id, and a browser's claim
// proves nothing.

import type { RedeemCardToken } from '@svc/contract/vault/vault';
import { methodNotUsable } from '../../../domain/payments/attempt-failures.ts';
import type { CardFacts } from '../../../domain/payments/payment.ts';
import { isKeyRefused, keyRefused } from '../../../domain/protocol/key-refused.ts';
import type { Gateway, InDoubt, MethodReading, Ports, Trace } from '../../ports.ts';

export type CardOfToken =
  | {
      readonly kind: 'redeemed';
      readonly providerPaymentMethodId: string;
      readonly card: CardFacts;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly trace: Trace }
  | (InDoubt & { readonly trace: Trace });

type RedeemContext = {
  readonly gateway: Gateway;
  readonly ports: Ports;
  /**
   * True when nothing of the operation can have been sent before, so a card that cannot be read is
   * refused as unavailable.
   */
  readonly isFirstSend: boolean;
};

const silent: Trace = { httpStatus: null, providerCode: null, requestId: null };

/**
 * Redeems the token for one operation, as often as that operation asks. Nothing is charged by it,
 * so a refusal is final. Refused with the vault's codes, `provider_method_not_usable`,
 * `key_refused` and `unavailable`.
 */
export async function redeemCard(
  call: RedeemCardToken,
  { gateway, ports, isFirstSend }: RedeemContext,
): Promise<CardOfToken> {
  const redemption = await ports.vault.redeem(call);
  if (redemption.kind !== 'redeemed') return { ...redemption, trace: silent };
  const { providerPaymentMethodId, brand, lastFour, expiryMonth, expiryYear } = redemption.card;
  if (lastFour !== null) {
    const card = { type: 'card', brand, lastFour, expiryMonth, expiryYear };
    return { kind: 'redeemed', providerPaymentMethodId, card };
  }
  const reading = await ports.methodKeeper(gateway).retrieveMethod(providerPaymentMethodId);
  return judge(reading, isFirstSend);
}

/** Judges the provider's method: it must be of this account, a card, and belong to no customer yet. */
function judge(reading: MethodReading, isFirstSend: boolean): CardOfToken {
  const { trace } = reading;
  if (reading.kind === 'in_doubt') {
    if (reading.isHeldBack) return reading;
    return isFirstSend
      ? {
          kind: 'refused',
          code: isKeyRefused(trace.httpStatus) ? keyRefused : 'unavailable',
          trace,
        }
      : { kind: 'in_doubt', cause: reading.cause, trace };
  }
  const method = reading.kind === 'found' ? reading.method : undefined;
  if (!method?.card || method.customerId !== null) {
    return { kind: 'refused', code: methodNotUsable, trace };
  }
  return { kind: 'redeemed', providerPaymentMethodId: method.methodId, card: method.card };
}
