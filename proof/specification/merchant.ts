// The merchant of these tests: the API over HTTP, the provider's dashboard and clock, and the
// merchant's events. Everything behind it is real.

import { expireHolds } from '../../service/src/engine/runs/payments/expire-holds.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import type { LimitSettings } from '../../service/src/http/limits/limits.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { readStored } from '../../service/src/storage/database/stored-text.ts';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { callAs, moveClock, newId, type TestToken } from '../../service/test/harness.ts';
import { deliverNotice, providerEvents, readAllNotices } from '../../service/test/notices.ts';
import { aServer } from '../../service/test/server.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  startWorld,
  type World,
} from '../../service/test/world.ts';

export type ReceivedEvent = {
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly object: Record<string, unknown>; readonly failure?: object };
};
export type Answer = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
};
type CallAs = Parameters<typeof callAs> extends [unknown, ...infer Rest] ? Rest : never;
type Move = 'capture' | 'cancel' | 'refunds';
type CallOptions = {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly token?: TestToken | null;
};

const events = sql<{ payload: Buffer }>(
  'spec_events',
  'select payload from events where resource_id = $1 order by sequence',
);
const statuses = sql<{ status: string }>(
  'spec_statuses',
  'select status from payment_history where payment_id = $1 order by version',
);
const letGo = sql(
  'spec_let_go',
  `update payment_operations set lease_until = svc_clock(), next_check_at = svc_clock()
   where state in ('active', 'in_doubt', 'awaiting_customer')`,
);
const strictly = {
  limit: 50,
  onError: (_: unknown, error: unknown) => {
    throw error;
  },
};

export type Merchant = Awaited<ReturnType<typeof openMerchant>>;

/** Opens the merchant without rate limits, unless `limits` sets those of contract §10. */
export async function openMerchant(given: { limits?: LimitSettings; nowMs?: () => number } = {}) {
  const world = await startWorld();
  const { limits = null } = given;
  const settings = { ...world.ports.settings, attemptLimits: limits };
  const ports = { ...world.ports, settings };
  const { app } = await aServer(ports, { ...given, limits });
  return {
    ...world,
    ...withProvider(world),
    ...withRecords(world),
    ...withApi(world, app),
    app,
    async close() {
      await app.close();
      await world.close();
    },
  };
}

function withApi(world: World, app: Parameters<typeof callAs>[0]) {
  const call = async (...given: Parameters<typeof callAs>): Promise<Answer> => {
    const { statusCode: status, headers, payload: text } = await callAs(...given);
    return { status, headers, text, body: text === '' ? {} : JSON.parse(text) };
  };
  const sendMove = (
    path: Parameters<typeof callAs>[2],
    { key, body, token = world.token }: CallOptions = {},
  ): Promise<Answer> => {
    const headers = typeof key === 'string' ? { 'idempotency-key': key } : {};
    return call(app, token, path, { headers, body });
  };
  const process = async (session: Checkout, number: string): Promise<Answer> => {
    const token = await aCardToken(world, session, number);
    const { sessionId, nonce, userId } = session;
    return call(app, { nonce }, `POST /v1/checkouts/sessions/${sessionId}/process`, {
      headers: { 'x-user-id': userId },
      body: {
        sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData: { userId, email: 'buyer@example.test' },
      },
    });
  };
  /** Runs a checkout up to its first response. */
  const checkout = async (
    captureMethod: 'automatic' | 'manual',
    number: string = cards.approved,
  ) => {
    const session = await aSession(world, { captureMethod });
    const answer = await process(session, number);
    return { session, answer, paymentId: String(answer.body.paymentId) };
  };
  return {
    call: (...given: CallAs) => call(app, ...given),
    ask: sendMove,
    process,
    checkout,
    aHold: async () => (await checkout('manual')).paymentId,
    aPurchase: async () => (await checkout('automatic')).paymentId,
    /** Calls PUT capture, PUT cancel or POST refunds; `key: null` sends no key. */
    move(move: Move, paymentId: string, given: CallOptions = {}): Promise<Answer> {
      const method = move === 'refunds' ? 'POST' : 'PUT';
      return sendMove(`${method} /v1/payments/${paymentId}/${move}`, { key: newId(), ...given });
    },
    read: async (paymentId: string) => (await sendMove(`GET /v1/payments/${paymentId}`)).body,
  };
}

function withRecords(world: World) {
  /** Returns the events of the payment in their order. */
  const listPaymentEvents = async (paymentId: string): Promise<ReceivedEvent[]> => {
    const rows = await world.database.read(events, [paymentId]);
    return rows.map(({ payload }) => JSON.parse(readStored(payload)) as ReceivedEvent);
  };
  return {
    told: listPaymentEvents,
    types: async (paymentId: string) =>
      (await listPaymentEvents(paymentId)).map(({ type }) => type),
    /** Returns every status of the payment's history, without repeats. */
    async path(paymentId: string): Promise<string[]> {
      const rows = await world.database.read(statuses, [paymentId]);
      return rows.map(({ status }) => status).filter((one, at, all) => one !== all[at - 1]);
    },
  };
}

function withProvider(world: World) {
  const intentOf = async (paymentId: string) =>
    (await findPayment(world.database, world.client.id, paymentId))?.providerIntentId ?? '';
  return {
    intentOf,
    /** Returns the movements of money that the provider recorded for the payment, by kind. */
    async movements(paymentId: string): Promise<string[]> {
      return (await world.ledger(await intentOf(paymentId))).map(({ kind }) => kind);
    },
    /** Changes the payment in the provider's dashboard. */
    byHand: async (paymentId: string, act: 'capture' | 'cancel' | 'take_back') =>
      world.control('POST', `/_control/intents/${await intentOf(paymentId)}/${act}`, {}),
    /** Delivers all events of the provider about the payment, and reads them. */
    async hear(paymentId: string): Promise<void> {
      for (const event of await providerEvents(world, await intentOf(paymentId))) {
        await deliverNotice(world, event);
      }
      await readAllNotices(world);
    },
    /** Ends the leases, then runs one pass of the recovery worker. */
    async recover(): Promise<void> {
      await world.database.write(letGo, []);
      await settleInDoubt(world.ports, strictly);
    },
    /** Moves the clock that service and provider share in the sandbox. */
    async advance(seconds: number): Promise<void> {
      await world.control('POST', '/_control/clock/advance', { seconds });
      await moveClock(world.database, seconds * 1000);
    },
    expire: () => expireHolds(world.ports, strictly),
    /** Answers a challenge as the buyer on the bank's page. */
    async challenge(answer: Answer, outcome: 'approve' | 'fail' | 'cancel'): Promise<void> {
      const { url } = answer.body.challenge as { url: string };
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `outcome=${outcome}`,
        redirect: 'manual',
      });
    },
  };
}
