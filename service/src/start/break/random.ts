// Random numbers that are repeatable: the same seed gives the same ones. Never for a secret.

export type Random = {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns a whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
};

/** The generator mulberry32 with a 32-bit seed. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const nextNumber = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const wholeBetween = (low: number, high: number) =>
    low + Math.floor(nextNumber() * (high - low + 1));
  return {
    next: nextNumber,
    whole: wholeBetween,
    chance: (probability) => nextNumber() < probability,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error('nothing to pick from');
      return from[wholeBetween(0, from.length - 1)] as T;
    },
  };
}
