// Claims a set-up: its row, its pending method and its session in one transaction, before the vault
// or the provider is called. Also claims the set-up that has to end before its session can end.

import type { ErrorCode } from '@svc/contract/errors/errors';
import { type CardSetup, isSetupHeldByOther } from '../../domain/payments/card-setup.ts';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import type { AttemptLimits } from '../../domain/people/attempt-limits.ts';
import { lockCustomer } from '../customers/customers.ts';
import { readClock } from '../database/clock.ts';
import { type Database, repeatWhenLost, type Tx } from '../database/database.ts';
import {
  countSetupDeclines,
  findSetupOfToken,
  holdSetup,
  insertSetup,
  lockOpenSetup,
  lockSetup,
} from '../payment-methods/card-setups.ts';
import { insertMethod, isBeingRemoved } from '../payment-methods/payment-methods.ts';
import { findSession, lockSession } from './checkout-sessions.ts';
import { countSessionCall } from './session-calls.ts';
import { lockPendingMethod, startSetupAttempt, waitForNextSetup } from './setup-sessions.ts';

export type SetupRequest = {
  readonly sessionId: string;
  readonly nonceSha256: Buffer;
  /** Returns why the locked session takes no such set-up; null when it does. */
  readonly refuse: (session: CheckoutSession, now: Date) => ErrorCode | null;
  /** Identifies the request: a token is used once. Null when the buyer's page confirms the set-up itself. */
  readonly cardTokenSha256: Buffer | null;
  readonly methodType: PaymentMethod['type'];
  /** Null when no limits apply. */
  readonly limits: AttemptLimits | null;
  /** True when the same call claims again: it was counted the first time. */
  readonly isCounted: boolean;
  /** Called before a new set-up begins; an error that it throws ends the claim. */
  readonly countAttempt?: (() => void) | undefined;
  readonly requestId: string;
  readonly setupId: string;
  readonly methodId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
  readonly isLive: boolean;
};

/** A set-up that this call holds under its lease. */
export type LeasedSetup = {
  readonly session: CheckoutSession;
  readonly setup: CardSetup;
  readonly isFirstSend: boolean;
  readonly now: Date;
};

export type SetupClaim =
  | ({ readonly kind: 'claimed' } & LeasedSetup)
  /** A set-up that the page was to confirm blocks a card: close it first. */
  | ({ readonly kind: 'superseded' } & LeasedSetup)
  /** The set-up has ended: answer from what is stored. */
  | { readonly kind: 'stands'; readonly session: CheckoutSession; readonly setup: CardSetup }
  | { readonly kind: 'wait'; readonly clientId: string; readonly setupId: string }
  | { readonly kind: 'limited'; readonly waitSeconds: number; readonly limit: number }
  /** The session's customer has had too many set-ups within the hour. */
  | { readonly kind: 'crowded'; readonly waitSeconds: number; readonly limit: number }
  /** Too many of the session's cards were declined: it takes no more until it expires. */
  | { readonly kind: 'locked'; readonly waitSeconds: number }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

/** Repeatable: when the commit was lost, the lease owner identifies the claim. */
export async function claimSetup(database: Database, request: SetupRequest): Promise<SetupClaim> {
  // The nonce determines the session; the claim reads it again under its lock.
  const found = await findSession(database, request.nonceSha256, request.sessionId);
  if (!found) return { kind: 'refused', code: 'checkout_session_not_found' };
  const { clientId } = found.session;
  return repeatWhenLost(() => database.transaction(clientId, (tx) => claimOnce(tx, request)));
}

async function claimOnce(tx: Tx, request: SetupRequest): Promise<SetupClaim> {
  const session = await lockSession(tx, request.nonceSha256, request.sessionId);
  if (!session) return { kind: 'refused', code: 'checkout_session_not_found' };
  const now = await readClock(tx);
  const earlier = await findEarlier(tx, session, request);
  // A success is returned again, although its session takes no further card.
  if (earlier?.state === 'succeeded') return { kind: 'stands', session, setup: earlier };
  const code = request.refuse(session, now);
  if (code) return { kind: 'refused', code };
  if (request.limits && !request.isCounted) {
    const met = await countSessionCall(tx, session, { limits: request.limits, now });
    // A buyer who may not save a card here at all must not be told to wait a minute.
    const locked =
      met && session.status === 'open' ? await findLock(tx, session, request, now) : null;
    if (met) return locked ?? { kind: 'limited', ...met };
  }
  const open = await lockOpenSetup(tx, session);
  if (open) return judgeOpen(tx, session, { open, request, now });
  // This very call began the set-up and another process settled it, or the token's card was declined.
  const isOurs = earlier?.id === request.setupId;
  if (earlier && (isOurs || earlier.failureCode !== 'unavailable')) {
    return { kind: 'stands', session, setup: earlier };
  }
  const locked = await findLock(tx, session, request, now);
  if (locked) return locked;
  const crowded = await waitForTurn(tx, session, { request, now });
  if (crowded) return crowded;
  request.countAttempt?.();
  return startSetup(tx, session, { earlier, request, now });
}

/**
 * Returns the earlier result of the same request; for a set-up that the page confirms, only of this
 * very call.
 */
const findEarlier = (
  tx: Tx,
  session: CheckoutSession,
  { cardTokenSha256, setupId }: SetupRequest,
): Promise<CardSetup | undefined> =>
  cardTokenSha256
    ? findSetupOfToken(tx, session, cardTokenSha256)
    : lockSetup(tx, session.clientId, setupId);

