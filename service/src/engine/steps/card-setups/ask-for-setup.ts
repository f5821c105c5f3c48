// The provider's part of a set-up: redeem the card, find or create the customer, confirm, read the
// result of a challenge, close what was given up. Every end without success is closed at the
// provider first, so that the provider cannot verify a card whose set-up is reported as failed
// here.

import assert from 'node:assert';
import {
  type CardSetup,
  confirmationKey,
  factsOfCard,
  isSetupAbandoned,
} from '../../../domain/payments/card-setup.ts';
import { checkoutPageAt } from '../../../domain/payments/checkout-session.ts';
import { resendMs } from '../../../domain/payments/operation.ts';
import type { CardFacts } from '../../../domain/payments/payment.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Database } from '../../../storage/database/database.ts';
import {
  countSetupDeclines,
  setProviderSetupId,
  setSetupCard,
  storeSetupDeclines,
} from '../../../storage/payment-methods/card-setups.ts';
import { describeMethod, lockMethod } from '../../../storage/payment-methods/payment-methods.ts';
import type { Advice, Gateway, Ports, ProviderSetup, SetupOutcome, Trace } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import {
  ensureLivingCustomer,
  ensureProviderCustomer,
  isReplacedCustomer,
} from '../payment-methods/ensure-provider-customer.ts';
import { redeemCard } from '../payment-methods/redeem-card.ts';

/** A set-up whose lease the caller has, as of `now`. */
export type AskedSetup = {
  readonly setup: CardSetup;
  readonly isFirstSend: boolean;
  readonly now: Date;
};

type End = {
  readonly code: string;
  readonly declineCode: string | null;
  readonly advice?: Advice | null;
};

const notDeclined = { declineCode: null, advice: null } as const;

/** The trace where nothing was sent, and so no answer came. */
const silent: Trace = { httpStatus: null, providerCode: null, requestId: null };

const inDoubtOutcome = (cause: string, trace: Trace = silent): SetupOutcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

const refusedOutcome = (code: string, declined: Omit<End, 'code'> = notDeclined): SetupOutcome => ({
  kind: 'refused',
  code,
  ...declined,
  trace: silent,
});

/** Thrown when another process has taken over the set-up: its result counts. */
class SetupTakenOver extends Error {}

/**
 * Asks for the verification. Where the buyer has to act, or the key is too old to send again, it
 * only reads.
 */
export async function askForSetup(asked: AskedSetup, ports: Ports): Promise<SetupOutcome> {
  const { setup, now } = asked;
  const gateway = await openGateway(ports, setup.clientId, setup.gatewayId);
  try {
    const isWaiting = setup.state === 'awaiting_customer' || setup.challenge !== null;
    const isOld = now.getTime() - setup.firstSentAt.getTime() > resendMs;
    const mayConfirm = setup.providerSetupId === null || !(isWaiting || isOld);
    return mayConfirm
      ? await confirmSetup(asked, gateway, ports)
      : await readSetup(asked, gateway, ports);
  } catch (error) {
    if (error instanceof SetupTakenOver) return inDoubtOutcome('taken_over');
    throw error;
  }
}

async function confirmSetup(
  asked: AskedSetup,
  gateway: Gateway,
  ports: Ports,
): Promise<SetupOutcome> {
  const { setup, isFirstSend } = asked;
  const { clientId, userId, sessionId } = setup;
  // The vault or the provider was away until the session ended; no verification was asked for.
  if (setup.providerSetupId === null && isSetupAbandoned(setup, asked.now)) {
    return refusedOutcome('unavailable');
  }
  const method = setup.confirmedBy === 'page' ? null : await redeem(asked, gateway, ports);
  if (method && 'kind' in method) return method;
  const ensure = isFirstSend ? ensureLivingCustomer : ensureProviderCustomer;
  const customer = await ensure(ports, { clientId, userId, gateway });
  if (customer.kind === 'refused') return closeUnstarted(asked, gateway, customer.code, ports);
  if (customer.kind === 'in_doubt' && customer.isHeldBack) return inDoubtOutcome(customer.cause);
  // The customer is stored before a set-up for it is created: no verification was asked for yet.
  if (customer.kind === 'in_doubt') return closeUnstarted(asked, gateway, 'unavailable', ports);
  const { customerId } = customer;
  const outcome = await ports.methodKeeper(gateway).setUp({
    key: confirmationKey(setup),
    isFirstSend,
    cardSetupId: setup.id,
    sessionId,
    customerId,
    setupId: setup.providerSetupId,
    providerPaymentMethodId: method?.providerPaymentMethodId ?? null,
    returnUrl: checkoutPageAt(ports.settings, setup.sessionId),
    onSetup: async (created) => {
      if (!(await setProviderSetupId(ports.database, setup, created))) throw new SetupTakenOver();
    },
  });
  return checkCustomer(outcome, { clientId, userId, customerId }, { gateway, ports });
}

