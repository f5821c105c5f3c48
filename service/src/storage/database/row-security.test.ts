// Row-level security: inside a transaction of one client, statements without any condition find and
// write nothing of another client. The attacked merchant has payments in every state.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aCustomer, newId } from '../../../test/harness.ts';
import { aCouponSession, aStoredCoupon, payWithCoupons } from '../../../test/payments/coupons.ts';
import { closeDays, everyState } from '../../../test/payments/planted.ts';
import { aSession, startWorld, type World } from '../../../test/world.ts';
import { reserveWalletOrder } from '../checkout-sessions/wallet-orders.ts';
import { insertWebhookEndpoint } from '../webhooks/webhook-endpoints.ts';
import { type Database, everyClient } from './database.ts';
import { sql } from './sql.ts';

let world: World;
let stranger: string;
let service: pg.Client;
let owner: pg.Client;
beforeAll(async () => {
  world = await startWorld();
  const { database, client } = world;
  // Cancels the deliveries, because no worker runs here.
  await database.transaction(client.id, (tx) =>
    insertWebhookEndpoint(tx, {
      id: newId(),
      clientId: client.id,
      url: 'https://shop.example.test/hook',
      eventTypes: null,
      secretSealed: Buffer.from('never opened'),
      apiVersion: '2026-01-01',
    }),
  );
  await aCustomer(database, client);
  await everyState(world);
  await closeDays(world);
  const code = await aStoredCoupon(database, client);
  const gateway = { id: world.gatewayId, clientId: client.id };
  await payWithCoupons(database, await aCouponSession(database, gateway, [code]));
  const { sessionId: id } = await aSession(world);
  const ordered = { id, clientId: client.id, country: null, totalMinor: 1990, currency: 'EUR' };
  await reserveWalletOrder(database, ordered, { newId: newId(), gatewayId: world.gatewayId });
  stranger = (await aClient(database)).id;
  service = new pg.Client({ connectionString: world.url });
  owner = new pg.Client({ connectionString: world.ownerUrl });
  await Promise.all([service.connect(), owner.connect()]);
  await owner.query(
    `insert into webhook_attempts (event_id, endpoint_id, attempt, epoch, outcome, duration_ms,
       started_at)
     select event_id, endpoint_id, 1, 1, 'failed', 5, svc_clock() from webhook_deliveries limit 1`,
  );
});
afterAll(async () => {
  await Promise.all([service?.end(), owner?.end()]);
  await world?.close();
});

/**
 * Tables without a client: people may belong to several clients, the others to the installation.
 */
const shared = [
  'clock_shift',
  'installations',
  'operator_alerts',
  'operator_messages',
  'payment_index_state',
  'provider_holdups',
  'provider_pace',
  'retention',
  'schema_migrations',
  'shared_limits',
  'users',
];

async function listWalled(): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`,
  );
  return rows.map(({ name }) => name).filter((name) => !shared.includes(name));
}

/** Runs one statement as the service's role inside a transaction of the client. */
async function queryAsClient(
  client: string,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult> {
  await service.query(`begin; set local svc.client = '${client}'`);
  try {
    return await service.query(text, values);
  } finally {
    await service.query('rollback');
  }
}

describe('row-level security', () => {
  it('every table but those of nobody is behind the wall', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_policy p on p.polrelid = c.oid
       where c.relrowsecurity group by c.relname order by c.relname`,
    );
    expect(rows.map(({ name }) => name)).toEqual(await listWalled());
  });

  it("a stranger's transaction finds, changes, deletes and adds nothing, in any table", async () => {
    const open: string[] = [];
    const attacked: string[] = [];
    for (const table of await listWalled()) {
      // A client may see its own row.
      const others = table === 'clients' ? `where id <> '${stranger}'` : '';
      const [{ row, columns } = { row: null, columns: '' }] = (
        await owner.query(
          `select to_jsonb(t) as row, (select string_agg(quote_ident(attname), ', ' order by attnum)
             from pg_attribute where attrelid = '${table}'::regclass and attnum > 0
               and not attisdropped and attgenerated = '') as columns
           from ${table} t ${others} limit 1`,
        )
      ).rows;
      // The table is in the list above, so row-level security protects it.
      if (!row) continue;
      attacked.push(table);
      const first = columns.split(', ')[0];
      const seen = await queryAsClient(stranger, `select from ${table} ${others}`);
      if (seen.rowCount) open.push(`${table}: ${seen.rowCount} seen`);
      const changed = await queryAsClient(
        stranger,
        `update ${table} set ${first} = ${first} ${others}`,
      );
      if (changed.rowCount) open.push(`${table}: ${changed.rowCount} changed`);
      const deleted = await queryAsClient(stranger, `delete from ${table} ${others}`);
      if (deleted.rowCount) open.push(`${table}: ${deleted.rowCount} deleted`);
      const added = await queryAsClient(
        stranger,
        `insert into ${table} (${columns}) select ${columns}
         from jsonb_populate_record(null::${table}, $1)`,
        [row],
      ).catch((error: { code: string }) => error.code);
      if (added !== '42501') open.push(`${table}: added, ${JSON.stringify(added)}`);
      // For the merchant itself, the same statement finds the rows, so row-level security hid them.
      const own = await queryAsClient(world.client.id, `select from ${table}`);
      if (!own.rowCount) open.push(`${table}: hidden from its own client`);
    }
    expect(open).toEqual([]);
    expect(attacked.length).toBeGreaterThan(20);
  });

  it('a row cannot be moved over to another client', async () => {
    const moved = queryAsClient(world.client.id, 'update customers set client_id = $1', [stranger]);
    await expect(moved).rejects.toMatchObject({ code: '42501' });
  });

  it('a single statement, and a claim over all clients, sees every row', async () => {
    const single = await service.query('select from payments');
    const claimed = await world.database.transaction(everyClient, (tx) => tx.query(all, []));
    expect(single.rowCount).toBeGreaterThan(10);
    expect(claimed).toHaveLength(single.rowCount ?? 0);
  });
});

const all = sql<{ id: string }>('test_wall_all', 'select id from payments');

describe('Database.transaction', () => {
  const listSeen = (client: string) =>
    world.database.transaction(client, (tx) => tx.query(all, [])).then((rows) => rows.length);

  it('holds its client to its own rows, and no longer than it lasts', async () => {
    const count = (await world.database.read(all, [])).length;
    expect(await listSeen(world.client.id)).toBe(count);
    expect(await listSeen(stranger)).toBe(0);
    expect(await listSeen(world.client.id.toUpperCase())).toBe(count);
    expect(await world.database.write(all, [])).toHaveLength(count);
    const failed = world.database.transaction(stranger, async () => {
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await world.database.write(all, [])).toHaveLength(count);
  });

  it('without a client there is none, for the compiler and at run time', async () => {
    const { transaction } = world.database;
    // @ts-expect-error A transaction names its client.
    await expect(transaction(async () => 'ran')).rejects.toThrow(/names its client/);
    for (const client of ['', 'x', `${newId()}'; drop table payments; --`, '*']) {
      await expect(transaction(client, async () => 'ran')).rejects.toThrow(/names its client/);
    }
    const unnamed = transaction as (
      client: unknown,
      work: unknown,
    ) => ReturnType<Database['write']>;
    for (const client of [undefined, null, {}]) {
      await expect(unnamed(client, async () => 'ran')).rejects.toThrow(/names its client/);
    }
  });
});
