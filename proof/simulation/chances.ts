// The faults of one schedule and their probabilities: every rate is drawn from the seed, so that
// some schedules have much of one fault and none of another. Counts what happened.

import { drawByRate, type Random } from '../kit/random.ts';
import type { Count } from '../kit/run-seeds.ts';

export const statementFaults = ['backend terminated', 'deadlock', 'serialization failure'] as const;
export const commitFaults = [
  'commit answer lost',
  'commit lost',
  'commit late',
  'rollback late',
] as const;
export const requestFaults = [
  'never sent',
  'request lost',
  'answer lost',
  'executed late',
  'recorded 500',
  'recorded 500, executed',
  'unrecorded 503',
  'refused by the provider',
  'rate limited',
  'key in use',
  'wrong amount',
  'wrong id',
  'truncated answer',
  'HTML answer',
] as const;
export const readFaults = ['reading failed', 'stale reading'] as const;
const processFaults = ['crash', 'pause'] as const;

export type StatementFault = (typeof statementFaults)[number];
export type CommitFault = (typeof commitFaults)[number];
export type RequestFault = (typeof requestFaults)[number];
export type ReadFault = (typeof readFaults)[number];
type Fault =
  | StatementFault
  | CommitFault
  | RequestFault
  | ReadFault
  | (typeof processFaults)[number];

const isNew = /\/(payment_intents|refunds)$/;
/** The calls that a bank may decline. The sandbox would keep a decline for any other call. */
const isDeclinable = /\/(confirm|capture|refunds)$/;

/**
 * Faults that do not apply to a request: a wrong id in the response that creates something, which
 * nobody could recognise as wrong, and a decline of a call that no bank decides, which would affect
 * a later call.
 */
const isExempt = (path: string, fault: RequestFault): boolean =>
  (fault === 'wrong id' && isNew.test(path)) ||
  (fault === 'refused by the provider' && !isDeclinable.test(path));

/** The largest value of each rate. */
const limits: Readonly<Record<Fault, number>> = {
  'backend terminated': 0.02,
  deadlock: 0.01,
  'serialization failure': 0.01,
  'commit answer lost': 0.08,
  'commit lost': 0.06,
  'commit late': 0.05,
  'rollback late': 0.05,
  'never sent': 0.1,
  'request lost': 0.2,
  'answer lost': 0.25,
  'executed late': 0.45,
  'recorded 500': 0.15,
  'recorded 500, executed': 0.15,
  'unrecorded 503': 0.15,
  'refused by the provider': 0.15,
  'rate limited': 0.1,
  'key in use': 0.1,
  'wrong amount': 0.06,
  'wrong id': 0.05,
  'truncated answer': 0.06,
  'HTML answer': 0.05,
  'reading failed': 0.4,
  'stale reading': 0.3,
  crash: 0.04,
  pause: 0.05,
};

const faults = Object.keys(limits) as Fault[];
export const faultNames: readonly string[] = faults;

export class Chances {
  isSafe = false;
  readonly #rates: Readonly<Record<Fault, number>>;
  readonly #random: Random;
  readonly count: Count;

  constructor(random: Random, count: Count) {
    this.#random = random;
    this.count = count;
    this.#rates = drawRates(random);
  }

  ofStatement = (): StatementFault | undefined => this.#draw(statementFaults);
  ofCommit = (): CommitFault | undefined => this.#draw(commitFaults);
  /** Draws the fault of a request to this path; see `isExempt`. */
  ofRequest = (path: string): RequestFault | undefined => {
    const fault = this.#draw(requestFaults);
    return fault && isExempt(path, fault) ? undefined : fault;
  };
  ofRead = (): ReadFault | undefined => this.#draw(readFaults);
  ofProcess = (): (typeof processFaults)[number] | undefined => this.#draw(processFaults);

  #draw<F extends Fault>(from: readonly F[]): F | undefined {
    return this.isSafe ? undefined : drawByRate(this.#random, from, this.#rates);
  }
}

/** Faults that may happen every time without making the schedule useless. */
const mayBeCertain: readonly Fault[] = [
  'request lost',
  'answer lost',
  'executed late',
  'recorded 500',
  'unrecorded 503',
  'refused by the provider',
  'rate limited',
  'wrong amount',
  'truncated answer',
  'reading failed',
  'stale reading',
  'commit answer lost',
];

function drawRates(random: Random): Record<Fault, number> {
  // A third of the schedules have only a few faults.
  const share = random.pick([0.25, 0.6, 1]);
  const rates = {} as Record<Fault, number>;
  for (const fault of faults) {
    rates[fault] = random.chance(share) ? random.next() * limits[fault] : 0;
  }
  if (random.chance(0.2)) {
    const certain = random.pick(mayBeCertain);
    for (const fault of faults) if (fault !== 'crash' && fault !== 'pause') rates[fault] = 0;
    rates[certain] = 1;
  }
  // Only a read shows whether a request with a recorded error took effect: when reads lag behind,
  // no client of this provider could find out.
  if (rates['stale reading'] > 0) rates['recorded 500, executed'] = 0;
  return rates;
}