/** The provider has no set-up: none has to be closed and none can succeed. */
const closeUnstarted = (
  asked: AskedSetup,
  gateway: Gateway,
  code: string,
  ports: Ports,
): Promise<SetupOutcome> => closeSetup(asked, gateway, { code, ...notDeclined, ports });

type KnownCustomer = { readonly customerId: string };

/**
 * Checks that the provider verified the card for this customer; a card verified for another one is
 * in doubt. Where that other one is a customer that was replaced because the provider deleted it,
 * the card can never be charged, so the set-up is refused.
 */
async function checkCustomer(
  outcome: SetupOutcome,
  { clientId, userId, customerId }: Pick<CardSetup, 'clientId' | 'userId'> & KnownCustomer,
  { gateway, ports }: GatewayContext,
): Promise<SetupOutcome> {
  const said = 'setup' in outcome ? outcome.setup : undefined;
  if (!said || said.customerId === customerId) return outcome;
  const { customerId: other } = said;
  const place = { clientId, userId, gateway };
  return other !== null && (await isReplacedCustomer(ports, place, other))
    ? { ...refusedOutcome('unavailable'), trace: outcome.trace }
    : inDoubtOutcome('answer_mismatch', outcome.trace);
}

type RedeemedMethod = { readonly providerPaymentMethodId: string };

/** Redeems the card token, once, for the session's buyer. Returns the provider's payment method. */
async function redeem(
  { setup, isFirstSend }: AskedSetup,
  gateway: Gateway,
  ports: Ports,
): Promise<RedeemedMethod | SetupOutcome> {
  const { providerPaymentMethodId: known, card, cardTokenSha256, userId } = setup;
  assert(cardTokenSha256 && userId, 'a card of the form has a token and a buyer');
  if (known && card) {
    await keepCard(ports.database, setup, { providerPaymentMethodId: known, card });
    return { providerPaymentMethodId: known };
  }
  const call = {
    tokenSha256: cardTokenSha256.toString('hex'),
    sessionId: setup.sessionId,
    clientId: setup.clientId,
    operationId: setup.id,
    claimedBy: userId,
  };
  const redeemed = await redeemCard(call, { gateway, ports, isFirstSend });
  if (redeemed.kind === 'in_doubt') return inDoubtOutcome(redeemed.cause, redeemed.trace);
  if (redeemed.kind === 'refused') {
    return { ...refusedOutcome(redeemed.code), trace: redeemed.trace };
  }
  const { providerPaymentMethodId, card: facts } = redeemed;
  await keepCard(ports.database, setup, { providerPaymentMethodId, card: facts });
  return { providerPaymentMethodId };
}

/** Stores the card with the set-up, and shows it on the pending payment method. */
function keepCard(
  database: Database,
  setup: CardSetup,
  redeemed: RedeemedMethod & { readonly card: CardFacts },
): Promise<void> {
  const { clientId, paymentMethodId } = setup;
  return database.transaction(clientId, async (tx) => {
    if (!(await setSetupCard(tx, setup, redeemed))) throw new SetupTakenOver();
    const method = await lockMethod(tx, clientId, paymentMethodId);
    if (method?.status !== 'pending') return;
    await describeMethod(tx, method, { ...factsOfCard(redeemed.card), now: await readClock(tx) });
  });
}

const abandoned: End = {
  code: 'authentication_abandoned',
  declineCode: 'authentication_abandoned',
};

const unauthenticated: End = {
  code: 'authentication_failed',
  declineCode: 'authentication_failed',
};

/**
 * Reads the set-up at the provider, whose state decides. Approved, failed, cancelled, abandoned and
 * declined are told apart.
 */
async function readSetup(asked: AskedSetup, gateway: Gateway, ports: Ports): Promise<SetupOutcome> {
  const { setup, now } = asked;
  const reading = await ports.methodKeeper(gateway).retrieveSetup(setup.providerSetupId ?? '');
  if (reading.kind === 'missing' && isSetupAbandoned(setup, now))
    return refusedOutcome('unavailable');
  if (reading.kind !== 'found') return inDoubtOutcome('read_failed', reading.trace);
  const found = reading.setup;
  const isPages = setup.confirmedBy === 'page';
  // The notice of a decline may have closed the set-up while another process held it.
  const isLockedOut = isPages && found.state === 'canceled' && found.lastFailure !== undefined;
  if (isLockedOut && (await isLocked(setup, found, { gateway, ports }))) {
    return { ...refusedOutcome('declined', found.lastFailure), trace: reading.trace };
  }
  if (found.state !== 'requires_action' && found.state !== 'new') {
    return checkKnownCustomer({ kind: 'confirmed', setup: found, trace: reading.trace }, setup, {
      gateway,
      ports,
    });
  }
  if (isPages && (await isLocked(setup, found, { gateway, ports }))) {
    return closeSetup(asked, gateway, {
      ...(found.lastFailure ?? notDeclined),
      ...{ code: 'declined', ports },
    });
  }
  // A page may try another card for as long as its set-up is open.
  const isWaiting = found.state === 'requires_action' || isPages;
  if (isWaiting && !isSetupAbandoned(setup, now))
    return waitingOutcome(setup, found, reading.trace);
  const end = isWaiting ? abandoned : (found.lastFailure ?? unauthenticated);
  return closeSetup(asked, gateway, { ...end, ports });
}

