// What many schedules share: a database whose clock does not move by itself, a sandbox provider,
// connections.

import { type Mode, startSandbox } from '@svc/sandbox';
import pg from 'pg';
import { openTransport, type Transport } from '../../service/src/providers/card/transport.ts';
import { listInstallations } from '../../service/src/storage/gateways/gateways.ts';
import { freshDatabase, newId } from '../../service/test/harness.ts';
import { takeTimers } from '../kit/timers.ts';
import { Links } from './gated-database.ts';
import { virtualClock } from './virtual-time.ts';

export type Fixture = {
  readonly mode: Mode;
  readonly url: string;
  readonly monitor: pg.Client;
  readonly links: Links;
  readonly transport: Transport;
  readonly providerUrl: string;
  /** Returns a number that makes ids and names of a run unique when a seed is run twice. */
  nextRun(): number;
  close(): Promise<void>;
};

/**
 * Tables that record who held an operation and when, and who ended it, which the final state alone
 * does not show. Triggers write them, so that no code can forget to.
 */
const witnesses = `
  create table simulation_claims (
    operation_id uuid, kind text, epoch int, lease_owner uuid, at timestamptz,
    lease_until timestamptz, expires_at timestamptz, seq bigint generated always as identity);
  create table simulation_endings (
    operation_id uuid, epoch int, owner uuid, process text,
    seq bigint generated always as identity);
  grant select, insert on simulation_claims, simulation_endings to svc_service;
  create function simulation_see_claim() returns trigger language plpgsql as $$
  begin
    insert into simulation_claims select new.id, new.kind, new.epoch, new.lease_owner, svc_clock(),
      new.lease_until, (select authorization_expires_at from payments where id = new.payment_id);
    return null;
  end $$;
  create trigger simulation_claim after insert on payment_operations
    for each row execute function simulation_see_claim();
  create trigger simulation_take_over after update on payment_operations
    for each row when (new.lease_owner is distinct from old.lease_owner
      and new.lease_owner is not null)
    execute function simulation_see_claim();
  create function simulation_see_ending() returns trigger language plpgsql as $$
  begin
    insert into simulation_endings select old.id, old.epoch, old.lease_owner,
      current_setting('simulation.process', true);
    return null;
  end $$;
  create trigger simulation_ending after update on payment_operations
    for each row when (new.lease_owner is null and new.checks > old.checks)
    execute function simulation_see_ending();`;

export async function openFixture(mode: Mode): Promise<Fixture> {
  const database = await freshDatabase();
  // Adds the installation, as the first start of a service does: otherwise the first seed would take more steps.
  await listInstallations(database.database, newId);
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query(virtualClock);
  await owner.query(witnesses);
  await owner.end();
  const monitor = new pg.Client({
    connectionString: database.url,
    options: '-c synchronous_commit=off -c jit=off',
  });
  await monitor.connect();
  const sandbox = await startSandbox({ mode, limits: null, seed: 'simulation' });
  const transport = openTransport({ origin: sandbox.url, connections: 8, connectMs: 2000 });
  const links = new Links(database.url);
  const restoreTimers = takeTimers();
  let runs = 0;
  return {
    mode,
    url: database.url,
    monitor,
    links,
    transport,
    providerUrl: sandbox.url,
    nextRun: () => {
      runs += 1;
      return runs;
    },
    async close() {
      restoreTimers();
      await Promise.all([links.close(), monitor.end(), transport.close()]);
      await sandbox.close();
      await database.close();
    },
  };
}
