// svc doctor on real databases and the sandbox: one planted fault for each check of database, backups and
// gateways.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { aClub } from '../../../test/customers/subscriptions.ts';
import { type StartOptions, startPatient } from '../../../test/doctor-fixture.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { startWorld } from '../../../test/world.ts';
import type { Ports } from '../../engine/ports.ts';
import { openProviders } from '../../providers/registry.ts';

let patient: Awaited<ReturnType<typeof startPatient>>;
beforeAll(async () => {
  patient = await startPatient();
});
afterAll(() => patient?.close());

describe('database', () => {
  /** Runs the doctor while new connections to the database begin with this setting. */
  async function withDefault(name: string, value: string, given: StartOptions = {}) {
    const alter = (change: string) =>
      patient.asOwner(async (db) => {
        await db.query('set default_transaction_read_only = off');
        await db.query(`do $$ begin execute format('alter database %I ${change}',
          current_database()); end $$`);
      });
    await alter(`set ${name} = ${value}`);
    try {
      return await patient.onDatabase(patient.world.url, given);
    } finally {
      await alter(`reset ${name}`);
    }
  }

  it('the role owns the tables', async () => {
    const { code, wrongs } = await patient.onDatabase(patient.world.ownerUrl);
    expect(code).toBe(1);
    expect(wrongs).toContainEqual(expect.stringMatching(/^database role: \w+ owns the tables/));
  });

  it('a read-only server: gateways are left out, and the rest is told', async () => {
    const { wrongs, findings } = await withDefault('default_transaction_read_only', 'on');
    expect(wrongs).toEqual([
      'database writes: the server is read-only or a standby: nobody can pay',
    ]);
    expect(findings).toContainEqual(expect.objectContaining({ what: 'gateways', verdict: 'note' }));
  });

  // The server of the tests runs without fsync, for speed.
  it('a crash would lose payments: a note in a sandbox, else wrong', async () => {
    const said = expect.stringMatching(/^fsync is off.*: a crash loses payments/);
    const inSandbox = await patient.examine();
    expect(inSandbox.findings).toContainEqual(
      expect.objectContaining({ what: 'database settings', verdict: 'note', said }),
    );
    const inTest = await patient.examine({ settings: { mode: 'test' } });
    expect(inTest.findings).toContainEqual(
      expect.objectContaining({ what: 'database settings', verdict: 'wrong', said }),
    );
  });

  it('a migration is missing', async () => {
    await patient.asOwner((db) =>
      db.query(`create table kept as select * from schema_migrations order by name desc limit 1`),
    );
    await patient.asOwner((db) =>
      db.query(`delete from schema_migrations where name in (select name from kept)`),
    );
    try {
      expect((await patient.examine()).wrongs).toEqual([
        'migrations: some are missing: the service is not ready without them',
      ]);
    } finally {
      await patient.asOwner((db) =>
        db.query(`insert into schema_migrations select * from kept; drop table kept`),
      );
    }
  });

  it('an endpoint has failed for an hour, and mails that are due or were tried wait as long', async () => {
    await patient.asOwner((db) =>
      db.query(`alter table webhook_endpoints no force row level security;
        alter table mails no force row level security;
        insert into webhook_endpoints (id, client_id, url, secret_sealed, api_version, failing_since,
          created_at, updated_at)
        select gen_random_uuid(), '${patient.world.client.id}', 'https://shop.example/', '', '2026-01-01',
          svc_clock() - since, svc_clock(), svc_clock()
        from unnest(array['2 hours', '50 minutes', null]::interval[]) as since;
        insert into mails (id, recipient, kind, body_sealed, state, attempts, next_attempt_at, created_at,
          finished_at)
        select gen_random_uuid(), 'a@b.example', 'invitation', case state when 'waiting' then ''::bytea end,
          state, attempts, svc_clock() + due, svc_clock() - interval '2 hours',
          case state when 'sent' then svc_clock() end
        from (values ('waiting', 0, interval '-2 hours'), ('waiting', 7, '5 minutes'),
          ('waiting', 0, '-50 minutes'), ('waiting', 0, '5 minutes'), ('sent', 1, '-2 hours'))
          as kept (state, attempts, due)`),
    );
    const webhooks =
      'webhooks: endpoints that have failed for an hour: 1. Their shops do not hear of payments';
    const mail = { check: () => Promise.resolve(null) } as unknown as Ports['mail'];
    try {
      expect((await patient.examine({ ports: { mail } })).wrongs).toEqual([
        webhooks,
        'mails: mails that could not be sent for an hour: 2. People wait for links and receipts',
      ]);
      // Without a mail server every mail waits: that is said of the server.
      const { wrongs, findings } = await patient.examine();
      expect(wrongs).toEqual([webhooks]);
      expect(findings.find(({ what }) => what === 'mail')?.said).toContain('no SMTP server is set');
    } finally {
      await patient.asOwner((db) => db.query('delete from mails; delete from webhook_endpoints'));
    }
  });
});

