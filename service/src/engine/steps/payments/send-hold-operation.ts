// The provider call of a capture, a cancel or the expiry of a hold, outside any transaction. The
// request and the recovery worker both use it.

import { providerKey, resendMs, stillHeld } from '../../../domain/payments/operation.ts';
import { captureMarginMs, isWholeAmount } from '../../../domain/payments/payment.ts';
import type { HoldCall, Outcome, Ports, Provider } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import {
  confirmHoldReading,
  holdCall,
  inDoubtOutcome,
  outcomeOfFailedRead,
  type ProviderCall,
  refusedOutcome,
} from './provider-call.ts';

/** Asks for the operation's effect; where sending again is not safe any more, it only reads. */
export async function sendHoldOperation(asked: ProviderCall, ports: Ports): Promise<Outcome> {
  const { operation, payment } = asked;
  const provider = ports.provider(await openGateway(ports, payment.clientId, payment.gatewayId));
  if (operation.kind === 'capture') return askForCapture(asked, provider);
  if (operation.kind === 'cancel') return provider.cancel(endCall(asked));
  if (operation.kind === 'expire') {
    return endExpiredHold(asked, provider, providerKey(operation));
  }
  return inDoubtOutcome('unsupported_operation');
}

/**
 * The call that ends a hold. It is sent at any age, also when the provider may have forgotten the
 * earlier ones.
 */
function endCall(asked: ProviderCall): HoldCall {
  const { operation, isFirstSend, now } = asked;
  const ageMs = now.getTime() - operation.firstSentAt.getTime();
  const mayBeForgotten = !isFirstSend && ageMs >= resendMs;
  return { ...holdCall(asked), mayBeForgotten };
}

/**
 * Sends no capture once the hold has expired; from then on the provider is only read, and the hold
 * released.
 */
async function askForCapture(asked: ProviderCall, provider: Provider): Promise<Outcome> {
  const { payment, operation, now } = asked;
  const expiry = payment.authorizationExpiresAt;
  if (expiry && now < expiry) return provider.capture(endCall(asked));
  return endExpiredHold(asked, provider, `expire-${operation.id}`);
}

/**
 * Reads the provider, and at the provider's own deadline releases what it still holds, so that the
 * hold can never be captured late. Contract §2, Hold.
 */
async function endExpiredHold(
  asked: ProviderCall,
  provider: Provider,
  key: string,
): Promise<Outcome> {
  const { payment, operation, now } = asked;
  const reading = await provider.retrieve(payment.providerIntentId ?? '');
  if (reading.kind !== 'found') return outcomeOfFailedRead(reading);
  if (reading.payment.state !== 'authorized') return confirmHoldReading(payment, reading);
  const expiry = payment.authorizationExpiresAt;
  const isPastDeadline = expiry && now.getTime() >= expiry.getTime() + captureMarginMs;
  if (!isPastDeadline) {
    // The expiry of a hold begins at its deadline, or at a reading of another amount, which this
    // reading contradicts.
    const isWhole = isWholeAmount(payment, reading.payment);
    return operation.kind === 'expire' && isWhole
      ? refusedOutcome(stillHeld, { payment: null, trace: reading.trace })
      : inDoubtOutcome('awaiting_provider_expiry', reading.trace);
  }
  const released = await provider.cancel({ ...endCall(asked), key, isFirstSend: false });
  if (released.kind !== 'refused') return released;
  // The provider refused only the release: the hold's state is that of the intent, or not known yet.
  const { payment: found, trace } = released;
  return found
    ? confirmHoldReading(payment, { payment: found, trace })
    : inDoubtOutcome('not_released', trace);
}
