// The faults of one interleaving: provider calls whose request or response is lost, faults of the
// network and the provider below them, and commits whose response is lost. They are drawn from the
// seed, in the order in which calls happen.

import type { Outcome, Ports, Reading } from '../../service/src/engine/ports.ts';
import { lostConnection } from '../kit/lost-connection.ts';
import type { Random } from '../kit/random.ts';

const noTrace = { httpStatus: null, providerCode: null, requestId: null };
const noAnswer = { kind: 'in_doubt', cause: 'no_answer', trace: noTrace } as const;

/** Faults that the sandbox causes, so that the adapters get them; none of them takes real time. */
const wireFaults = [
  'drop_reply',
  'drop_request',
  'error_500',
  'error_503_unrecorded',
  'error_409',
  'error_429',
  'truncated',
  'wrong_amount',
  'stale_read',
] as const;

export type WireFault = (typeof wireFaults)[number];

export type Troubles = {
  /**
   * The probability that a provider call is lost, applied once to its request and once to its
   * response.
   */
  readonly lossRate: number;
  /** The probability that a provider call gets a fault on the wire. */
  readonly wireFaultRate: number;
  /** The probability that the response to a commit is lost. */
  readonly commitLossRate: number;
};

type TroubledPortsOptions = Troubles & {
  readonly onTrouble: (what: string) => void;
  /** Sets the fault for the next exchange with the sandbox; null removes one that is left. */
  readonly arm: (fault: WireFault | null) => Promise<unknown>;
};

export function unreliablePorts(ports: Ports, random: Random, given: TroubledPortsOptions): Ports {
  const { lossRate, wireFaultRate, commitLossRate, onTrouble, arm } = given;
  const isFaulty = (rate: number, what: string): boolean => {
    if (rate === 0 || !random.chance(rate)) return false;
    onTrouble(what);
    return true;
  };
  const lossy =
    <A extends unknown[], R extends Outcome | Reading>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R | typeof noAnswer> => {
      if (isFaulty(lossRate, 'a request was lost')) return noAnswer;
      const fault = random.chance(wireFaultRate) ? random.pick(wireFaults) : null;
      if (fault) await arm(fault);
      const answer = await call(...given).finally(() => fault && arm(null));
      if (fault) onTrouble(`on the wire: ${fault}`);
      return isFaulty(lossRate, 'an answer was lost') ? noAnswer : answer;
    };
  const { database } = ports;
  return {
    ...ports,
    database: {
      ...database,
      transaction: async (...given) => {
        const done = await database.transaction(...given);
        if (!isFaulty(commitLossRate, 'a commit’s answer was lost')) return done;
        throw lostConnection();
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
