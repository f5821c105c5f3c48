// What a well-behaved provider hides: these guarantees are judged against one that captures again
// for every new key, and at moments that a plain test does not come to. Reliability 3.3, 4.3, 4.9.

import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../service/src/engine/ports.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { settleHold } from '../../service/src/engine/steps/payments/settle-hold.ts';
import type { Database } from '../../service/src/storage/database/database.ts';
import { claimOperation } from '../../service/src/storage/payments/claim-operation.ts';
import { findOperation } from '../../service/src/storage/payments/payment-operations.ts';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { moveClock, newId } from '../../service/test/harness.ts';
import { aHold, moveHold, startWorld, type World } from '../../service/test/world.ts';

let world: World;
let owner: pg.Client;
let watcher: pg.Client;
beforeAll(async () => {
  world = await startWorld({ sandbox: { mode: 'unguarded' } });
  owner = new pg.Client({ connectionString: world.ownerUrl });
  await owner.connect();
  watcher = new pg.Client({ connectionString: world.ownerUrl });
  await watcher.connect();
});
afterAll(async () => {
  await watcher?.end();
  await owner?.end();
  await world?.close();
});

/** Returns how many statements of this database wait for a lock. */
async function countLockWaits(): Promise<number> {
  const { rowCount } = await watcher.query(
    `select from pg_stat_activity
     where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()`,
  );
  return rowCount ?? 0;
}
const code = (name: string) => expect.objectContaining({ code: name });
const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error(`no payment ${id}`);
  return payment;
};
const effectsOf = async (id: string) => {
  const { providerIntentId } = await paymentOf(id);
  const entries = await world.ledger(providerIntentId ?? '');
  return entries.map(({ kind }) => kind).filter((kind) => kind !== 'authorize');
};
const eventsOf = async (id: string) => {
  const { rows } = await owner.query<{ type: string }>(
    'select type from events where resource_id = $1 order by sequence',
    [id],
  );
  return rows.map(({ type }) => type);
};
async function recoverOperations(ports: Ports = world.ports): Promise<void> {
  await owner.query(
    `update payment_operations set lease_until = svc_clock(), next_check_at = svc_clock()
     where state in ('active', 'in_doubt')`,
  );
  const onError = (_: unknown, error: unknown) => {
    throw error;
  };
  await settleInDoubt(ports, { limit: 50, onError });
}
type Faults = { faults: object[] };
const loseAnswers = async (more: object) => {
  await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_reply', more);
  await world.fault({ method: 'GET', path: '/v1/payment_intents/*' }, 'drop_request', { count: 1 });
};
const claim = (paymentId: string, key: string, leaseMs = 30_000) =>
  claimOperation(world.database, {
    kind: 'capture',
    clientId: world.client.id,
    paymentId,
    idempotencyKey: key,
    rawSha256: Buffer.alloc(32),
    canonSha256: Buffer.alloc(32),
    requestId: 'req_test',
    asker: { via: 'token', userId: world.token.userId, tokenId: world.token.id },
    isUnderway: false,
    operationId: newId(),
    leaseOwner: newId(),
    leaseMs,
  });

/** Disables the fast path, so that every case runs step by step. */
const stepByStep = (): Database => ({
  ...world.database,
  write: async (query, values) =>
    query.name.endsWith('_at_once') ? [] : world.database.write(query, values),
});

describe('a provider without a guard of its own', () => {
  it('captured, but no answer and no reading: the same key again, one capture', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    await loseAnswers({ count: 2 });
    await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toEqual(
      code('gateway_outcome_unknown'),
    );
    await recoverOperations();
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
    expect(await moveHold(world, 'capturePayment', { paymentId, key })).toMatchObject({
      isReplayed: true,
    });
    expect(await effectsOf(paymentId)).toEqual(['capture']);
  });

  it('captured late, after a reading that still showed the hold: never called failed', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    // Far later than the read, also on a busy machine.
    const late = { count: 2, delayMs: 2000 };
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'late', late);
    await expect(moveHold(world, 'capturePayment', { paymentId, key })).rejects.toEqual(
      code('gateway_outcome_unknown'),
    );
    expect(await effectsOf(paymentId)).toEqual([]);
    await expect.poll(() => effectsOf(paymentId)).toEqual(['capture']);
    expect(await moveHold(world, 'capturePayment', { paymentId, key })).toMatchObject({
      status: 200,
    });
    expect(await effectsOf(paymentId)).toEqual(['capture']);
    expect(await eventsOf(paymentId)).toEqual(['payment.authorized', 'item.purchased']);
  });

  it('another key never starts a second operation while the first is in doubt', async () => {
    const { paymentId } = await aHold(world);
    await loseAnswers({ count: 2 });
    await expect(moveHold(world, 'capturePayment', { paymentId, key: newId() })).rejects.toEqual(
      code('gateway_outcome_unknown'),
    );
    for (const kind of ['capturePayment', 'cancelPayment'] as const) {
      await expect(moveHold(world, kind, { paymentId, key: newId() })).rejects.toEqual(
        code('payment_operation_in_progress'),
      );
    }
    await recoverOperations();
    expect(await effectsOf(paymentId)).toEqual(['capture']);
  });
});

