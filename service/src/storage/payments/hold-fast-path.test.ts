// The fast path of a capture, alone and in a batch: it writes the same rows, and nothing in unusual
// cases.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  askerOf,
  aToken,
  freshDatabase,
  newId,
  type TestClient,
  type TestDatabase,
  type TestGateway,
  type TestToken,
} from '../../../test/harness.ts';
import {
  aClaimRequest,
  aSettlement,
  aStoredHold,
  eventTextAt,
} from '../../../test/payments/claim-requests.ts';
import type { Database } from '../database/database.ts';
import type { ClaimRequest } from './claim-request.ts';
import { claimHoldFast, type FastHoldClaim, settleHoldFast } from './hold-fast-path.ts';
import type { FastHoldSettlement } from './hold-fast-path-sql.ts';

let db: TestDatabase;
let client: TestClient;
let token: TestToken;
let gateway: TestGateway;
let other: pg.Client;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  token = await aToken(db.database, client);
  gateway = await aGateway(db.database, client);
  other = new pg.Client({ connectionString: db.ownerUrl });
  await other.connect();
});
afterAll(async () => {
  await other?.end();
  await db?.close();
});

const aHeld = (endsInMs?: number): Promise<string> =>
  aStoredHold(db.database, client, { gateway, endsInMs });
const request = (paymentId: string, given: Partial<ClaimRequest> = {}): ClaimRequest =>
  aClaimRequest({ clientId: client.id, paymentId, asker: askerOf(token), ...given });

const ways = ['alone', 'in a batch'] as const;

/** Returns the database, and the names of the statements that were sent. */
function watchedDatabase(): { database: Database; sent: string[] } {
  const sent: string[] = [];
  const write: Database['write'] = (query, values) => {
    sent.push(query.name);
    return db.database.write(query, values);
  };
  return { database: { ...db.database, write }, sent };
}

/** Runs the call alone, or in a batch with `beside`, and checks that it did. */
async function run<T>(
  way: (typeof ways)[number],
  call: (database: Database) => Promise<T>,
  beside: (database: Database) => Promise<unknown>,
): Promise<T> {
  const { database, sent } = watchedDatabase();
  const [answer] = await Promise.all([call(database), way === 'alone' || beside(database)]);
  expect(sent[0]).toMatch(way === 'alone' ? /_at_once$/ : /_many_at_once$/);
  expect(sent).toHaveLength(1);
  return answer;
}

const claim = async (way: (typeof ways)[number], asked: ClaimRequest) => {
  const neighbour = request(await aHeld());
  let beside: FastHoldClaim | undefined;
  const claimed = await run(
    way,
    (database) => claimHoldFast(database, asked),
    async (database) => {
      beside = await claimHoldFast(database, neighbour);
    },
  );
  if (way === 'in a batch') expect(beside?.operation.id).toBe(neighbour.operationId);
  return claimed;
};

async function aClaimed(): Promise<FastHoldClaim> {
  const claimed = await claimHoldFast(db.database, request(await aHeld()));
  if (!claimed) throw new Error('not claimed');
  return claimed;
}

const settle = async (way: (typeof ways)[number], asked: FastHoldSettlement) => {
  const neighbour = aSettlement(await aClaimed());
  let beside: unknown;
  const written = await run(
    way,
    (database) => settleHoldFast(database, asked),
    async (database) => {
      beside = await settleHoldFast(database, neighbour);
    },
  );
  if (way === 'in a batch') expect(beside).toEqual({ deliveries: expect.any(Number) });
  return written;
};