async function findLock(
  tx: Tx,
  session: CheckoutSession,
  { limits }: SetupRequest,
  now: Date,
): Promise<SetupClaim | null> {
  if (!limits || (await countSetupDeclines(tx, session)) < limits.sessionDeclines) return null;
  const leftMs = session.expiresAt.getTime() - now.getTime();
  return { kind: 'locked', waitSeconds: Math.max(1, Math.ceil(leftMs / 1000)) };
}

/**
 * Limits set-ups beside a payment only: a session that saves a card was counted when it was opened.
 */
async function waitForTurn(
  tx: Tx,
  { mode, clientId, userId }: CheckoutSession,
  { request: { limits }, now }: { request: SetupRequest; now: Date },
): Promise<SetupClaim | null> {
  if (!limits || mode !== 'payment' || userId === null) return null;
  const { setupsPerHour: perHour } = limits;
  // Takes the buyer-identity lock. Contract §3.
  await lockCustomer(tx, clientId, userId);
  const waitSeconds = await waitForNextSetup(tx, { clientId, userId }, { perHour, now });
  return waitSeconds === null ? null : { kind: 'crowded', waitSeconds, limit: perHour };
}

async function judgeOpen(
  tx: Tx,
  session: CheckoutSession,
  { open, request, now }: { open: CardSetup; request: SetupRequest; now: Date },
): Promise<SetupClaim> {
  const { cardTokenSha256, leaseOwner, leaseMs } = request;
  const isSame = cardTokenSha256
    ? open.cardTokenSha256?.equals(cardTokenSha256) === true
    : open.confirmedBy === 'page';
  if (!isSame && open.confirmedBy === 'service') return inProgress;
  if (isSetupHeldByOther(open, leaseOwner, now)) {
    return { kind: 'wait', clientId: session.clientId, setupId: open.id };
  }
  const isOurs = open.leaseOwner === leaseOwner;
  if (!isSame && open.state !== 'awaiting_customer' && !isOurs) return inProgress;
  const setup = await takeSetup(tx, open, { leaseOwner, leaseMs, now });
  const isFirstSend = open.id === request.setupId;
  return { kind: isSame ? 'claimed' : 'superseded', session, setup, isFirstSend, now };
}

const inProgress: SetupClaim = { kind: 'refused', code: 'checkout_attempt_in_progress' };

type Lease = { readonly leaseOwner: string; readonly leaseMs: number; readonly now: Date };

const takeSetup = (tx: Tx, setup: CardSetup, { leaseOwner, leaseMs, now }: Lease) =>
  holdSetup(tx, setup, { owner: leaseOwner, until: new Date(now.getTime() + leaseMs) });

async function startSetup(
  tx: Tx,
  session: CheckoutSession,
  given: { earlier: CardSetup | undefined; request: SetupRequest; now: Date },
): Promise<SetupClaim> {
  const { earlier, request, now } = given;
  const { clientId, gatewayId } = session;
  const method = await pendingMethodOf(tx, session, { request, now });
  const setup = await insertSetup(
    tx,
    {
      id: request.setupId,
      clientId,
      sessionId: session.id,
      paymentMethodId: method.id,
      gatewayId,
      userId: session.userId ?? '',
      confirmedBy: request.cardTokenSha256 ? 'service' : 'page',
      cardTokenSha256: request.cardTokenSha256,
      // The token was redeemed without a result: it cannot be redeemed again.
      providerPaymentMethodId: earlier?.providerPaymentMethodId ?? null,
      card: earlier?.card ?? null,
      requestId: request.requestId,
    },
    { owner: request.leaseOwner, until: new Date(now.getTime() + request.leaseMs), now },
  );
  if (session.mode === 'setup') {
    await startSetupAttempt(tx, session, { setupId: setup.id, now });
  }
  return { kind: 'claimed', session, setup, isFirstSend: true, now };
}

/** A setup session has its pending method from the start; a payment's session gets one for each set-up. */
async function pendingMethodOf(
  tx: Tx,
  session: CheckoutSession,
  { request, now }: { request: SetupRequest; now: Date },
): Promise<Pick<PaymentMethod, 'id'>> {
  const pending = session.mode === 'setup' ? await lockPendingMethod(tx, session) : undefined;
  // This check runs once the lock is held: a detachment may have begun while the call waited for the lock.
  if (pending && !(await isBeingRemoved(tx, pending))) return pending;
  return insertMethod(tx, {
    id: request.methodId,
    clientId: session.clientId,
    userId: session.userId ?? '',
    gatewayId: session.gatewayId,
    provider: 'cardprovider',
    type: request.methodType,
    sessionId: session.id,
    isLive: request.isLive,
    createdAt: now,
  });
}

export type SetupEndClaim =
  /** No set-up is under way. */
  | { readonly kind: 'free' }
  /** The set-up waits for the buyer, and this call holds it and ends it. */
  | ({ readonly kind: 'held_setup' } & LeasedSetup)
  | { readonly kind: 'wait_setup'; readonly setupId: string }
  /** The set-up's outcome is open: only the provider's answer ends it. */
  | { readonly kind: 'busy' };

/** The caller holds the session's lock. Repeatable with the same lease owner. */
export async function claimSetupEnd(
  tx: Tx,
  session: CheckoutSession,
  lease: Lease,
): Promise<SetupEndClaim> {
  const open = await lockOpenSetup(tx, session);
  if (!open) return { kind: 'free' };
  const { leaseOwner, now } = lease;
  if (isSetupHeldByOther(open, leaseOwner, now)) return { kind: 'wait_setup', setupId: open.id };
  if (open.state !== 'awaiting_customer' && open.leaseOwner !== leaseOwner) return { kind: 'busy' };
  const setup = await takeSetup(tx, open, lease);
  return { kind: 'held_setup', session, setup, isFirstSend: false, now };
}
