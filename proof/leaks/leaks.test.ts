// No card number, CVC, token or secret where it does not belong: values that exist nowhere else go
// through a real flow, and everything that was written or sent is searched for them. C1, C2, C3, N6.

import { testCluster } from '@svc/tools/test-database/index';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Canary } from './canaries.ts';
import { type Flow, runFlow } from './flow.ts';
import { dumpTables, findServerFiles } from './places.ts';
import { findShort, type Place, type Sighting, scanFor } from './scan.ts';

let flow: Flow;
let admin: pg.Client;
let scan: (place: Place) => Sighting[];

beforeAll(async () => {
  flow = await runFlow();
  const { ownerUrl } = flow.fixture.database;
  const database = new URL(ownerUrl.replace('@/', '@host/')).pathname.slice(1);
  admin = new pg.Client({ connectionString: (await testCluster()).url('postgres', database) });
  await admin.connect();
  scan = scanFor(flow.canaries);
});
afterAll(async () => {
  await admin?.end();
  await flow?.fixture.close();
});

/** The only channels on which a value may be sent. Contract §1, §3, §4. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'API token': ['client requests'],
  'session nonce': ['client requests', 'client answers'],
  'mount token': ['client answers'],
  'card token': ['client requests'],
  'provider secret key': ['provider requests'],
  'card number in a body': ['client requests'],
  // The database compares a search text, and nothing stores it.
  'card number in an address': ['client requests', 'database requests'],
};
const isLeak = ({ canary, place }: Sighting) => !(allowed[canary] ?? []).includes(place);
const describeFound = (found: readonly Sighting[]) => [
  ...new Set(found.map(({ canary, form, place }) => `${canary}, ${form}: ${place}`)),
];
const logs = (): Place[] => {
  const { service, vault } = flow.fixture.logs();
  return [
    { name: 'log of the service', bytes: Buffer.from(service) },
    { name: 'log of the vault', bytes: Buffer.from(vault) },
  ];
};

describe('a card number where none belongs', () => {
  it('is refused, but as something to search for', () => {
    const accepted = flow.mistakes.filter(({ status }) => status < 400);
    expect(accepted.map(({ call }) => call.replace(/=.*/, ''))).toEqual(['GET /v1/payments?email']);
    expect(flow.mistakes.filter(({ status }) => status >= 500)).toEqual([]);
  });
});

describe('at rest', () => {
  it('no table of either schema holds a card number, a token or a secret', async () => {
    const places = await dumpTables(admin);
    expect(places.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['table public.payments', 'table vault.card_tokens']),
    );
    expect(describeFound(places.flatMap(scan))).toEqual([]);
  });

  it('neither do the files of the server: write-ahead log and its own log', async (context) => {
    const files = await findServerFiles(admin);
    if (!files) {
      expect(process.env.DATABASE_URL, 'files of the embedded server').toBeTruthy();
      return context.skip('the server of DATABASE_URL keeps its files elsewhere');
    }
    const found: Sighting[] = [];
    let read = 0;
    for (const place of files.wal) {
      read += place.bytes.length;
      found.push(...scan(place));
    }
    if (files.log) found.push(...scan(files.log));
    expect(read).toBeGreaterThan(1_000_000);
    expect(describeFound(found)).toEqual([]);
  });

  it('neither do the logs, and nothing had to be cut out of them', () => {
    for (const { bytes } of logs()) expect(bytes.length).toBeGreaterThan(200);
    expect(describeFound(logs().flatMap(scan))).toEqual([]);
    for (const { bytes } of logs()) expect(bytes.toString()).not.toContain('[redacted]');
  });

  it('no CVC is kept or logged', async () => {
    expect(findShort(flow.cvcs, [...(await dumpTables(admin)), ...logs()])).toEqual([]);
  });
});