const waitingOutcome = (setup: CardSetup, found: ProviderSetup, trace: Trace): SetupOutcome => ({
  kind: 'requires_action',
  setup: found,
  challenge: setup.challenge ?? { url: null, clientSecret: found.clientSecret },
  trace,
});

/** As for a payment: the provider's own count is ahead of its notices, and stored for every process. */
async function isLocked(
  setup: CardSetup,
  { setupId, state, lastFailure }: ProviderSetup,
  { gateway, ports: { database, settings, methodKeeper } }: GatewayContext,
): Promise<boolean> {
  const most = settings.attemptLimits?.sessionDeclines;
  if (most === undefined) return false;
  const session = { clientId: setup.clientId, id: setup.sessionId };
  if ((await countSetupDeclines(database, session)) >= most) return true;
  const mayHaveDeclined = state === 'requires_action' || lastFailure !== undefined;
  const declines = mayHaveDeclined ? await methodKeeper(gateway).countSetupDeclines(setupId) : 0;
  if (!declines) return false;
  await storeSetupDeclines(database, setup, declines);
  return (await countSetupDeclines(database, session)) >= most;
}

/**
 * Closes the set-up at the provider once the stored notices report too many declines, although another process has
 * leased it: that process may have read the set-up before the last decline. Settles nothing; a set-up that has
 * succeeded stays.
 */
export async function closeLockedSetup(setup: CardSetup, ports: Ports): Promise<void> {
  const { id, clientId, gatewayId, providerSetupId: setupId, confirmedBy } = setup;
  if (setupId === null || confirmedBy !== 'page') return;
  const most = ports.settings.attemptLimits?.sessionDeclines;
  const session = { clientId, id: setup.sessionId };
  if (most === undefined || (await countSetupDeclines(ports.database, session)) < most) return;
  const gateway = await openGateway(ports, clientId, gatewayId);
  await ports.methodKeeper(gateway).cancelSetup({ key: `close-${id}`, setupId });
}

type GatewayContext = { readonly gateway: Gateway; readonly ports: Ports };

async function checkKnownCustomer(
  outcome: SetupOutcome,
  { clientId, userId }: CardSetup,
  { gateway, ports }: GatewayContext,
): Promise<SetupOutcome> {
  const customer = await ensureProviderCustomer(ports, { clientId, userId, gateway });
  return customer.kind === 'known'
    ? checkCustomer(outcome, { clientId, userId, ...customer }, { gateway, ports })
    : inDoubtOutcome('customer_unknown', outcome.trace);
}

/**
 * Ends a set-up that waits for the buyer, closing it at the provider first. A set-up that succeeded
 * there meanwhile counts as succeeded.
 */
export async function endSetup(asked: AskedSetup, end: End, ports: Ports): Promise<SetupOutcome> {
  const { clientId, gatewayId } = asked.setup;
  const gateway = await openGateway(ports, clientId, gatewayId);
  return closeSetup(asked, gateway, { ...end, ports });
}

async function closeSetup(
  { setup }: AskedSetup,
  gateway: Gateway,
  { ports, code, ...declined }: End & { readonly ports: Ports },
): Promise<SetupOutcome> {
  if (setup.providerSetupId === null) return refusedOutcome(code, declined);
  const closed = await ports
    .methodKeeper(gateway)
    .cancelSetup({ key: `close-${setup.id}`, setupId: setup.providerSetupId });
  if (closed.kind !== 'confirmed') return inDoubtOutcome('not_closed', closed.trace);
  if (closed.setup.state === 'canceled') {
    // A set-up that is cancelled for another card, after its own card was declined, counts as that decline.
    const { lastFailure } = closed.setup;
    const end = code === 'canceled' && lastFailure ? lastFailure : { code, ...declined };
    return { ...refusedOutcome(end.code, end), trace: closed.trace };
  }
  return checkKnownCustomer(closed, setup, { gateway, ports });
}
