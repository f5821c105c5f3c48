// The order in which kept deliveries are sent, derived from a seed so that a test can repeat it.
import { createHash } from 'node:crypto';

export const releaseOrders = ['fifo', 'lifo', 'shuffle'] as const;

export type Arrangement = {
  order: (typeof releaseOrders)[number];
  /** How many deliveries are sent twice. */
  duplicates: number;
  seed: string;
};

/**
 * Either everything in some order, or the given events in exactly this order; a repeated event is sent
 * again.
 */
export type Release = Arrangement | { events: readonly string[] };

const drawNumber = (seed: string, turn: number): number =>
  createHash('sha256').update(`${seed}:${turn}`).digest().readUInt32BE();

/**
 * Returns the same order for the same seed. The duplicates of `fifo` and `lifo` come last, those of
 * `shuffle` anywhere.
 */
export const arrange = <T>(oldestFirst: readonly T[], wanted: Arrangement): T[] => {
  const ordered = wanted.order === 'lifo' ? [...oldestFirst].reverse() : [...oldestFirst];
  const count = ordered.length === 0 ? 0 : wanted.duplicates;
  const twice = Array.from(
    { length: count },
    (_, turn) => ordered[drawNumber(`${wanted.seed}:twice`, turn) % ordered.length] as T,
  );
  const whole = [...ordered, ...twice];
  if (wanted.order !== 'shuffle') return whole;
  return whole
    .map((one, turn) => ({ one, place: drawNumber(wanted.seed, turn) }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
};
