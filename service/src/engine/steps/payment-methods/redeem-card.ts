// The card behind a token of the form. Where the provider's own fields took it, nobody but the provider
// says which card it is and whose: the vault knows an id, and a browser's word proves nothing.

import type { RedeemCardToken } from '@svc/contract/vault';
import type { CardFacts } from '../../../domain/payments/payment.ts';
import { isKeyRefused, keyRefused } from '../../../domain/protocol/key-refused.ts';
import type { Gateway, MethodReading, Ports, Trace } from '../../ports.ts';

export type CardOfToken =
  | {
      readonly kind: 'redeemed';
      readonly providerPaymentMethodId: string;
      readonly card: CardFacts;
    }
  | { readonly kind: 'refused'; readonly code: string; readonly trace: Trace }
  | { readonly kind: 'in_doubt'; readonly cause: string; readonly trace: Trace };

type Asking = {
  readonly gateway: Gateway;
  readonly ports: Ports;
  /** Nobody can have come further: what cannot be read is plainly not available. */
  readonly isFirstSend: boolean;
};

const silent: Trace = { httpStatus: null, providerCode: null, requestId: null };

/**
 * Redeems for one operation, as often as it asks; nothing is confirmed by it, so a refusal is an end.
 * Refused with the vault's codes, `provider_method_not_usable`, `key_refused` and `unavailable`.
 */
export async function redeemCard(
  call: RedeemCardToken,
  { gateway, ports, isFirstSend }: Asking,
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

/** It must be of this account, a card, and nobody's yet. */
function judge(reading: MethodReading, isFirstSend: boolean): CardOfToken {
  const { trace } = reading;
  if (reading.kind === 'in_doubt') {
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
    return { kind: 'refused', code: 'provider_method_not_usable', trace };
  }
  return { kind: 'redeemed', providerPaymentMethodId: method.methodId, card: method.card };
}
