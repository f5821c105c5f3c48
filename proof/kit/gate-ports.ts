// The product's own ports with a gate before each call. A transaction runs as a whole, because each
// begins by locking its session or its card: anything else inside one would wait for that lock anyway.

import type { MethodKeeper, Ports, Provider, Vault } from '../../service/src/engine/ports.ts';
import type { Database } from '../../service/src/storage/database/database.ts';
import { runOutside, type Scheduler } from './scheduler.ts';

const providerCalls = ['authorize', 'cancel', 'retrieve'] as const satisfies (keyof Provider)[];
const keeperCalls = [
  ...(['setUp', 'retrieveSetup', 'retrieveCustomer', 'retrieveMethod'] as const),
  ...(['setDefaultMethod', 'detachMethod'] as const),
] satisfies (keyof MethodKeeper)[];

export function gatePorts(ports: Ports, scheduler: Scheduler): Ports {
  const { database, sealed, vault } = ports;
  return {
    ...gateCalls(ports, ['prepareOrder'], scheduler),
    database: gateDatabase(database, scheduler),
    provider: (gateway) => gateCalls(ports.provider(gateway), providerCalls, scheduler),
    methodKeeper: (gateway) => gateCalls(ports.methodKeeper(gateway), keeperCalls, scheduler),
    sealed: {
      seal: (...given) => runOutside(() => sealed.seal(...given)),
      open: (...given) => runOutside(() => sealed.open(...given)),
      rewrap: (unreadable) => sealed.rewrap(unreadable),
    },
    vault: gateVault(vault, scheduler),
  };
}

export const gateVault = (vault: Vault, scheduler: Scheduler): Vault => ({
  ...vault,
  redeem: async (call) => {
    await scheduler.gate('redeem');
    return runOutside(() => vault.redeem(call));
  },
  forget: async (call) => {
    await scheduler.gate('forget');
    return runOutside(() => vault.forget(call));
  },
});

const gateDatabase = (database: Database, scheduler: Scheduler): Database => ({
  ...database,
  transaction: async (client, work) => {
    await scheduler.gate('transaction');
    return runOutside(() => database.transaction(client, work));
  },
  read: async (query, values) => {
    await scheduler.gate(`read ${query.name}`);
    return runOutside(() => database.read(query, values));
  },
  write: async (query, values) => {
    await scheduler.gate(`write ${query.name}`);
    return runOutside(() => database.write(query, values));
  },
});

/** Adds a gate before each request is sent, and one before its response is received. */
function gateCalls<Part extends object>(
  part: Part,
  names: readonly (keyof Part & string)[],
  scheduler: Scheduler,
): Part {
  const gated = names.map((name) => {
    const call = part[name] as (...given: unknown[]) => Promise<unknown>;
    const callAtGates = async (...given: unknown[]) => {
      await scheduler.gate(`ask ${name}`);
      const answer = await runOutside(() => call(...given));
      await scheduler.gate(`hear ${name}`);
      return answer;
    };
    return [name, callAtGates];
  });
  return { ...part, ...Object.fromEntries(gated) };
}
