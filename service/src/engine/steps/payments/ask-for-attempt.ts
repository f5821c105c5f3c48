// The provider's part of an attempt to pay: confirm, read the result of a challenge, close what was
// given up. Contract §3, Process and Intents. Renewals, which are off session, use it too.

import assert from 'node:assert';
import { checkoutPageAt } from '../../../domain/payments/checkout-session.ts';
import { challengeMs, resendMs } from '../../../domain/payments/operation.ts';
import { isPageConfirmed } from '../../../domain/payments/page-confirmed.ts';
import {
  findUsedMethod,
  isOfEndedSubscription,
} from '../../../storage/payments/attempt-methods.ts';
import { mayHaveBeenSent } from '../../../storage/payments/operation-attempts.ts';
import { setProviderIntent } from '../../../storage/payments/payments.ts';
import type {
  AuthorizeCall,
  Gateway,
  Outcome,
  Ports,
  Provider,
  ProviderPayment,
} from '../../ports.ts';
import { closeAttempt, correctAttempt, type End } from './close-attempt.ts';
import { isLocked, lockedEnd, lockedOutcome } from './decline-lock.ts';
import { openProviderCall } from './open-provider-call.ts';
import { explainRefusal, findPaying, findPayingWallet, type UsedMethod } from './paying-method.ts';
import {
  confirmReading,
  holdCall,
  outcomeOfFailedRead,
  type ProviderCall,
  refusedOutcome,
  waitingOutcome,
} from './provider-call.ts';

/**
 * Asks for the charge or hold; where the buyer has to act, it only reads. What the buyer's page
 * confirmed otherwise than the session asks is corrected before it counts.
 */
export async function askForAttempt(asked: ProviderCall, ports: Ports): Promise<Outcome> {
  const gateway = await openProviderCall(asked, ports);
  // A renewal has no session, and no buyer waits for it.
  const urgency = asked.payment.sessionId === null ? 'money' : 'buyer';
  const provider = ports.provider(gateway, urgency);
  const outcome = await askOnce(asked, { gateway, provider, ports });
  return correctAttempt(asked, outcome, { provider, ports });
}

async function askOnce(
  asked: ProviderCall,
  { gateway, provider, ports }: { gateway: Gateway; provider: Provider; ports: Ports },
): Promise<Outcome> {
  const { payment, operation, now } = asked;
  const { userId, email } = payment;
  // The claim sets the buyer, so a payment without one would belong to an unclaimed session.
  assert(userId && email, 'nothing is charged before the claim has settled');
  const age = now.getTime() - operation.firstSentAt.getTime();
  const used = await findUsedMethod(ports.database, payment);
  if (payment.provider === 'wallet') return askWallet(asked, { provider, gateway, used }, ports);
  const intentId = payment.providerIntentId;
  if (intentId && (operation.state === 'awaiting_customer' || operation.challenge !== null)) {
    return readAttempt(asked, provider, { used, isAbandoned: age > challengeMs, ports });
  }
  if (age > resendMs || (await isOvertaken(asked, used, ports))) {
    return intentId
      ? readAttempt(asked, provider, { used, isAbandoned: false, ports })
      : neverConfirmed;
  }
  const paying = await findPaying(asked, { used, gateway }, ports);
  if ('kind' in paying) return paying;
  const outcome = await provider.authorize({ ...attemptCall(asked, ports), ...paying });
  return explainRefusal(outcome, used, { gateway, ports });
}

/**
 * Whether a renewal's subscription was cancelled while it was not known whether the charge had
 * reached the provider. Then the charge is not sent again, and whatever took effect counts.
 */
const isOvertaken = async (
  { payment, isFirstSend }: ProviderCall,
  used: UsedMethod | undefined,
  { database }: Ports,
): Promise<boolean> =>
  !isFirstSend && used?.purpose === 'renewal' && (await isOfEndedSubscription(database, payment));

// A process stores the intent, under the operation's epoch, before it confirms it. This process
// holds the epoch and finds no intent, so nothing was charged and no earlier lease holder can charge any
// more. The attempt is too old to start now: a buyer of yesterday is not charged today.
const neverConfirmed: Outcome = refusedOutcome('unavailable');

/** The parts of an attempt that every provider receives. */
const attemptCall = (
  asked: ProviderCall,
  ports: Ports,
): Omit<AuthorizeCall, 'providerPaymentMethodId'> => {
  const { payment } = asked;
  const sessionId = payment.sessionId ?? '';
  return {
    ...holdCall(asked),
    intentId: payment.providerIntentId,
    sessionId,
    captureMethod: payment.captureMethod,
    returnUrl: checkoutPageAt(ports.settings, sessionId),
    onIntent: (created) => setProviderIntent(ports.database, asked.operation, created),
  };
};

