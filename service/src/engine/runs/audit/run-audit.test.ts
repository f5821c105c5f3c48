// The audit on a database that the service wrote, and on ones that somebody else changed.

import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../../test/harness.ts';
import {
  closeDays,
  everyState,
  type PlantStatement,
  plantInDatabase,
} from '../../../../test/payments/planted.ts';
import { startWorld, type World } from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { paymentRules, rules, runAudit, type Violation } from './run-audit.ts';

let world: World;
/** Nine purchases, two refunds, three chargebacks. */
const total = 14;
let made: Awaited<ReturnType<typeof everyState>>;
beforeAll(async () => {
  world = await startWorld();
  await plant((run) =>
    run(
      `insert into webhook_endpoints (id, client_id, url, secret_sealed, api_version, created_at,
         updated_at) values ($1, $2, 'http://127.0.0.1:9/', '', '2026-01-01', svc_clock(),
         svc_clock())`,
      [newId(), world.client.id],
    ),
  );
  await moveClock(world.database, 120_000);
  made = await everyState(world);
  await closeDays(world);
});
afterAll(() => world?.close());

async function audit(given: { spanSize?: number } = {}) {
  const violations: Violation[] = [];
  const result = await runAudit({
    url: world.url,
    ...given,
    onViolation: (violation) => void violations.push(violation),
  });
  return { ...result, found: violations.map(({ rule, subject }) => `${rule} ${subject}`).sort() };
}

const asleep = sql(
  'test_audit_asleep',
  "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
);
const plant = (work: (plant: PlantStatement) => Promise<void>) =>
  plantInDatabase(world.ownerUrl, work);

/** The rules that a test has seen reporting a violation. */
const tried = new Set<string>();

/**
 * Plants the change, runs the audit and restores the database, so that the next test starts without
 * violations.
 */
async function auditAfter(change: string, values: readonly unknown[] = []): Promise<string[]> {
  await plant((run) => run('create schema kept'));
  const tables = [
    'payments',
    'payment_history',
    'payment_operations',
    'events',
    'webhook_deliveries',
    'live_payments',
    'open_holds',
    'provider_inbox',
    'payment_days',
    'payment_day_sums',
    'unknown_money',
  ];
  await plant(async (run) => {
    for (const table of tables) {
      await run(`create table kept.${table} as table public.${table}`);
    }
    await run(change, values);
  });
  try {
    const { found: list, results } = await audit();
    for (const { rule, violations } of results) if (violations > 0) tried.add(rule);
    return list;
  } finally {
    await plant(async (run) => {
      for (const table of tables) {
        await run(`delete from public.${table}`);
        await run(`insert into public.${table} select * from kept.${table}`);
      }
      await run('drop schema kept cascade');
    });
  }
}

describe('audit of what the service wrote', () => {
  it('zero, with captures, cancels, refunds, disputes, expiries and declines; whatever the span', async () => {
    for (const spanSize of [1, 3, 2000]) {
      const { found: list, payments, violations, isComplete } = await audit({ spanSize });
      expect(list).toEqual([]);
      expect({ violations, isComplete }).toEqual({ violations: 0, isComplete: true });
      expect(payments).toBe(total);
    }
  });

  it('says how far it is, and every rule once', async () => {
    const seen: string[] = [];
    const { results } = await runAudit({
      url: world.url,
      spanSize: 4,
      onProgress: (done, total) => void seen.push(`${done}/${total}`),
    });
    expect(seen).toEqual(['0/14', '4/14', '8/14', '12/14', '14/14']);
    expect(new Set(results.map(({ rule }) => rule)).size).toBe(rules.length);
  });

  it('writes nothing: the connection is read-only', async () => {
    const { openSnapshot } = await import('../../../storage/database/audit.ts');
    const snapshot = await openSnapshot(world.url);
    const span = { after: newId(), until: newId() };
    const rows = snapshot.rows(
      `select set_config('svc.x', 'y', false) as subject, nextval('schema_migrations_id_seq')::text as found`,
      span,
    );
    await expect(rows.next()).rejects.toThrow(/read-only/);
    await snapshot.close();
  });

  it('broken off: incomplete, with what was seen until then', async () => {
    const stopping = new AbortController();
    const result = await runAudit({
      url: world.url,
      spanSize: 1,
      signal: stopping.signal,
      onProgress: (done) => {
        if (done === 3) stopping.abort();
      },
    });
    expect(result).toMatchObject({ isComplete: false, payments: 3 });
  });
});

describe('a snapshot', () => {
  it('broken off in a long statement: cancelled at the server, at once', async () => {
    const { openSnapshot } = await import('../../../storage/database/audit.ts');
    const stopping = new AbortController();
    const snapshot = await openSnapshot(world.url, stopping.signal);
    const startedMs = performance.now();
    const rows = snapshot.rows(`select 'x' as subject, pg_sleep(15)::text as found`, {
      after: newId(),
      until: newId(),
    });
    const ended = expect(rows.next()).rejects.toMatchObject({ code: '57014' });
    await expect.poll(() => world.database.read(asleep, [])).toHaveLength(1);
    stopping.abort();
    await ended;
    expect(performance.now() - startedMs).toBeLessThan(scaled(5000));
    await snapshot.close();
  });
});

