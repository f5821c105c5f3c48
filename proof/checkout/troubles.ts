// What goes wrong in one interleaving: calls of a provider whose request or answer is lost, and commits
// whose answer is. Drawn from the seed, in the order in which things happen.

import type { Outcome, Ports, Reading } from '../../service/src/operations/ports.ts';
import type { Random } from '../chaos/random.ts';

const noTrace = { httpStatus: null, providerCode: null, requestId: null };
const noAnswer = { kind: 'in_doubt', cause: 'no_answer', trace: noTrace } as const;

export type Troubles = {
  /** Of a call, at each of its ends. */
  readonly lossRate: number;
  /** Of a transaction. */
  readonly commitLossRate: number;
};

export function troubledPorts(
  ports: Ports,
  random: Random,
  given: Troubles & { readonly onTrouble: (what: string) => void },
): Ports {
  const { lossRate, commitLossRate, onTrouble } = given;
  const isStruck = (rate: number, what: string): boolean => {
    if (rate === 0 || !random.chance(rate)) return false;
    onTrouble(what);
    return true;
  };
  const lossy =
    <A extends unknown[], R extends Outcome | Reading>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R | typeof noAnswer> => {
      if (isStruck(lossRate, 'a request was lost')) return noAnswer;
      const answer = await call(...given);
      return isStruck(lossRate, 'an answer was lost') ? noAnswer : answer;
    };
  const { database } = ports;
  return {
    ...ports,
    database: {
      ...database,
      transaction: async (...given) => {
        const done = await database.transaction(...given);
        if (!isStruck(commitLossRate, 'a commit’s answer was lost')) return done;
        throw new Error('Connection terminated unexpectedly');
      },
    },
    provider: (gateway) => {
      const provider = ports.provider(gateway);
      return {
        ...provider,
        authorize: lossy(provider.authorize) as typeof provider.authorize,
        cancel: lossy(provider.cancel) as typeof provider.cancel,
        retrieve: lossy(provider.retrieve) as typeof provider.retrieve,
      };
    },
  };
}