/**
 * Asks a wallet's provider. The first call creates the order. The order is captured by the first
 * call after its buyer has approved it, or at once where a saved wallet pays; an order that nobody
 * approves in time is closed.
 */
async function askWallet(
  asked: ProviderCall,
  { provider, ...who }: { provider: Provider; gateway: Gateway; used: UsedMethod | undefined },
  ports: Ports,
): Promise<Outcome> {
  const age = asked.now.getTime() - asked.operation.firstSentAt.getTime();
  const isMade = asked.payment.providerIntentId !== null;
  if (!isMade && (age > resendMs || (await isOvertaken(asked, who.used, ports)))) {
    return neverConfirmed;
  }
  const paying = await findPayingWallet(asked, who, ports);
  if ('kind' in paying) return paying;
  const mayHaveActed =
    !asked.isFirstSend && (await mayHaveBeenSent(ports.database, asked.operation));
  const call = { ...attemptCall(asked, ports), ...paying, mayHaveActed };
  const outcome = await provider.authorize(call);
  return outcome.kind === 'requires_action' && age > challengeMs
    ? closeAttempt(asked, provider, abandoned)
    : outcome;
}

const abandoned: End = {
  code: 'authentication_abandoned',
  declineCode: 'authentication_abandoned',
};

const unattendedEnd = (state: ProviderPayment['state']): End =>
  state === 'requires_action'
    ? { code: 'declined', declineCode: 'authentication_required' }
    : { code: 'unavailable', declineCode: null };

/**
 * Reads the attempt at the provider, whose state decides, where a buyer had to act or the key is
 * too old to send again. Approved, failed, cancelled, abandoned and declined are told apart.
 */
async function readAttempt(
  asked: ProviderCall,
  provider: Provider,
  {
    used,
    isAbandoned,
    ports,
  }: { used: UsedMethod | undefined; isAbandoned: boolean; ports: Ports },
): Promise<Outcome> {
  const { payment, operation } = asked;
  const reading = await provider.retrieve(payment.providerIntentId ?? '');
  if (reading.kind !== 'found') return outcomeOfFailedRead(reading);
  const { state, lastFailure } = reading.payment;
  const isPages = isPageConfirmed(operation);
  // The notice of a decline may have closed the intent while another process held the operation.
  const isLockedOut = isPages && state === 'released' && lastFailure !== undefined;
  if (isLockedOut && (await isLocked(asked, reading.payment, { provider, ports }))) {
    return lockedOutcome(reading);
  }
  if (state !== 'requires_action' && state !== 'new') return confirmReading(payment, reading);
  // In a renewal no buyer is present to answer a challenge.
  if (used?.purpose === 'renewal') {
    return closeAttempt(asked, provider, lastFailure ?? unattendedEnd(state));
  }
  // An intent for a saved card is for that card only: another card gets another intent.
  if (used?.purpose === 'charge' && state === 'new' && lastFailure) {
    return closeAttempt(asked, provider, lastFailure);
  }
  // A page that confirms by itself may try another card for as long as its intent is open.
  const isWaiting = state === 'requires_action' || isPages;
  // The limit of declines per session holds here too, so that nobody tries stolen cards one after
  // the other, with or without a challenge in between. Before the close the provider is read again,
  // so a payment that succeeded is not lost.
  if (isPages && (await isLocked(asked, reading.payment, { provider, ports }))) {
    return closeAttempt(asked, provider, lockedEnd(reading.payment));
  }
  if (isWaiting && !isAbandoned) {
    return waitingOutcome(asked, reading);
  }
  const failed = lastFailure ?? {
    code: 'authentication_failed',
    declineCode: 'authentication_failed',
  };
  return closeAttempt(asked, provider, isWaiting ? abandoned : failed);
}

/**
 * Ends an attempt that waits for the buyer: it is closed at the provider first, and whatever has
 * taken effect there counts instead.
 */
export async function endAttempt(asked: ProviderCall, end: End, ports: Ports): Promise<Outcome> {
  const provider = ports.provider(await openProviderCall(asked, ports), 'buyer');
  const outcome = await closeAttempt(asked, provider, end);
  return correctAttempt(asked, outcome, { provider, ports });
}