describe('workers', () => {
  it('work is due and nobody does it, and no comparison was made for hours', async () => {
    await patient.asOwner((db) =>
      db.query(`insert into provider_inbox (gateway_id, notice_id, type, provider_created_at,
          payload_sha256, payload, received_at, next_try_at)
        values ('${patient.world.gatewayId}', 'evt_late', 'charge.refunded', svc_clock(), '', '{}',
          svc_clock(), svc_clock() - interval '20 minutes');
        insert into reconcile_runs (id, began_at, ended_at, is_whole)
        values (gen_random_uuid(), svc_clock() - interval '5 hours', svc_clock() - interval '5 hours',
          true)`),
    );
    try {
      expect((await patient.examine()).wrongs).toEqual([
        'workers: due and not begun: notices of the provider for 20 min. Merchants and buyers wait for it',
        'hourly comparison: the last one with the provider ended 5 h ago: differences of money are not found',
      ]);
    } finally {
      await patient.asOwner((db) =>
        db.query('delete from provider_inbox; delete from reconcile_runs'),
      );
    }
  });

  it('one is due and not begun; while its card is being removed it waits for the detachment', async () => {
    const { id, methodId } = await aClub(patient.world);
    const change = (text: string) => patient.asOwner((db) => db.query(text));
    const due = (at: string) =>
      change(
        `update subscriptions set next_renewal_at = svc_clock() + interval '${at}' where id = '${id}'`,
      );
    await due('-20 minutes');
    expect((await patient.examine()).wrongs).toEqual([
      'workers: due and not begun: renewals of subscriptions for 20 min. Merchants and buyers wait for it',
    ]);
    await change(`insert into payment_method_detachments (payment_method_id, client_id, step, state,
        started_at, next_try_at)
      values ('${methodId}', '${patient.world.client.id}', 'claimed', 'running', svc_clock(),
        svc_clock() + interval '1 hour')`);
    try {
      expect((await patient.examine()).wrongs).toEqual([]);
    } finally {
      await due('30 days');
    }
  });
});

describe('disks', () => {
  it('a folder of the database is named: its disk is a line, and one that is not there is refused', async () => {
    const named = await patient.examine({ args: ['--disk', '/proc', '--disk', patient.folder] });
    const lines = named.findings.filter(({ what }) => what.startsWith('disk'));
    expect(lines.map(({ what }) => what)).toEqual(['disk of /proc', `disk of ${patient.folder}`]);
    const missing = await patient.examine({ args: ['--disk', '/nowhere'] });
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('cannot be read')]);
  });
});

describe('backups', () => {
  it('a folder without a file, with an old one, with a new one, and none', async () => {
    const backups = join(patient.folder, 'backups');
    mkdirSync(join(backups, 'daily'), { recursive: true });
    const args = ['--backups', backups];
    expect((await patient.examine({ args })).wrongs).toEqual([
      'backups: the folder has no file: after the loss of a disk nothing could be restored',
    ]);
    const file = join(backups, 'daily', 'one.dump');
    writeFileSync(file, '');
    utimesSync(file, new Date(), new Date(Date.now() - 30 * 3_600_000));
    expect((await patient.examine({ args })).wrongs).toEqual([
      'backups: the newest file is 30 h old: later payments would be lost with the disk',
    ]);
    utimesSync(file, new Date(), new Date(Date.now() - 3_600_000));
    expect((await patient.examine({ args })).wrongs).toEqual([]);
    const missing = await patient.examine({ args: ['--backups', join(patient.folder, 'none')] });
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('cannot be read')]);
  });
});

