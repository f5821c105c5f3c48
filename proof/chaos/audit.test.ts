// Tests of the audit: true records pass, and each rule is broken once, in the records or in the
// database, and must report that.

import { testCluster } from '@svc/tools/test-database/index';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuse } from '../../service/src/engine/implement.ts';
import { operations } from '../../service/src/operations/index.ts';
import { callerOf, newId } from '../../service/test/harness.ts';
import {
  aHold,
  aSession,
  cards,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../service/test/world.ts';
import {
  type ClientAnswer,
  findViolations,
  type Movement,
  type ReceivedCall,
  type Records,
} from './audit.ts';
import { rules } from './audit-rules.ts';

let world: World;
let admin: pg.Client;
let truth: Records;
let captured: string;
let cancelled: string;
let failed: string;
let held: string;
let refunded: string;

async function moved(kind: 'capture' | 'cancel', paymentId: string): Promise<ClientAnswer> {
  const key = `${kind}-${newId()}`;
  const answer = await moveHold(world, `${kind}Payment`, { paymentId, key });
  const body = (answer as { replay: string }).replay;
  return { paymentId, kind, key, status: 200, code: null, body };
}

async function refundOf(paymentId: string): Promise<ClientAnswer> {
  const key = `refund-${newId()}`;
  const digest = Buffer.alloc(32, key);
  const answer = await operations.createRefund(
    { paymentId, body: {}, idempotencyKey: key, rawSha256: digest, canonSha256: digest },
    callerOf(world.token),
    world.ports,
    refuse,
  );
  const body = (answer as { replay: string }).replay;
  return { paymentId, kind: 'refund', key, status: 201, code: null, body };
}

beforeAll(async () => {
  world = await startWorld();
  const { paymentId } = await aHold(world);
  // Refused once, so that there is a second attempt with a key of its own.
  await world.fault({ path: '/v1/payment_intents/*/capture' }, 'decline');
  const key = newId();
  captured = paymentId;
  await moveHold(world, 'capturePayment', { paymentId, key }).catch(() => undefined);
  const answer = await moveHold(world, 'capturePayment', { paymentId, key });
  const body = (answer as { replay: string }).replay;
  const capture: ClientAnswer = { paymentId, kind: 'capture', key, status: 200, code: null, body };
  cancelled = (await aHold(world)).paymentId;
  const cancel = await moved('cancel', cancelled);
  refunded = (await aHold(world)).paymentId;
  await moved('capture', refunded);
  const refund = await refundOf(refunded);
  await pay(world, await aSession(world, { captureMethod: 'automatic' }));
  const session = await aSession(world);
  await pay(world, session, cards.declined).catch(() => undefined);
  held = (await aHold(world)).paymentId;
  const database = new URL(world.ownerUrl.replace('@/', '@host/')).pathname.slice(1);
  admin = new pg.Client({
    connectionString: (await testCluster()).url('postgres', database),
  });
  await admin.connect();
  const { rows } = await admin.query<{ id: string }>(
    "select id from payments where status = 'failed'",
  );
  failed = rows[0]?.id ?? '';
  const { entries } = (await world.control('GET', '/_control/ledger')) as { entries: Movement[] };
  const { requests } = (await world.control('GET', '/_control/requests')) as {
    requests: ReceivedCall[];
  };
  truth = { ledger: entries, calls: requests, answers: [capture, cancel, refund] };
});

afterAll(async () => {
  await admin?.end();
  await world?.close();
});

/**
 * Returns the rules that report a forgery, with triggers and conflicting indexes disabled. Nothing
 * is kept.
 */
async function rulesBrokenBy(
  records: Partial<Records>,
  forge: readonly (readonly [string, unknown[]])[] = [],
): Promise<string[]> {
  await admin.query('begin');
  try {
    await admin.query('set local session_replication_role = replica');
    await admin.query('drop index one_resolution');
    for (const [text, values] of forge) await admin.query(text, values);
    const violations = await findViolations(admin, { ...truth, ...records });
    return [...new Set(violations.map(({ rule }) => rule))];
  } finally {
    await admin.query('rollback');
  }
}

const readPaymentMoves = async (paymentId: string) => {
  const { rows } = await admin.query<{ intent: string; op: string; attempt: number }>(
    `select p.provider_intent_id as intent, o.id as op, o.attempt from payments p
     join payment_operations o on o.payment_id = p.id and o.kind <> 'authorize' where p.id = $1`,
    [paymentId],
  );
  return rows[0] as { intent: string; op: string; attempt: number };
};

const movement = (of: Partial<Movement>): Movement => ({
  kind: 'capture',
  intent: null,
  amount: 1990,
  currency: 'eur',
  idempotencyKey: null,
  origin: 'dashboard',
  ...of,
});

type Forgery = () => Promise<string[]>;
const sql = (text: string, values: () => unknown[]): Forgery => {
  return () => rulesBrokenBy({}, [[text, values()]]);
};
const changeAnswers = (change: (of: ClientAnswer) => Partial<ClientAnswer>): Forgery => {
  return () => {
    const [first] = truth.answers as [ClientAnswer];
    return rulesBrokenBy({ answers: [...truth.answers, { ...first, ...change(first) }] });
  };
};
const forgeLedger = (
  change: (of: { intent: string; op: string }) => Partial<Movement>,
): Forgery => {
  return async () => {
    const more = movement(change(await readPaymentMoves(captured)));
    return rulesBrokenBy({ ledger: [...truth.ledger, more] });
  };
};

/** One forgery for each rule. */
const forgeries: Readonly<Record<string, Forgery>> = {
  M1: forgeLedger(({ intent }) => ({ intent })),
  M2: forgeLedger(({ intent }) => ({ intent, kind: 'void' })),
  M3: async () => {
    const { op } = await readPaymentMoves(captured);
    const call = { path: '', intent: null, idempotencyKey: `op-${op}-3`, answered: true };
    return rulesBrokenBy({ calls: [...truth.calls, call] });
  },
  M3b: forgeLedger(({ intent }) => ({ intent, origin: 'api', idempotencyKey: 'op-of-nobody-1' })),
  M4: async () => {
    const changed = truth.ledger.map((one) =>
      one.kind === 'capture' ? { ...one, amount: one.amount - 1 } : one,
    );
    return rulesBrokenBy({ ledger: changed });
  },
  M6: async () => {
    const { intent } = await readPaymentMoves(captured);
    const without = truth.ledger.filter(
      (one) => !(one.kind === 'capture' && one.intent === intent),
    );
    return rulesBrokenBy({ ledger: without });
  },
  M6b: forgeLedger(() => ({ intent: 'pi_of_nobody', kind: 'authorize' })),
  M8: sql(
    `insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
       next_check_at, first_sent_at, canon_sha256, created_at)
     select gen_random_uuid(), client_id, payment_id, 'cancel', 'succeeded', amount_minor,
       now(), now(), canon_sha256, now() from payment_operations
     where payment_id = $1 and kind = 'capture'`,
    () => [captured],
  ),
  M9: forgeLedger(({ intent }) => ({ intent, kind: 'refund', amount: 1_000_000 })),
  M10: async () => {
    const given = truth.ledger.find(({ kind }) => kind === 'refund');
    return rulesBrokenBy({ ledger: [...truth.ledger, given as Movement] });
  },
  M11: sql(
    'update payments set session_id = (select session_id from payments where id = $1) where id = $2',
    () => [captured, held],
  ),
  I1: changeAnswers(({ body }) => ({ body: `${body} ` })),
  I1b: changeAnswers(() => ({ paymentId: cancelled, key: 'another' })),
  I1e: () => rulesBrokenBy({ ledger: truth.ledger.filter(({ kind }) => kind !== 'refund') }),
  I1c: changeAnswers(() => ({
    paymentId: held,
    key: 'another',
    status: 409,
    code: 'payment_not_authorized',
  })),
  I1d: changeAnswers(() => ({ key: 'another', status: 500, code: 'internal_error' })),
  E1: sql('delete from events where resource_id = $1 and sequence = 1', () => [captured]),
  E1b: sql(
    `update events set type = 'payment.failed' where resource_id = $1 and sequence = 1`,
    () => [held],
  ),
  E2: sql(`update events set type = 'item.purchased' where resource_id = $1`, () => [failed]),
  E3: async () => {
    const { op, attempt } = await readPaymentMoves(captured);
    return rulesBrokenBy({}, [
      [
        `update operation_attempts set outcome = 'refused'
         where operation_id = $1 and attempt = $2`,
        [op, attempt],
      ],
    ]);
  },
  E5: sql(
    `insert into webhook_deliveries (event_id, endpoint_id, client_id, resource_id, sequence, state,
       next_attempt_at, created_at)
     select id, gen_random_uuid(), client_id, resource_id, sequence, 'dead', now(), now()
     from events where resource_id = $1`,
    () => [captured],
  ),
  R1: sql(
    `update payment_operations set state = 'in_doubt' where payment_id = $1 and kind = 'capture'`,
    () => [captured],
  ),
  R1b: sql(`update payments set status = 'unknown' where id = $1`, () => [held]),
  H1: sql('delete from payment_history where payment_id = $1 and version = 1', () => [captured]),
};

describe('the audit', () => {
  it('finds nothing in what truly happened', async () => {
    expect(truth.ledger.length).toBeGreaterThan(5);
    expect(await rulesBrokenBy({})).toEqual([]);
  });

  it.each(rules)('$id breaks when not so: $says', async ({ id }) => {
    const forgery = forgeries[id];
    expect(forgery, `a forgery for ${id}`).toBeDefined();
    expect(await forgery?.()).toContain(id);
  });
});
