// One set-up, start to end: claim, ask vault and provider, settle. A repeat of the same request
// answers what the first one came to.

import type { CardSetup } from '../../../domain/payments/card-setup.ts';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import { claimSetup, type SetupRequest } from '../../../storage/checkout-sessions/claim-setup.ts';
import { isSetupRunning } from '../../../storage/payment-methods/card-setups.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports, ProviderSetup } from '../../ports.ts';
import { askForSetup, endSetup } from '../../steps/card-setups/ask-for-setup.ts';
import { settleSetup } from '../../steps/card-setups/settle-setup.ts';

/** What differs between one kind of set-up and another. */
export type WantedSetup = Pick<
  SetupRequest,
  'sessionId' | 'nonceSha256' | 'refuse' | 'cardTokenSha256' | 'methodType'
>;

export type DrivenSetup = {
  readonly session: CheckoutSession;
  readonly setup: CardSetup;
  /** Where the provider said that it stands, where it was asked just now. */
  readonly providerState?: ProviderSetup['state'];
};

const waitMs = 5000;
const pollMs = 75;
const mostWaiters = 200;
let waiters = 0;

/** Claims and drives a set-up until it stands somewhere. */
export async function driveSetup(
  wanted: WantedSetup,
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
  const deadline = performance.now() + waitMs;
  // Counted once, however often the same call looks again.
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
    // Somebody took it over while we were asking: its answer is the answer.
    if (!settled) continue;
    const { session } = claim;
    if (!('setup' in outcome)) return { session, setup: settled };
    return { session, setup: settled, providerState: outcome.setup.state };
  }
}

/** Waits, without locks or connections held, until nobody works on it; false past the deadline. */
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

/** Reliability §5.10: what stands between a stolen account and a list of stolen cards. */
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

/** 429 of a session that takes no card any more: waiting does not help. */
export const refuseLockedSetup = (waitSeconds: number): never =>
  refuseLimited(waitSeconds, {
    message: 'Too many cards were declined in this session. Start a new one.',
    retryable: false,
  });