describe('a holder with a lease', () => {
  it('is waited for: the provider is asked once, the second caller gets the same bytes', async () => {
    const { paymentId } = await aHold(world);
    const path = '/v1/payment_intents/*/capture';
    await world.fault({ path }, 'slow', { delayMs: 250 });
    const key = newId();
    const capture = () => moveHold(world, 'capturePayment', { paymentId, key });
    const first = capture();
    const intent = (await paymentOf(paymentId)).providerIntentId;
    await expect
      .poll(async () => ((await world.control('GET', '/_control/faults')) as Faults).faults)
      .toEqual(expect.arrayContaining([expect.objectContaining({ action: 'slow', fired: 1 })]));
    const second = capture();
    const [answer, repeated] = await Promise.all([first, second]);
    expect(repeated).toEqual({ ...answer, isReplayed: true });
    const { requests } = (await world.control('GET', `/_control/requests?intent=${intent}`)) as {
      requests: { path: string }[];
    };
    expect(requests.filter((one) => one.path.endsWith('/capture'))).toHaveLength(1);
  });
});

describe('a holder that lost its lease', () => {
  it('writes nothing, whatever the provider told it', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    const first = await claim(paymentId, key, 1);
    const second = await claim(paymentId, key);
    if (first.kind !== 'claimed' || second.kind !== 'claimed') throw new Error('not claimed');
    expect(second.operation.epoch).toBe(first.operation.epoch + 1);
    const before = await findOperation(world.database, world.client.id, first.operation.id);
    const trace = { httpStatus: 402, providerCode: 'card_declined', requestId: null };
    const held = { operation: first.operation, sessionId: null, startedAt: first.now };
    for (const outcome of [
      { kind: 'in_doubt', cause: 'no_answer', trace } as const,
      {
        kind: 'refused',
        code: 'declined',
        declineCode: null,
        advice: null,
        message: null,
        payment: null,
        trace,
      } as const,
    ]) {
      expect(await settleHold(held, outcome, world.ports)).toBeUndefined();
    }
    // The same for a confirmed outcome, which is written at once when nothing else happened in
    // between.
    const payment = await paymentOf(paymentId);
    const confirmed = {
      kind: 'confirmed',
      payment: {
        intentId: payment.providerIntentId ?? '',
        state: 'captured',
        releasedBecause: null,
        amountMinor: payment.amountMinor,
        currency: payment.currency,
        chargeId: null,
        captureBefore: null,
        effectiveAt: null,
      },
      trace,
    } as const;
    const usual = { payment, lines: [], clock: () => first.now };
    expect(await settleHold({ ...held, usual }, confirmed, world.ports)).toBeUndefined();
    expect(await findOperation(world.database, world.client.id, first.operation.id)).toEqual(
      before,
    );
    expect((await paymentOf(paymentId)).status).toBe('authorized');
    expect(await eventsOf(paymentId)).toEqual(['payment.authorized']);
    await recoverOperations();
    expect(await effectsOf(paymentId)).toEqual(['capture']);
  });
});

