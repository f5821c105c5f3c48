// Operations, their leases and keys. Reliability §4.1 to §4.4: R2, M5, I1 to I3.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  askerOf,
  aToken,
  freshDatabase,
  moveClock,
  newId,
  type TestClient,
  type TestDatabase,
  type TestGateway,
  type TestToken,
} from '../../../test/harness.ts';
import { untilBlocked } from '../../../test/held-row.ts';
import { aClaimRequest, aStoredHold } from '../../../test/payments/claim-requests.ts';
import type { Operation } from '../../domain/payments/operation.ts';
import { readClock } from '../database/clock.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { claimOperation } from './claim-operation.ts';
import type { ClaimRequest } from './claim-request.ts';
import {
  claimDueOperations,
  findCandidates,
  findOpenOperation,
  findOperation,
  finishOperation,
  holdOperation,
  hurryOperation,
  insertOperation,
  isOperationRunning,
  lockOperation,
  type NewOperation,
} from './payment-operations.ts';

let db: TestDatabase;
let client: TestClient;
let token: TestToken;
let gateway: TestGateway;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  token = await aToken(db.database, client);
  gateway = await aGateway(db.database, client);
});
afterAll(() => db?.close());

const aHeld = (endsInMs?: number): Promise<string> =>
  aStoredHold(db.database, client, { gateway, endsInMs });
const request = (paymentId: string, given: Partial<ClaimRequest> = {}): ClaimRequest =>
  aClaimRequest({ clientId: client.id, paymentId, asker: askerOf(token), ...given });
const insert = (paymentId: string, given: Partial<NewOperation> = {}) =>
  db.database.transaction(client.id, async (tx) => {
    const now = await readClock(tx);
    return insertOperation(tx, {
      id: newId(),
      clientId: client.id,
      paymentId,
      kind: 'capture',
      amountMinor: 1990,
      leaseOwner: newId(),
      leaseUntil: new Date(now.getTime() + 30_000),
      now,
      idempotencyKey: newId(),
      rawSha256: Buffer.alloc(32, 1),
      canonSha256: Buffer.alloc(32, 2),
      cardTokenSha256: null,
      requestId: 'req_1',
      ...given,
    });
  });
const anOpen = async (given: Partial<NewOperation> = {}): Promise<Operation> => {
  const operation = await insert(await aHeld(), given);
  if (!operation) throw new Error('not inserted');
  return operation;
};
const holdAgain = async ({ id }: Operation) => {
  const found = await findOperation(db.database, client.id, id);
  if (!found) throw new Error('gone');
  return found;
};
const finishWith = (operation: Operation, given: Partial<Parameters<typeof finishOperation>[2]>) =>
  db.database.transaction(client.id, async (tx) => {
    const now = await readClock(tx);
    await finishOperation(tx, operation, {
      state: 'in_doubt',
      nextCheckAt: now,
      answer: null,
      challenge: null,
      outcome: 'in_doubt',
      httpStatus: null,
      providerCode: null,
      providerRequestId: null,
      startedAt: now,
      now,
      ...given,
    });
  });
const claimDue = (limit = 100) =>
  claimDueOperations(db.database, { limit, owner: newId(), ms: 30_000 });

const endedHold = sql<{ ended: boolean }>(
  'test_ended_hold',
  'select authorization_expires_at < svc_clock() as ended from payments where id = $1',
);

/** Whether the payment's hold has expired. */
async function hasEnded(tx: Tx, paymentId: string): Promise<boolean | undefined> {
  return (await tx.query(endedHold, [paymentId]))[0]?.ended;
}

