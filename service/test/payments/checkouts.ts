// The calls of a two-phase checkout, as a buyer's page makes them.

import { hash } from 'node:crypto';
import type { ClaimCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { refuse } from '../../src/engine/implement.ts';
import type { Caller, CreateOnce, Ports } from '../../src/engine/ports.ts';
import { settleInDoubt } from '../../src/engine/runs/payments/settle-in-doubt.ts';
import { operations } from '../../src/operations/index.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { newId, sessionCaller } from '../harness.ts';
import type { Checkout, World } from '../world.ts';
import { readAllNotices } from './notices.ts';

export const anonymous: Caller = { kind: 'anonymous', requestId: 'req_test', origin: null };

type StatusAndBody<T> = { status: number; body: T };

/** The body of an answer that has one. */
export async function bodyOf<T = Record<string, unknown>>(answer: Promise<unknown>): Promise<T> {
  return ((await answer) as StatusAndBody<T>).body;
}

/** Creates an unclaimed session. */
export async function aShell(world: World, currency = 'EUR'): Promise<Checkout> {
  const { id, nonce, vault } = await bodyOf<{
    id: string;
    nonce: string;
    vault: { mountToken: string };
  }>(
    operations.createCheckoutSession(
      { body: { clientId: world.client.id, currency, deferDataAttachment: true } },
      anonymous,
      world.ports,
      refuse,
    ),
  );
  return { sessionId: id, nonce, mountToken: vault.mountToken, userId: newId() };
}

const buyerEmail = 'buyer@example.test';

export const claimBody = (
  session: Checkout,
  given: Partial<ClaimCheckoutSession> = {},
): ClaimCheckoutSession => ({
  currency: 'EUR',
  products: [{ code: 'mug', quantity: 1 }],
  accountData: { userId: session.userId, email: buyerEmail },
  ...given,
});

type CallOptions = { ports?: Ports; nonce?: string };

const callOf = (world: World, session: Checkout, given: CallOptions) =>
  [sessionCaller(given.nonce ?? session.nonce), given.ports ?? world.ports, refuse] as const;

export const claim = (
  world: World,
  session: Checkout,
  given: Partial<ClaimCheckoutSession> = {},
  more: CallOptions = {},
) =>
  operations.claimCheckoutSession(
    { checkoutSessionId: session.sessionId, body: claimBody(session, given) },
    ...callOf(world, session, more),
  );

/** Without a token the body has no payment data. */
export const vaultCharge = (
  world: World,
  session: Checkout,
  token: string | undefined,
  more: CallOptions = {},
) =>
  operations.processVaultCharge(
    { sessionId: session.sessionId, body: token === undefined ? {} : { token } },
    ...callOf(world, session, more),
  );

type DeclineBody = Parameters<typeof operations.declineCheckoutSession>[0]['body'];

export const decline = (
  world: World,
  session: Checkout,
  body: DeclineBody = { reason: 'buyer_canceled' },
  more: CallOptions = {},
) =>
  operations.declineCheckoutSession(
    { sessionId: session.sessionId, body },
    ...callOf(world, session, more),
  );

type IntentBody = Parameters<typeof operations.createPaymentIntent>[0]['body'];

export const openIntent = (
  world: World,
  session: Checkout,
  given: Partial<IntentBody> = {},
  more: CallOptions = {},
) =>
  operations.createPaymentIntent(
    {
      body: {
        sessionId: session.sessionId,
        email: buyerEmail,
        paymentMethod: 'card',
        ...given,
      },
    },
    ...callOf(world, session, more),
  );

export type SessionState = {
  status: string;
  paymentId: string | null;
  latestTransactionAttempt: { id: string; result: string; declineCode: string | null } | null;
};

export async function readState(world: World, session: Checkout): Promise<SessionState> {
  const { data } = await bodyOf<{ data: SessionState }>(
    operations.getCheckoutSessionStatus(
      { sessionId: session.sessionId },
      ...callOf(world, session, {}),
    ),
  );
  return data;
}

const makeDue = sql(
  'test_checkout_due',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);

/** Runs the recovery worker once over everything that is open. */
export async function runRecovery(world: World): Promise<void> {
  await world.database.write(makeDue, []);
  await settleInDoubt(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
}

/**
 * The same without attempts that wait up to an hour for their buyer: only a notice or the page
 * reads those sooner.
 */
export const unclearDue = sql(
  'test_unclear_due',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state in ('active', 'in_doubt')`,
);

/**
 * Runs the workers once over everything in doubt and over every notice. Their errors are thrown.
 */
export async function recoverUnclearWork(world: World): Promise<void> {
  await world.database.write(unclearDue, []);
  await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
  await readAllNotices(world);
}

/** Answers a challenge as its page would. */
export async function answerChallenge(url: string, outcome: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `outcome=${outcome}`,
    redirect: 'manual',
  });
  if (response.status >= 400) throw new Error(`the challenge answered ${response.status}`);
}

const runOut = sql(
  'test_checkout_run_out',
  `update checkout_sessions set expires_at = svc_clock() - interval '1 second' where id = $1`,
);

/** Expires the session. */
export async function expireNow(world: World, session: Checkout): Promise<void> {
  await world.database.write(runOut, [session.sessionId]);
}

const payments = sql<{ id: string; status: string; provider_intent_id: string | null }>(
  'test_checkout_payments',
  `select id, status, provider_intent_id from payments
   where session_id = $1 and type = 'purchase' order by created_at, id`,
);

export const paymentsOf = (world: World, session: Checkout) =>
  world.database.read(payments, [session.sessionId]);

const events = sql<{ type: string }>(
  'test_checkout_events',
  'select type from events where resource_id = $1 order by sequence',
);

export const eventsOf = async (world: World, id: string): Promise<string[]> =>
  (await world.database.read(events, [id])).map(({ type }) => type);

/** The key of a create, as the HTTP server reads it. */
export const aCreateKey = (world: World, idempotencyKey: string, body: object): CreateOnce => ({
  clientId: world.client.id,
  operation: 'createCheckoutSession',
  idempotencyKey,
  requestSha256: hash('sha256', JSON.stringify(body), 'buffer'),
  write: (answer) => JSON.stringify(answer.body),
});