describe('audit finds exactly what was planted', () => {
  it('M4: a part of a hold captured', async () => {
    const list = await auditAfter(
      `with changed as (update payments set captured_minor = 990 where id = $1 returning id)
       update payment_history h set captured_minor = 990 from changed c
       where h.payment_id = c.id and h.status = 'succeeded'`,
      [made.captured],
    );
    expect(list).toEqual([`M4 ${made.captured}`]);
  });

  it('M7: a move that is not in the table', async () => {
    const list = await auditAfter(
      `update payment_history set status = 'failed' where payment_id = $1 and status = 'pending'`,
      [made.bought],
    );
    expect([...new Set(list)]).toEqual([`M7 ${made.bought}`]);
  });

  it('M7c: a payment changed without its history', async () => {
    const list = await auditAfter('update payments set version = version + 1 where id = $1', [
      made.captured,
    ]);
    expect(list).toEqual([`M7c ${made.captured}`]);
  });

  it('M8b: a hold that was captured and canceled', async () => {
    await plant((run) => run('drop index one_resolution'));
    const list = await auditAfter(
      `insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
         next_check_at, first_sent_at, canon_sha256, created_at, finished_at)
       select gen_random_uuid(), client_id, id, 'expire', 'succeeded', amount_minor,
         svc_clock(), svc_clock(), '', svc_clock(), svc_clock() from payments where id = $1`,
      [made.canceled],
    );
    expect(list).toEqual([`M8b ${made.canceled}`]);
  });

  it('M9: more refunded than captured, and not what the refunds add up to', async () => {
    const list = await auditAfter('update payments set refund_pending_minor = 5000 where id = $1', [
      made.partly,
    ]);
    expect(list).toEqual([`M9 ${made.partly}`, `M9b ${made.partly}`]);
  });

  it('M11: a second live payment of one session', async () => {
    const list = await auditAfter(
      `update payments p set session_id = o.session_id from payments o
       where o.id = $1 and p.id = $2`,
      [made.hold, made.bought],
    );
    expect(list.map((one) => one.split(' ')[0])).toEqual(['M11', 'M11b']);
  });

  it('M14: more of a dispute reinstated than was withdrawn', async () => {
    expect(
      await auditAfter(
        `update payments set amount_minor = -901 where parent_payment_id = $1 and amount_minor < 0`,
        [made.disputed],
      ),
    ).toEqual([`M14 ${made.disputed}`]);
  });

  it('E1, E1b and E2: the event of a capture lost', async () => {
    const list = await auditAfter(
      `delete from events where resource_id = $1 and type = 'item.purchased'`,
      [made.captured],
    );
    expect(list).toEqual(['E1', 'E1b', 'E2'].map((rule) => `${rule} ${made.captured}`));
  });

  it('E1b and E6: an event of another type than its change', async () => {
    const list = await auditAfter(
      `update events set type = 'payment.failed' where resource_id = $1
       and type = 'payment.authorization_voided'`,
      [made.canceled],
    );
    expect(list[0]).toBe(`E1b ${made.canceled}`);
    expect(list[1]).toMatch(/^E6 /);
    expect(list).toHaveLength(2);
  });

  it('E5 and E5b: a delivery that ended without attempts, and one that is not there', async () => {
    const ended = await auditAfter(
      `update webhook_deliveries set state = 'dead', attempts = 10, finished_at = svc_clock()
       where resource_id = $1 and sequence = 1`,
      [made.hold],
    );
    expect(ended).toEqual([expect.stringMatching(/^E5 /)]);
    const gone = await auditAfter('delete from webhook_deliveries where resource_id = $1', [
      made.hold,
    ]);
    expect(gone).toEqual([expect.stringMatching(/^E5b /)]);
  });

  it('I1: one key, two operations', async () => {
    await plant((run) => run('drop index one_operation_per_key'));
    const list = await auditAfter(
      `update payment_operations set idempotency_key = 'twice' where kind in ('capture', 'refund')
       and payment_id in ($1, $2, $3)`,
      [made.captured, made.refund, made.part],
    );
    expect(list).toEqual([expect.stringMatching(/^I1 /)]);
  });

  it('I3: an operation that another client owns', async () => {
    const list = await auditAfter(
      'update payment_operations set client_id = $2 where payment_id = $1',
      [made.hold, newId()],
    );
    expect(list).toEqual([`I3 ${made.hold}`]);
  });

  it('L1: a day that counts one too many, and a payment that was written past it', async () => {
    const counted = await auditAfter('update payment_days set payments = payments + 1');
    expect(counted).toEqual([`L1 ${world.client.id}`]);
    const moved = await auditAfter(
      `update payments set created_at = created_at - interval '30 days' where id = $1`,
      [made.hold],
    );
    expect(moved).toContain(`L1 ${world.client.id}`);
  });

  it('L3: a day that counts and adds up otherwise than the copies of its payments', async () => {
    const list = await auditAfter(
      `insert into payment_day_sums values ($1, '2026-01-02', 'EUR', 'purchase', 'succeeded', '', 1, 100, 100, 0, 0, 3, 0)`,
      [world.client.id],
    );
    expect(list).toEqual([`L3 ${world.client.id}`]);
  });

  it('L2: a payment that its copy, said to be complete, does not have', async () => {
    const list = await auditAfter(
      'update payment_index_state set is_complete = true, watermark = 9000000000000000000',
    );
    expect(list).toContain(`L2 ${made.hold}`);
    expect(list.filter((each) => !/^L[25] /.test(each))).toEqual([]);
    const again = 'update payment_index_state set is_complete = false, watermark = 1';
    expect(await auditAfter(again)).toEqual([]);
  });

  it('R1, R1c and R1e: work left lying', async () => {
    const lying = await auditAfter(
      `update payment_operations set state = 'in_doubt', lease_until = null,
         next_check_at = svc_clock() - interval '2 minutes' where payment_id = $1`,
      [made.hold],
    );
    expect(lying).toEqual([expect.stringMatching(/^R1 /)]);
    const undecided = await auditAfter(
      `with moved as (update payments set status = 'unknown', version = version + 1 where id = $1
         returning *)
       insert into payment_history select id, version, status, null, captured_minor, refunded_minor,
         event_seq, updated_at from moved`,
      [made.hold],
    );
    expect(undecided).toEqual([`R1c ${made.hold}`]);
    const unwatched = await auditAfter('delete from open_holds where payment_id = $1', [made.hold]);
    expect(unwatched).toEqual([`R1e ${made.hold}`]);
  });
});