describe('on the way', () => {
  it('each value travels only where the protocol sends it', () => {
    const places = flow.recording.places();
    expect(places.map(({ name }) => name).sort()).toEqual(
      [
        ...['client', 'database', 'provider', 'vault'].flatMap((link) => [
          `${link} answers`,
          `${link} requests`,
        ]),
        'webhook requests',
      ].sort(),
    );
    const found = places.flatMap(scan);
    expect(describeFound(found.filter(isLeak))).toEqual([]);
    // Each value is found where it belongs, so the recording is complete.
    for (const [canary, ways] of Object.entries(allowed)) {
      for (const way of ways) {
        expect(describeFound(found.filter((one) => one.canary === canary)).join()).toContain(way);
      }
    }
  });

  it('no CVC passes the service', () => {
    expect(findShort(flow.cvcs, flow.recording.places())).toEqual([]);
  });

  it('no event that merchants get holds any of it', () => {
    const bodies = flow.fixture.received.map(({ body }) => body).join('\n');
    expect(flow.fixture.received.length).toBeGreaterThan(4);
    expect(describeFound(scan({ name: 'events', bytes: Buffer.from(bodies) }))).toEqual([]);
  });
});

describe('a card that was saved', () => {
  it('stands in the tables by its name at the provider, which no answer and no event tells', async () => {
    const { rows } = await admin.query<{ method: string; customer: string }>(
      `select provider_payment_method_id as method, provider_customer_id as customer
       from payment_methods where status = 'active'`,
    );
    expect(rows).toHaveLength(1);
    const names = rows.flatMap(({ method, customer }) => [method, customer]);
    const find = scanFor(names.map((value) => ({ name: 'name at the provider', value })));
    const places = flow.recording
      .places()
      .filter(({ name }) => name === 'client answers' || name === 'webhook requests');
    expect(places).toHaveLength(2);
    expect(describeFound(places.flatMap(find))).toEqual([]);
    expect(describeFound(logs().flatMap(find))).toEqual([]);
  });

  it('is listed with the specification’s nine fields and its gateway, and nothing more', () => {
    const { data } = JSON.parse(flow.shown) as { data: object[] };
    expect(data.map((one) => Object.keys(one).sort())).toEqual([
      [
        'brand',
        'createdAt',
        'expiryMonth',
        'expiryYear',
        'gateway',
        'id',
        'lastFour',
        'payerEmail',
        'status',
        'type',
      ],
    ]);
  });
});

describe('the search itself, on planted leaks', () => {
  const planted: Canary = { name: 'planted', value: '370000000000002' };
  const inPlanted = scanFor([planted]);

  it('finds one in a table, as text and as bytes', async () => {
    const base64 = Buffer.from(`x${planted.value}`).toString('base64');
    await admin.query('begin');
    try {
      await admin.query('set local session_replication_role = replica');
      await admin.query(`update payments set metadata = jsonb_build_object('note', $1::text)`, [
        base64,
      ]);
      await admin.query('update vault.card_tokens set fingerprint = $1', [
        Buffer.from(planted.value.padEnd(32, ' ')),
      ]);
      expect(describeFound((await dumpTables(admin)).flatMap(inPlanted))).toEqual([
        'planted, base64: table public.payments',
        'planted, hex: table vault.card_tokens',
        'planted, plain: table vault.card_tokens',
      ]);
    } finally {
      await admin.query('rollback');
    }
  });

  it('finds one in the write-ahead log, also after its row is gone', async (context) => {
    await admin.query('create table planted_leak (note text)');
    await admin.query('insert into planted_leak values ($1)', [planted.value]);
    await admin.query('drop table planted_leak');
    const files = await findServerFiles(admin);
    if (!files) return context.skip('the server of DATABASE_URL keeps its files elsewhere');
    expect(describeFound([...files.wal].flatMap(inPlanted)).join()).toContain(
      'planted, plain: WAL',
    );
  });

  it('finds one in what the service sends and logs', () => {
    const entry = `{"level":"info","card":"3700 000000 00002"}\n`;
    const log = {
      name: 'log',
      bytes: Buffer.concat([...logs().map(({ bytes }) => bytes), Buffer.from(entry)]),
    };
    expect(describeFound(inPlanted(log))).toEqual(['planted, spaced: log']);
    flow.recording.record('provider', 'requests', Buffer.from('number=37000000'), 9_999);
    flow.recording.record('provider', 'requests', Buffer.from('0000002&cvc=1'), 9_999);
    expect(describeFound(flow.recording.places().flatMap(inPlanted))).toEqual([
      'planted, plain: provider requests',
    ]);
  });
});