describe('gateways', () => {
  it('a key that the provider refuses', async () => {
    const keys = join(patient.folder, 'keys.json');
    writeFileSync(keys, JSON.stringify({ secretKey: 'sk_test_canary' }));
    const change = ['gateways', 'change', '--gateway', patient.world.gatewayId, '--keys', keys];
    expect((await runOn(patient.world.ports, [...change, '--unchecked'])).code).toBe(0);
    try {
      const { code, wrongs, out } = await patient.examine();
      expect(code).toBe(1);
      expect(wrongs).toEqual([
        expect.stringMatching(/^gateway \S+: account: the provider refuses the secret key/),
      ]);
      expect(out).not.toContain('canary');
    } finally {
      writeFileSync(keys, JSON.stringify({ secretKey: patient.world.account.secretKey }));
      expect((await runOn(patient.world.ports, change)).code).toBe(0);
    }
  });

  it('a key of another SVC_KEY cannot be opened', async () => {
    const other = await startWorld();
    try {
      const { wrongs } = await patient.examine({ ports: { sealed: other.ports.sealed } });
      expect(wrongs).toEqual([expect.stringMatching(/^keys: gateway /)]);
    } finally {
      await other.close();
    }
  });

  it('none in use', async () => {
    const change = ['gateways', 'change', '--gateway', patient.world.gatewayId, '--active'];
    await runOn(patient.world.ports, [...change, 'no']);
    try {
      expect((await patient.examine()).wrongs).toEqual([
        'gateways: no merchant has one in use: nobody can pay',
      ]);
    } finally {
      await runOn(patient.world.ports, [...change, 'yes']);
    }
  });

  it('a wallet: good, without its webhook, with a wrong secret, without an address', async () => {
    const { clientId, clientSecret, merchantId } = patient.world.account.wallet;
    const keys = join(patient.folder, 'wallet.json');
    const write = (secretKey: string, more = {}) =>
      writeFileSync(keys, JSON.stringify({ secretKey, ...more }));
    write(clientSecret);
    const made = await runOn(patient.world.ports, [
      ...['gateways', 'create', '--client', patient.world.client.id, '--provider', 'wallet'],
      ...['--account', merchantId, '--publishable-key', clientId, '--keys', keys],
    ]);
    const id = /^gateway {2}(\S+)$/m.exec(made.out)?.[1] ?? '';
    const change = async (...more: string[]) =>
      expect(
        (await runOn(patient.world.ports, ['gateways', 'change', '--gateway', id, ...more])).code,
      ).toBe(0);
    expect((await patient.examine()).wrongs).toEqual([
      `wallet ${id}: the id of its webhook is missing: its notices are refused, and results of payments come late`,
    ]);
    write(clientSecret, { noticeSecret: 'WH123' });
    await change('--keys', keys);
    expect((await patient.examine()).wrongs).toEqual([]);
    write('canary');
    await change('--keys', keys);
    const refused = await patient.examine();
    expect(refused.wrongs).toEqual([
      `wallet ${id}: the wallet lists no notices (401): payments by it fail too`,
    ]);
    expect(refused.out).not.toContain('canary');
    const providers = openProviders({ cardUrl: patient.world.sandbox.url });
    const addressless = await patient.examine({
      ports: { provider: providers.provider },
      settings: { mode: 'test' },
    });
    await providers.close();
    expect(addressless.wrongs).toContain(
      `wallet ${id}: SVC_WALLET_URL is not set: no wallet is offered`,
    );
    await change('--active', 'no');
  });
});

describe('a database that was copied', () => {
  it('is asked about, with the commands that answer, until one of them has', async () => {
    await plantInDatabase(patient.world.ownerUrl, (run) =>
      run(`update installations set database_identity = 'another server'`),
    );
    const said = 'installation: this database is a copy of the one of installation ';
    const { code, wrongs, findings } = await patient.examine();
    expect([code, wrongs]).toEqual([1, [expect.stringContaining(said)]]);
    expect(findings.find(({ what }) => what === 'installation')?.mend).toBe(
      'svc installation new if the other one goes on, svc installation keep if this one takes its place',
    );
    const { out } = await runOn(patient.world.ports, ['installation', 'keep']);
    expect(out).toMatch(/this one has taken its place\n.* this one\n$/);
    expect((await patient.examine()).wrongs).toEqual([]);
  });
});