describe('audit finds each other rule broken', () => {
  const operation = `insert into payment_operations (id, client_id, payment_id, kind, state,
      amount_minor, next_check_at, lease_until, first_sent_at, canon_sha256, created_at)
    select gen_random_uuid(), client_id, id, 'capture', 'active', amount_minor, svc_clock(),
      svc_clock() + interval '1 hour', svc_clock(), '', svc_clock()
    from payments, generate_series(1, 2) where id = $1`;
  const broken: Record<string, { of: keyof typeof made; first?: string; change: string }> = {
    M4b: {
      of: 'hold',
      change: 'update payment_operations set amount_minor = 1 where payment_id = $1',
    },
    M7b: {
      of: 'canceled',
      change: 'update payments set authorization_void_reason = null where id = $1',
    },
    M8: { of: 'hold', first: 'drop index one_active', change: operation },
    M8c: {
      of: 'captured',
      change: `update payment_operations set kind = 'cancel' where payment_id = $1
        and kind = 'capture'`,
    },
    M9c: {
      of: 'refunded',
      change: `with moved as (update payments set status = 'partially_refunded' where id = $1)
        update payment_history set status = 'partially_refunded' where payment_id = $1
          and status = 'refunded'`,
    },
    M9d: { of: 'refund', change: `update payments set currency = 'USD' where id = $1` },
    M16: { of: 'hold', change: 'update payments set financial_effective_at = now() where id = $1' },
    I1b: {
      of: 'captured',
      change: `update payment_operations set response_status = 409 where payment_id = $1
        and kind = 'capture'`,
    },
    W6: {
      of: 'hold',
      change: `insert into provider_inbox (gateway_id, notice_id, type, provider_created_at,
          payload_sha256, payload, received_at, next_try_at)
        select gateway_id, 'evt_old', 'x', now(), '', '{}', now() - interval '30 hours', now()
        from payments where id = $1`,
    },
    R1b: {
      of: 'hold',
      change: `update payment_operations set state = 'manual' where payment_id = $1`,
    },
    R1d: {
      of: 'hold',
      change: `update payments set authorization_expires_at = svc_clock() - interval '2 hours'
        where id = $1`,
    },
  };

  it.each(Object.keys(broken))('%s', async (rule) => {
    const { of, first, change } = broken[rule]!;
    if (first) await plant((run) => run(first));
    const list = await auditAfter(change, [made[of]]);
    expect(list).toEqual([expect.stringMatching(new RegExp(`^${rule} `))]);
  });

  it('U1: money at the provider that no payment knows', async () => {
    const list = await auditAfter(
      `insert into unknown_money (id, client_id, gateway_id, provider_intent_id, payment_id, state,
         amount_minor, refunded_minor, currency, is_disputed, status, found_at, read_at)
       select $1, client_id, gateway_id, 'pi_' || status, $1, 'captured', 1490, 0, 'EUR', false,
         'open', svc_clock(), svc_clock() from payments where id = $2`,
      [newId(), made.hold],
    );
    expect(list).toEqual(['U1 pi_authorized']);
  });

  it('leaves no rule untried', async () => {
    expect(paymentRules.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });
});
