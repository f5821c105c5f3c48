// Runs one set-up from start to end: claim, call vault and provider, settle. A repeat of the same
// request returns the result of the first.

import type { CardSetup } from '../../../domain/payments/card-setup.ts';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import { claimSetup, type SetupRequest } from '../../../storage/checkout-sessions/claim-setup.ts';
import { isSetupRunning } from '../../../storage/payment-methods/card-setups.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports, ProviderSetup } from '../../ports.ts';
import { askForSetup, endSetup } from '../../steps/card-setups/ask-for-setup.ts';
import { settleSetup } from '../../steps/card-setups/settle-setup.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';

/** The fields in which kinds of set-up differ. */
export type SetupVariant = Pick<
  SetupRequest,
  'sessionId' | 'nonceSha256' | 'refuse' | 'cardTokenSha256' | 'methodType'
>;

export type DrivenSetup = {
  readonly session: CheckoutSession;
  readonly setup: CardSetup;
  /** The provider's state of the set-up, where the provider was asked just now. */
  readonly providerState?: ProviderSetup['state'];
};

const pollMs = 75;
const mostWaiters = 200;
let waiters = 0;

/** Claims a set-up and drives it until it has ended or waits for its buyer. */
export async function driveSetup(
  wanted: SetupVariant,
  caller: Caller,
  ports: Ports,
): Promise<DrivenSetup> {
  const { leaseMs, isLive, attemptLimits: limits } = ports.settings;
  const request = {
    ...wanted,
    requestId: caller.requestId,
    countAttempt: caller.countAttempt,
    setupId: ports.newId(),
    methodId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs,
    isLive,
    limits,
  };
  const deadline = stopWaitingAt(ports);
  // A call counts once against the limit, however often this loop looks again.
  for (let isCounted = false; ; isCounted = true) {
    const claim = await claimSetup(ports.database, { ...request, isCounted });
    if (claim.kind === 'refused') return refuse(claim.code);
    if (claim.kind === 'limited') return refuseLimited(claim.waitSeconds);
    if (claim.kind === 'crowded') return refuseCrowded(claim.waitSeconds, claim.limit);
    if (claim.kind === 'locked') return refuseLockedSetup(claim.waitSeconds);
    if (claim.kind === 'stands') return claim;
    if (claim.kind === 'wait') {
      const isOver = await waitForSetup(claim.setupId, claim.clientId, { deadline, ports });
      if (!isOver) return refuse('checkout_attempt_in_progress');
      continue;
    }
    if (claim.kind === 'superseded') {
      const end = { code: 'canceled', declineCode: null };
      const settled = await settleSetup(claim.setup, await endSetup(claim, end, ports), ports);
      if (settled?.state === 'in_doubt') return refuse('gateway_outcome_unknown');
      continue;
    }
    const outcome = await askForSetup(claim, ports);
    const settled = await settleSetup(claim.setup, outcome, ports);
    // Another process took the set-up over while the provider was asked: its result is used.
    if (!settled) continue;
    const { session } = claim;
    if (!('setup' in outcome)) return { session, setup: settled };
    return { session, setup: settled, providerState: outcome.setup.state };
  }
}

/**
 * Waits, without holding locks or connections, until nobody works on the set-up. Returns false when
 * the deadline passes first or when too many are waiting.
 */
export async function waitForSetup(
  setupId: string,
  clientId: string,
  { deadline, ports }: { deadline: number; ports: Ports },
): Promise<boolean> {
  if (waiters >= mostWaiters) return false;
  waiters += 1;
  try {
    while (performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      if (!(await isSetupRunning(ports.database, clientId, setupId))) return true;
    }
    return false;
  } finally {
    waiters -= 1;
  }
}

const refuseLimited = (waitSeconds: number, more: { message?: string; retryable?: false } = {}) =>
  refuse('rate_limited', {
    retryAfter: waitSeconds,
    headers: { 'ratelimit-remaining': '0', 'ratelimit-reset': String(waitSeconds) },
    message: 'Too many cards were tried in this session. Wait, then try again.',
    ...more,
  });

/**
 * Refuses rate_limited. The limit keeps a stolen account from testing a list of
 * stolen cards.
 */
export const refuseCrowded = (waitSeconds: number, limit: number): never =>
  refuse('rate_limited', {
    retryAfter: waitSeconds,
    headers: {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(waitSeconds),
    },
    message: 'This customer saved, or tried to save, too many cards. Wait, then try again.',
  });

/** Refuses rate_limited for a session that takes no card any more: waiting does not help. */
export const refuseLockedSetup = (waitSeconds: number): never =>
  refuseLimited(waitSeconds, {
    message: 'Too many cards were declined in this session. Start a new one.',
    retryable: false,
  });