describe('capture against cancel', () => {
  it('between reading the payment and writing the operation: one of them, never both', async () => {
    const { paymentId } = await aHold(world);
    // Another caller's request must not run inside the transaction during which it starts.
    const apart = AsyncLocalStorage.snapshot();
    let cancelling: Promise<unknown> | undefined;
    const cancelMeanwhile = async () => {
      let isOver = false;
      cancelling ??= apart(async () => {
        const answer = await moveHold(world, 'cancelPayment', { paymentId, key: newId() }).catch(
          (error: { code: string }) => error.code,
        );
        isOver = true;
        return answer;
      });
      await expect.poll(async () => isOver || (await countLockWaits()) > 0).toBe(true);
    };
    const database: Database = {
      ...stepByStep(),
      transaction: (client, work) =>
        world.database.transaction(client, (tx) =>
          work({
            query: async (query, values) => {
              const rows = await tx.query(query, values);
              if (query.name === 'payments.lock' && !cancelling) await cancelMeanwhile();
              return rows;
            },
          }),
        ),
    };
    const ports = { ...world.ports, database };
    const capturing = moveHold({ ...world, ports }, 'capturePayment', { paymentId, key: newId() });
    await Promise.allSettled([capturing]);
    const cancelled = await cancelling;
    await recoverOperations();
    expect(await effectsOf(paymentId)).toEqual(['capture']);
    expect(cancelled).toMatch(/^payment_(operation_in_progress|not_authorized)$/);
    expect(await eventsOf(paymentId)).toEqual(['payment.authorized', 'item.purchased']);
  });

  it('committed while the claim waited for the lock: 409, the first one stands', async () => {
    const { paymentId } = await aHold(world);
    await owner.query('begin');
    await owner.query('select from payments where id = $1 for update', [paymentId]);
    await owner.query(
      `insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
         lease_owner, lease_until, next_check_at, first_sent_at, canon_sha256, created_at)
       select $2, client_id, id, 'cancel', 'active', amount_minor, $2, svc_clock() + interval '1 h',
         svc_clock() + interval '1 h', svc_clock(), sha256(''), svc_clock()
       from payments where id = $1`,
      [paymentId, newId()],
    );
    const capturing = moveHold(world, 'capturePayment', { paymentId, key: newId() }).then(
      () => 'captured',
      (error: { code: string }) => error.code,
    );
    await expect.poll(countLockWaits).toBe(1);
    await owner.query('commit');
    expect(await capturing).toBe('payment_operation_in_progress');
    expect(await effectsOf(paymentId)).toEqual([]);
  });
});

/**
 * Moves the clock just past the hold's end as the service stores it, which comes before the
 * provider's. Returns a function that moves the clock back.
 */
async function endHold(paymentId: string): Promise<() => Promise<void>> {
  const { authorizationExpiresAt } = await paymentOf(paymentId);
  const { rows } = await owner.query<{ now: Date }>('select svc_clock() as now');
  const leftMs = (authorizationExpiresAt?.getTime() ?? 0) - (rows[0]?.now.getTime() ?? 0);
  await moveClock(world.database, leftMs + 1000);
  return () => moveClock(world.database, -leftMs - 1000);
}

describe('a hold that ends', () => {
  it('in doubt by then: the capture is not sent again, the provider is only read', async () => {
    const { paymentId } = await aHold(world);
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_request', { count: 2 });
    await expect(moveHold(world, 'capturePayment', { paymentId, key: newId() })).rejects.toEqual(
      code('gateway_outcome_unknown'),
    );
    const goBack = await endHold(paymentId);
    try {
      await recoverOperations();
      expect(await effectsOf(paymentId)).toEqual([]);
    } finally {
      await goBack();
    }
  });

  it.each(['at once', 'step by step'])(
    '409 authorization_expired while waiting for the lock, %s: no capture leaves us',
    async (way) => {
      const database = way === 'at once' ? world.database : stepByStep();
      const here = { ...world, ports: { ...world.ports, database } };
      const { paymentId } = await aHold(world);
      await owner.query('begin');
      await owner.query('select from payments where id = $1 for update', [paymentId]);
      const capturing = moveHold(here, 'capturePayment', { paymentId, key: newId() }).then(
        () => 'captured',
        (error: { code: string }) => error.code,
      );
      let goBack: (() => Promise<void>) | undefined;
      try {
        await expect.poll(countLockWaits).toBe(1);
        goBack = await endHold(paymentId);
      } finally {
        await owner.query('rollback');
      }
      expect(await capturing).toBe('authorization_expired');
      expect(await effectsOf(paymentId)).toEqual([]);
      await goBack?.();
    },
  );
});
