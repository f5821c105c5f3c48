// The provider call of an operation, outside any transaction. The request path and the recovery
// worker both come through here, so there is one way to ask.

import { challengeMs, type Operation, providerKey, resendMs } from '../../domain/operation.ts';
import { captureMarginMs, type Payment } from '../../domain/payment.ts';
import { isWhole } from '../../domain/settlement.ts';
import { setPaymentCard, setProviderIntent } from '../../storage/payments.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type {
  HoldCall,
  Outcome,
  Ports,
  Provider,
  ProviderPayment,
  Reading,
  Trace,
} from '../ports.ts';

export type Asked = {
  readonly payment: Payment;
  readonly operation: Operation;
  readonly isFirstSend: boolean;
  /** The service's clock, read after the operation was claimed. */
  readonly now: Date;
};

const silent: Trace = { httpStatus: null, providerCode: null, requestId: null };

const inDoubt = (cause: string, trace: Trace = silent): Outcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

/** Asks for the operation's effect, or, where sending again is no longer safe, only reads. */
export async function askProvider(asked: Asked, ports: Ports): Promise<Outcome> {
  const { payment, operation } = asked;
  const gateway = await openGateway(ports, payment.clientId, payment.gatewayId);
  const provider = ports.provider(gateway);
  if (operation.kind === 'authorize') return askForAttempt(asked, provider, ports);
  if (operation.kind === 'capture') return askForCapture(asked, provider);
  if (operation.kind === 'cancel') return provider.cancel(holdCall(asked));
  if (operation.kind === 'expire') {
    return endExpiredHold(asked, provider, providerKey(operation));
  }
  return inDoubt('unsupported_operation');
}

function holdCall({ payment, operation, isFirstSend }: Asked): HoldCall {
  return {
    key: providerKey(operation),
    isFirstSend,
    operationId: operation.id,
    paymentId: payment.id,
    intentId: payment.providerIntentId ?? '',
    amountMinor: payment.amountMinor,
    currency: payment.currency,
  };
}

/** No capture leaves us once the hold has expired; from then on the provider is only read. */
async function askForCapture(asked: Asked, provider: Provider): Promise<Outcome> {
  const { payment, operation, now } = asked;
  const expiry = payment.authorizationExpiresAt;
  if (expiry && now < expiry) return provider.capture(holdCall(asked));
  return endExpiredHold(asked, provider, `expire-${operation.id}`);
}

/**
 * Reads the provider, and at the provider's own deadline releases what it still holds, so that the
 * hold can never be captured late. Contract §2, Hold.
 */
async function endExpiredHold(asked: Asked, provider: Provider, key: string): Promise<Outcome> {
  const { payment, now } = asked;
  const reading = await provider.retrieve(payment.providerIntentId ?? '');
  if (reading.kind !== 'found') return unread(reading);
  if (reading.payment.state !== 'authorized') return said(payment, reading);
  const expiry = payment.authorizationExpiresAt;
  const isPastDeadline = expiry && now.getTime() >= expiry.getTime() + captureMarginMs;
  if (!isPastDeadline) return inDoubt('awaiting_provider_expiry', reading.trace);
  return provider.cancel({ ...holdCall(asked), key, isFirstSend: false });
}

async function askForAttempt(asked: Asked, provider: Provider, ports: Ports): Promise<Outcome> {
  const { payment, operation, now } = asked;
  const age = now.getTime() - operation.firstSentAt.getTime();
  const intentId = payment.providerIntentId;
  if (intentId && (operation.state === 'awaiting_customer' || operation.challenge !== null)) {
    return readAttempt(asked, provider, age > challengeMs);
  }
  if (intentId && age > resendMs) return readAttempt(asked, provider, false);

  let providerPaymentMethodId = payment.providerPaymentMethodId;
  if (!providerPaymentMethodId) {
    const redemption = await ports.vault.redeem({
      tokenSha256: operation.cardTokenSha256?.toString('hex') ?? '',
      sessionId: payment.sessionId ?? '',
      clientId: payment.clientId,
      operationId: operation.id,
    });
    if (redemption.kind === 'in_doubt') return inDoubt(redemption.cause);
    if (redemption.kind === 'refused') return refusedToken(redemption.code);
    const { card } = redemption;
    providerPaymentMethodId = card.providerPaymentMethodId;
    await setPaymentCard(ports.database, payment, providerPaymentMethodId, {
      type: 'card',
      brand: card.brand,
      lastFour: card.lastFour,
      expiryMonth: card.expiryMonth,
      expiryYear: card.expiryYear,
    });
  }
  return provider.authorize({
    ...holdCall(asked),
    intentId,
    sessionId: payment.sessionId ?? '',
    captureMethod: payment.captureMethod,
    providerPaymentMethodId,
    returnUrl: `${ports.settings.checkoutUrl}/c/${payment.sessionId}`,
    onIntent: (created) => setProviderIntent(ports.database, payment, created),
  });
}

/** A buyer had to act, or the key is too old to send again: the provider's word decides. */
async function readAttempt(
  asked: Asked,
  provider: Provider,
  isAbandoned: boolean,
): Promise<Outcome> {
  const { payment, operation } = asked;
  const reading = await provider.retrieve(payment.providerIntentId ?? '');
  if (reading.kind !== 'found') return unread(reading);
  const { state } = reading.payment;
  if (state === 'requires_action' && !isAbandoned) {
    const challenge = operation.challenge ?? { url: null, clientSecret: null };
    return { kind: 'requires_action', payment: reading.payment, challenge, trace: reading.trace };
  }
  if (state !== 'requires_action' && state !== 'new') return said(payment, reading);
  // The authentication failed or was given up: close the intent before the attempt is called over.
  const closed = await closeIntent(asked, provider);
  if (closed.kind !== 'confirmed' || closed.payment.state !== 'released') {
    return closed.kind === 'confirmed' ? closed : inDoubt('not_closed', closed.trace);
  }
  return {
    kind: 'refused',
    code: 'authentication_failed',
    declineCode: isAbandoned ? 'authentication_abandoned' : 'authentication_failed',
    advice: 'try_again_later',
    message: null,
    payment: null,
    trace: closed.trace,
  };
}

// An error on record for the key would come again until the provider forgets it. Releasing twice
// changes nothing, so a second key is safe here.
async function closeIntent(asked: Asked, provider: Provider): Promise<Outcome> {
  const key = `close-${asked.operation.id}`;
  const call = { ...holdCall(asked), isFirstSend: false };
  const closed = await provider.cancel({ ...call, key });
  const isStuck = closed.kind === 'refused' && closed.code === 'provider_error';
  return isStuck ? provider.cancel({ ...call, key: `${key}-2` }) : closed;
}

/** A reading counts only when it is about our amount. */
const said = (
  payment: Payment,
  reading: { readonly payment: ProviderPayment; readonly trace: Trace },
): Outcome =>
  isWhole(payment, reading.payment)
    ? { kind: 'confirmed', payment: reading.payment, trace: reading.trace }
    : inDoubt('answer_mismatch', reading.trace);

const unread = (reading: Exclude<Reading, { kind: 'found' }>): Outcome =>
  inDoubt(reading.kind === 'missing' ? 'intent_missing' : reading.cause, reading.trace);

const refusedToken = (code: string): Outcome => ({
  kind: 'refused',
  code,
  declineCode: null,
  advice: null,
  message: null,
  payment: null,
  trace: silent,
});