/** Returns everything that is stored about a payment, without what differs between payments. */
async function stored(paymentId: string): Promise<string> {
  const { rows } = await other.query<{ all: string }>(
    `select jsonb_build_array(
       (select to_jsonb(p) from payments p where id = $1),
       (select jsonb_agg(o order by o.id) from payment_operations o where payment_id = $1),
       (select jsonb_agg(a) from operation_attempts a join payment_operations o
          on o.id = a.operation_id where o.payment_id = $1),
       (select jsonb_agg(h order by h.version) from payment_history h where payment_id = $1),
       (select jsonb_agg(e) from events e where resource_id = $1))::text as all`,
    [paymentId],
  );
  return (rows[0]?.all ?? '')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)/g, 'time')
    .replace(/(created\\": ?)\d+/g, '$1seconds')
    .replace(/"txid": \d+/g, '"txid": 1');
}

describe('claimHoldFast', () => {
  it.each(ways)(
    '%s: an undisturbed hold is claimed, and what is stored is what is told',
    async (way) => {
      const asked = request(await aHeld());
      const claimed = await claim(way, asked);
      expect(claimed).toMatchObject({
        payment: { id: asked.paymentId, status: 'authorized', amountMinor: 1990 },
        operation: { id: asked.operationId, idempotencyKey: asked.idempotencyKey, epoch: 1 },
        lines: [],
      });
      const { rows } = await other.query(
        `select state, lease_owner, lease_until, next_check_at, created_at, first_sent_at,
         raw_sha256, canon_sha256 from payment_operations where id = $1`,
        [asked.operationId],
      );
      const until = claimed?.operation.leaseUntil;
      expect(rows[0]).toMatchObject({
        state: 'active',
        lease_owner: asked.leaseOwner,
        raw_sha256: asked.rawSha256,
        canon_sha256: asked.canonSha256,
      });
      expect(rows[0].first_sent_at).toEqual(claimed?.now);
      expect(rows[0].lease_until).toEqual(until);
      expect(rows[0].next_check_at).toEqual(until);
    },
  );

  it('both ways leave the same rows', async () => {
    const asked = await Promise.all(ways.map(async () => request(await aHeld())));
    for (const [at, way] of ways.entries()) {
      await claim(way, { ...(asked[at] as ClaimRequest), idempotencyKey: `same-${at}` });
    }
    const [alone, batch] = await Promise.all(asked.map(({ paymentId }) => stored(paymentId)));
    expect(batch?.replace('same-1', 'same-0')).toBe(alone);
  });

  describe.each(ways)('%s: nothing is claimed, and neighbours are', (way) => {
    it('of a hold that has ended', async () => {
      expect(await claim(way, request(await aHeld(-1)))).toBeUndefined();
    });
    it('of another client’s payment', async () => {
      const stranger = await aToken(db.database, await aClient(db.database));
      const [{ clientId }, asker] = [stranger, askerOf(stranger)];
      const paymentId = await aHeld();
      // A person who may capture, but at another merchant.
      expect(await claim(way, request(paymentId, { clientId, asker }))).toBeUndefined();
      expect(await claim(way, request(paymentId, { clientId }))).toBeUndefined();
      expect(await claim(way, request(paymentId, { asker }))).toBeUndefined();
    });
    it('of a payment that an operation works on', async () => {
      const { payment } = await aClaimed();
      expect(await claim(way, request(payment.id, { kind: 'cancel' }))).toBeUndefined();
    });
    it('with a key that another payment had', async () => {
      const { operation } = await aClaimed();
      const key = { idempotencyKey: operation.idempotencyKey ?? '' };
      expect(await claim(way, request(await aHeld(), key))).toBeUndefined();
    });
    it('for a credential that was revoked, or is of somebody who may not capture', async () => {
      const revoked = await aToken(db.database, client, { revokedAt: new Date() });
      const expired = await aToken(db.database, client, { expiresAt: new Date(0) });
      const member = await aToken(db.database, client, { role: 'member' });
      for (const one of [revoked, expired, member]) {
        const asked = request(await aHeld(), { asker: askerOf(one) });
        expect(await claim(way, asked)).toBeUndefined();
      }
    });
    it('of a payment that is not there', async () => {
      expect(await claim(way, request(newId()))).toBeUndefined();
    });
  });

  it.each(ways)('%s: a locked payment is left out, and nobody waits for it', async (way) => {
    const paymentId = await aHeld();
    await other.query('begin');
    await other.query('select from payments where id = $1 for update', [paymentId]);
    try {
      expect(await claim(way, request(paymentId))).toBeUndefined();
    } finally {
      await other.query('rollback');
    }
  });

  it('one key for two payments at once: one of them', async () => {
    const key = { idempotencyKey: newId() };
    const asked = [request(await aHeld(), key), request(await aHeld(), key)];
    const claimed = await Promise.all(asked.map((one) => claimHoldFast(db.database, one)));
    expect(claimed.filter(Boolean)).toHaveLength(1);
  });
});

describe('settleHoldFast', () => {
  it('both ways leave the same rows, byte for byte', async () => {
    const claimed = [await aClaimed(), await aClaimed()];
    for (const [at, way] of ways.entries()) {
      const one = aSettlement(claimed[at] as FastHoldClaim);
      expect(await settle(way, one)).toEqual({ deliveries: 0 });
      const { rows } = await other.query(
        `select o.response_body, e.payload, e.created_at from payment_operations o
         join events e on e.resource_id = o.payment_id where o.id = $1`,
        [one.operation.id],
      );
      expect(rows).toHaveLength(1);
      expect(rows[0].response_body).toBe(one.body);
      expect(rows[0].payload).toBe(eventTextAt(rows[0].created_at));
    }
    const keys = claimed.map(({ operation }) => operation.idempotencyKey ?? '');
    const [alone, batch] = await Promise.all(
      claimed.map(async ({ payment }, at) =>
        (await stored(payment.id)).replace(keys[at] ?? '', 'k'),
      ),
    );
    expect(batch).toBe(alone);
    expect(alone).toContain('"version": 2');
  });

  it.each(ways)('%s: a delivery for each endpoint that is subscribed', async (way) => {
    const urls = [null, '{item.purchased}', '{payment.authorized}'];
    const ids = urls.map(() => newId());
    for (const [at, types] of urls.entries()) {
      await other.query(
        `insert into webhook_endpoints (id, client_id, url, event_types, secret_sealed, api_version,
           created_at, updated_at) values ($1, $2, 'https://a.test', $3, '\\x00', '1', now(), now())`,
        [ids[at], client.id, types],
      );
    }
    const one = aSettlement(await aClaimed());
    expect(await settle(way, one)).toEqual({ deliveries: 2 });
    const { rows } = await other.query(
      'select endpoint_id, sequence from webhook_deliveries where event_id = $1 order by 1',
      [one.event.id],
    );
    expect(rows).toEqual(
      ids.slice(0, 2).map((endpoint_id) => ({ endpoint_id, sequence: one.event.sequence })),
    );
    await other.query('update webhook_endpoints set is_enabled = false');
  });

  it.each(ways)('%s: an event takes its place and time when it is written', async (way) => {
    const one = aSettlement(await aClaimed());
    const createdAt = new Date('2026-01-01T00:00:00.000Z');
    const event = { ...one.event, createdAt, payload: eventTextAt(createdAt) };
    const before = await other.query('select svc_clock() as at');
    await settle(way, { ...one, event, next: { ...one.next, updatedAt: createdAt } });
    const { rows } = await other.query('select created_at, payload from events where id = $1', [
      one.event.id,
    ]);
    expect(rows[0].created_at.getTime()).toBeGreaterThanOrEqual(before.rows[0].at.getTime());
    expect(rows[0].payload).toBe(eventTextAt(rows[0].created_at));
  });

  describe.each(ways)('%s: nothing is written, and neighbours are', (way) => {
    const expectUntouched = async (claimed: FastHoldClaim, given: Partial<FastHoldSettlement>) => {
      const before = await stored(claimed.payment.id);
      expect(await settle(way, aSettlement(claimed, given))).toBeUndefined();
      expect(await stored(claimed.payment.id)).toBe(before);
    };
    it('for an operation that somebody took over', async () => {
      const claimed = await aClaimed();
      await other.query('update payment_operations set epoch = 2 where id = $1', [
        claimed.operation.id,
      ]);
      await expectUntouched(claimed, {});
    });
    it('for an operation that was settled', async () => {
      const claimed = await aClaimed();
      await other.query("update payment_operations set state = 'in_doubt' where id = $1", [
        claimed.operation.id,
      ]);
      await expectUntouched(claimed, {});
    });
    it('for a payment that changed since', async () => {
      const claimed = await aClaimed();
      await other.query('update payments set updated_at = svc_clock() where id = $1', [
        claimed.payment.id,
      ]);
      await expectUntouched(claimed, {});
    });
    it('for an operation of another payment', async () => {
      const claimed = await aClaimed();
      const { operation } = await aClaimed();
      await expectUntouched(claimed, { operation });
    });
  });

  it.each(ways)('%s: a locked payment is left out, and nobody waits for it', async (way) => {
    const claimed = await aClaimed();
    await other.query('begin');
    await other.query('select from payments where id = $1 for update', [claimed.payment.id]);
    try {
      expect(await settle(way, aSettlement(claimed))).toBeUndefined();
    } finally {
      await other.query('rollback');
    }
  });

  it('nothing is written where a settlement changes more than the end of a hold does', async () => {
    const one = aSettlement(await aClaimed());
    const { database, sent } = watchedDatabase();
    const more = { ...one.next, failureCode: 'capture_taken_back' };
    expect(await settleHoldFast(database, { ...one, next: more })).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('a row that the database refuses fails alone', async () => {
    const [bad, good] = [aSettlement(await aClaimed()), aSettlement(await aClaimed())];
    const wrong = { ...bad, next: { ...bad.next, capturedMinor: 1 } };
    const [refused, written] = await Promise.allSettled([
      settleHoldFast(db.database, wrong),
      settleHoldFast(db.database, good),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: '23514' } });
    // The failed batch may hold its lock for a moment longer; the capture then runs step by step.
    const isWritten = written.status === 'fulfilled' && written.value !== undefined;
    expect(written).toEqual({
      status: 'fulfilled',
      value: isWritten ? { deliveries: 0 } : undefined,
    });
    expect(await stored(good.payment.id)).toContain(isWritten ? 'succeeded' : 'authorized');
  });
});
