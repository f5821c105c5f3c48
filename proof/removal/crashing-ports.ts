// The ports of one process that may die at every step, on a database whose connections may be lost
// around a commit. Fault points F1 to F4, F15 to F17 of reliability §2.1.

import type { Ports } from '../../service/src/engine/ports.ts';
import type { Database, Tx } from '../../service/src/storage/database/database.ts';
import { lostConnection } from '../kit/lost-connection.ts';
import type { Random } from '../kit/random.ts';
import type { TroubledProvider } from './provider.ts';
import type { Rates } from './rates.ts';

/** Thrown when the process dies: there is no response and no cleanup. */
export class Died extends Error {
  constructor() {
    super('the process died');
    this.name = 'Died';
  }
}

export type Trouble = {
  readonly random: Random;
  readonly rates: Rates;
  readonly count: (what: string) => void;
  /** The number of tokens in the vault, by the provider's method. */
  readonly vault: Map<string, number>;
  readonly provider: TroubledProvider;
};

export function crashingPorts(ports: Ports, trouble: Trouble): Ports {
  const { random, rates, count, provider, vault } = trouble;
  const mayDie = (where: string, weight: number) => {
    if (!random.chance(Math.min(1, rates.crash * weight))) return;
    count(`died ${where}`);
    throw new Died();
  };
  const around = async <T>(name: string, work: () => Promise<T>, weight = 1): Promise<T> => {
    mayDie(`before ${name}`, weight);
    const result = await work();
    mayDie(`after ${name}`, weight);
    return result;
  };
  // A removal reads and writes often, but changes something outside only three times: faults at
  // those are more likely.
  const change = <T>(name: string, work: () => Promise<T>): Promise<T> => around(name, work, 5);
  const { keeper } = provider;
  return {
    ...ports,
    database: troubledDatabase(ports.database, { ...trouble, around }),
    methodKeeper: (gateway) => ({
      ...ports.methodKeeper(gateway),
      retrieveCustomer: (id) => around('a read', () => keeper.retrieveCustomer(id)),
      retrieveMethod: (id) => around('a read', () => keeper.retrieveMethod(id)),
      setDefaultMethod: (call) => change('setDefaultMethod', () => keeper.setDefaultMethod(call)),
      detachMethod: (call) => change('detachMethod', () => keeper.detachMethod(call)),
    }),
    vault: {
      ...ports.vault,
      forget: ({ providerPaymentMethodId }) =>
        change('forget', async () => {
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
  }: Trouble & { readonly around: <T>(name: string, work: () => Promise<T>) => Promise<T> },
): Database {
  return {
    ...database,
    transaction: (client, work) =>
      around('a transaction', async () => {
        const isLost = random.chance(rates.lostCommit);
        const isUndone = isLost && random.chance(0.5);
        const tried = async (tx: Tx) => {
          const result = await work(tx);
          if (isUndone) {
            count('a commit was lost before');
            throw lostConnection();
          }
          return result;
        };
        const result = await database.transaction(client, tried);
        if (isLost) {
          count('a commit was lost after');
          throw lostConnection();
        }
        return result;
      }),
  };
}