describe('claimOperation', () => {
  it('a hold that ends while the claim waits for its lock is refused, however it was locked', async () => {
    const touch = sql('test_touch', 'update payments set updated_at = svc_clock() where id = $1');
    const look = sql('test_look', 'select 1 from payments where id = $1 for update');
    for (const held of [touch, look]) {
      for (const kind of ['capture', 'cancel'] as const) {
        const paymentId = await aHeld(120);
        let markTaken: () => void = () => undefined;
        const isTaken = new Promise<void>((resolve) => {
          markTaken = resolve;
        });
        const holder = db.database.transaction(client.id, async (tx) => {
          await tx.query(held, [paymentId]);
          markTaken();
          await untilBlocked(db.url);
          await expect.poll(() => hasEnded(tx, paymentId)).toBe(true);
        });
        await isTaken;
        const claim = await claimOperation(db.database, request(paymentId, { kind }));
        await holder;
        expect(claim).toEqual({ kind: 'refused', code: 'authorization_expired' });
        expect(await findOpenOperation(db.database, client.id, paymentId)).toBeUndefined();
      }
    }
  });

  it('20 claims with 20 keys at once: one holds the payment, the others are told', async () => {
    const paymentId = await aHeld();
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => claimOperation(db.database, request(paymentId))),
    );
    expect(claims.filter((claim) => claim.kind === 'claimed')).toHaveLength(1);
    expect(
      claims.filter(
        (claim) => claim.kind === 'refused' && claim.code === 'payment_operation_in_progress',
      ),
    ).toHaveLength(19);
  });

  it('one key for two payments at once: one of them has it', async () => {
    for (let round = 0; round < 5; round++) {
      const key = { idempotencyKey: newId() };
      const [one, other] = [await aHeld(), await aHeld()];
      const claims = await Promise.all(
        [one, other].map((paymentId) => claimOperation(db.database, request(paymentId, key))),
      );
      expect(claims.map((claim) => claim.kind).sort()).toEqual(['claimed', 'refused']);
      expect(claims).toContainEqual({ kind: 'refused', code: 'idempotency_key_reused' });
    }
  });

  it('the same request made again by itself takes up its own claim, under a new epoch', async () => {
    const mine = request(await aHeld());
    expect(await claimOperation(db.database, mine)).toMatchObject({
      kind: 'claimed',
      isFirstSend: true,
      operation: { epoch: 1, attempt: 1 },
    });
    expect(await claimOperation(db.database, mine)).toMatchObject({
      kind: 'claimed',
      isFirstSend: false,
      operation: { id: mine.operationId, epoch: 2, attempt: 1 },
    });
    const rival = { ...mine, operationId: newId(), leaseOwner: newId() };
    expect(await claimOperation(db.database, rival)).toEqual({
      kind: 'wait',
      operationId: mine.operationId,
    });
  });

  it('a foreign payment is not found, also with a key that its owner used', async () => {
    const paymentId = await aHeld();
    const mine = request(paymentId);
    await claimOperation(db.database, mine);
    const stranger = await aClient(db.database);
    const theirs = { ...mine, clientId: stranger.id, operationId: newId() };
    expect(await claimOperation(db.database, theirs)).toEqual({
      kind: 'refused',
      code: 'payment_not_found',
    });
  });
});

describe('findCandidates', () => {
  it('the key of this kind and client alone, and what is open on the payment', async () => {
    const key = newId();
    const operation = await anOpen({ idempotencyKey: key });
    const { paymentId } = operation;
    const findWith = (given: object) =>
      db.database.transaction(client.id, (tx) =>
        findCandidates(tx, { clientId: client.id, paymentId, kind: 'capture', key, ...given }),
      );
    const idsOf = async (given: object) => {
      const { sameKey, open } = await findWith(given);
      return [sameKey?.id, open?.id];
    };
    const { id } = operation;
    expect(await idsOf({})).toEqual([id, id]);
    expect(await idsOf({ key: newId() })).toEqual([undefined, id]);
    expect(await idsOf({ kind: 'cancel' })).toEqual([undefined, id]);
    expect(await idsOf({ paymentId: await aHeld() })).toEqual([id, undefined]);
    const stranger = await aClient(db.database);
    expect(await idsOf({ clientId: stranger.id })).toEqual([undefined, undefined]);
    await finishWith(operation, { state: 'failed' });
    expect(await idsOf({})).toEqual([id, undefined]);
  });

  it('reads the clock even where there is nothing else', async () => {
    const wanted = { clientId: client.id, paymentId: newId(), kind: 'capture', key: 'k' } as const;
    const { now } = await db.database.transaction(client.id, (tx) => findCandidates(tx, wanted));
    expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(5000);
  });
});

describe('insertOperation', () => {
  it('undefined beside an open one, and for a key that is taken', async () => {
    const open = await anOpen();
    expect(await insert(open.paymentId, { kind: 'cancel' })).toBeUndefined();
    const idempotencyKey = open.idempotencyKey ?? '';
    expect(await insert(await aHeld(), { idempotencyKey })).toBeUndefined();
    expect(await insert(await aHeld(), { idempotencyKey, kind: 'cancel' })).toBeDefined();
  });
});

describe('holdOperation', () => {
  it('raises the epoch always, the attempt only when told', async () => {
    const operation = await anOpen();
    const owner = newId();
    const until = new Date(Date.now() + 60_000);
    const hold = (attemptStep: 0 | 1) =>
      db.database.transaction(client.id, (tx) =>
        holdOperation(tx, operation, { owner, until, attemptStep }),
      );
    expect(await hold(0)).toMatchObject({ epoch: 2, attempt: 1, leaseOwner: owner });
    expect(await hold(1)).toMatchObject({ epoch: 3, attempt: 2, leaseUntil: until });
  });
});

