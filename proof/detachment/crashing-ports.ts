// The ports of one process that may die at every step, on a database whose connections may be lost
// around a commit. Fault points F1 to F4, F15 to F17 of reliability §2.1.

import type { Ports } from '../../service/src/engine/ports.ts';
import type { Database, Tx } from '../../service/src/storage/database/database.ts';
import { lostConnection } from '../kit/lost-connection.ts';
import type { Random } from '../kit/random.ts';
import type { TroubledProvider } from './provider.ts';
import type { Rates } from './rates.ts';

/** Thrown when the process dies: there is no response and no cleanup. */
export class ProcessDied extends Error {
  constructor() {
    super('the process died');
    this.name = 'Died';
  }
}

export type PortTroubles = {
  readonly random: Random;
  readonly rates: Rates;
  readonly count: (what: string) => void;
  /** The number of tokens in the vault, by the provider's method. */
  readonly vault: Map<string, number>;
  readonly provider: TroubledProvider;
};

export function crashingPorts(ports: Ports, trouble: PortTroubles): Ports {
  const { random, rates, count, provider, vault } = trouble;
  const maybeDie = (where: string, weight: number) => {
    if (!random.chance(Math.min(1, rates.crash * weight))) return;
    count(`died ${where}`);
    throw new ProcessDied();
  };
  const withTrouble = async <T>(name: string, work: () => Promise<T>, weight = 1): Promise<T> => {
    maybeDie(`before ${name}`, weight);
    const result = await work();
    maybeDie(`after ${name}`, weight);
    return result;
  };
  // A detachment reads and writes often, but changes something outside only three times: faults at
  // those are more likely.
  const changeWithTrouble = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    withTrouble(name, work, 5);
  const { keeper } = provider;
  return {
    ...ports,
    database: troubledDatabase(ports.database, { ...trouble, around: withTrouble }),
    methodKeeper: (gateway) => ({
      ...ports.methodKeeper(gateway),
      retrieveCustomer: (id) => withTrouble('a read', () => keeper.retrieveCustomer(id)),
      retrieveMethod: (id) => withTrouble('a read', () => keeper.retrieveMethod(id)),
      setDefaultMethod: (call) =>
        changeWithTrouble('setDefaultMethod', () => keeper.setDefaultMethod(call)),
      detachMethod: (call) => changeWithTrouble('detachMethod', () => keeper.detachMethod(call)),
    }),
    vault: {
      ...ports.vault,
      forget: ({ providerPaymentMethodId }) =>
        changeWithTrouble('forget', async () => {
          const isLost = random.chance(rates.vault);
          const isDone = !isLost || random.chance(0.5);
          if (isDone) vault.delete(providerPaymentMethodId);
          if (!isLost) return { kind: 'confirmed' };
          count(`forget: lost ${isDone ? 'after' : 'before'}`);
          return { kind: 'in_doubt', cause: 'vault_unreachable' };
        }),
    },
  };
}

function troubledDatabase(
  database: Database,
  {
    random,
    rates,
    count,
    around,
  }: PortTroubles & { readonly around: <T>(name: string, work: () => Promise<T>) => Promise<T> },
): Database {
  return {
    ...database,
    transaction: (client, work) =>
      around('a transaction', async () => {
        const isLost = random.chance(rates.lostCommit);
        const isUndone = isLost && random.chance(0.5);
        const runUndoable = async (tx: Tx) => {
          const result = await work(tx);
          if (isUndone) {
            count('a commit was lost before');
            throw lostConnection();
          }
          return result;
        };
        const result = await database.transaction(client, runUndoable);
        if (isLost) {
          count('a commit was lost after');
          throw lostConnection();
        }
        return result;
      }),
  };
}