describe('finishOperation', () => {
  const attempts = sql<{ epoch: number; outcome: string; provider_code: string | null }>(
    'test_operation_attempts',
    `select epoch, outcome, provider_code from operation_attempts where operation_id = $1
     order by epoch`,
  );

  it('gives the lease back, keeps the answer byte for byte, and records the attempt once', async () => {
    const operation = await anOpen();
    const body = '{"b":1, "a":"\\u00e9é"}';
    const end = {
      state: 'succeeded',
      answer: { status: 200, body },
      outcome: 'confirmed',
    } as const;
    await finishWith(operation, { ...end, providerCode: 'x' });
    expect(await holdAgain(operation)).toMatchObject({
      state: 'succeeded',
      leaseOwner: null,
      leaseUntil: null,
      responseStatus: 200,
      responseBody: body,
      checks: 1,
    });
    await finishWith(operation, { ...end, outcome: 'refused' });
    expect(await db.database.read(attempts, [operation.id])).toEqual([
      { epoch: 1, outcome: 'confirmed', provider_code: 'x' },
    ]);
    expect(await findOpenOperation(db.database, client.id, operation.paymentId)).toBeUndefined();
  });
});

describe('claimDueOperations', () => {
  it('takes what is due, once, under a new epoch; a live lease and an end are left alone', async () => {
    await claimDue();
    const leased = await anOpen();
    const doubtful = await anOpen();
    const over = await anOpen();
    const waiting = await anOpen();
    await finishWith(doubtful, {});
    await finishWith(over, { state: 'failed' });
    await finishWith(waiting, { state: 'awaiting_customer' });
    const claimed = await claimDue();
    expect(claimed.map(({ operation }) => operation.id).sort()).toEqual(
      [doubtful.id, waiting.id].sort(),
    );
    const states = claimed.map(({ operation }) => [operation.epoch, operation.state]);
    expect(states.sort()).toEqual([
      [2, 'awaiting_customer'],
      [2, 'in_doubt'],
    ]);
    expect(await claimDue()).toEqual([]);
    await moveClock(db.database, 31_000);
    const later = (await claimDue()).map(({ operation }) => operation.id);
    expect(later).toEqual(expect.arrayContaining([leased.id, doubtful.id, waiting.id]));
    expect(later).not.toContain(over.id);
  });

  it('what waits for a person is not taken up', async () => {
    const operation = await anOpen();
    await finishWith(operation, { state: 'manual' });
    expect((await claimDue()).map((one) => one.operation.id)).not.toContain(operation.id);
  });

  it('several workers never take one twice, and together take all', async () => {
    await claimDue();
    const all = await Promise.all(Array.from({ length: 10 }, () => anOpen()));
    for (const operation of all) await finishWith(operation, {});
    const makeDue = sql(
      'test_make_due',
      'update payment_operations set next_check_at = svc_clock() where id = any($1)',
    );
    for (let round = 0; round < 20; round++) {
      const claims = await Promise.all(Array.from({ length: 6 }, () => claimDue(10)));
      const ids = claims.flat().map(({ operation }) => operation.id);
      expect(new Set(ids).size, `round ${round}`).toBe(ids.length);
      ids.push(...(await claimDue()).map(({ operation }) => operation.id));
      expect(ids.sort()).toEqual(all.map(({ id }) => id).sort());
      await db.database.write(makeDue, [all.map(({ id }) => id)]);
    }
  });
});

describe('hurryOperation and isOperationRunning', () => {
  it('a look is brought forward unless somebody holds the operation', async () => {
    await claimDue();
    const held = await anOpen();
    const idle = await anOpen();
    await finishWith(idle, { nextCheckAt: new Date(Date.now() + 3_600_000) });
    expect(await isOperationRunning(db.database, client.id, held.id)).toBe(true);
    expect(await isOperationRunning(db.database, client.id, idle.id)).toBe(false);
    for (const operation of [held, idle]) await hurryOperation(db.database, operation);
    const ids = (await claimDue()).map(({ operation }) => operation.id);
    expect(ids).toContain(idle.id);
    expect(ids).not.toContain(held.id);
  });

  it('another client sees nothing of it', async () => {
    const operation = await anOpen();
    const stranger = await aClient(db.database);
    expect(await isOperationRunning(db.database, stranger.id, operation.id)).toBe(false);
    expect(await findOperation(db.database, stranger.id, operation.id)).toBeUndefined();
    const locked = db.database.transaction(client.id, (tx) =>
      lockOperation(tx, stranger.id, operation.id),
    );
    expect(await locked).toBeUndefined();
  });
});
