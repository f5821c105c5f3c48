// The virtual clock of a run and its history, which converts an instant of the receiver's log to
// the service's time.

import type pg from 'pg';

type Move = { readonly before: number; readonly after: number; readonly shiftMs: number };

export class ClockHistory {
  readonly #owner: pg.Pool;
  readonly #moves: Move[] = [];

  constructor(owner: pg.Pool) {
    this.#owner = owner;
  }

  /**
   * Moves the clock while no transaction that writes events is open: a reader of events relies on a
   * clock that does not move during an open transaction, as in live mode.
   */
  async move(ms: number): Promise<void> {
    const client = await this.#owner.connect();
    const before = Date.now();
    let isBroken = true;
    try {
      await client.query('begin');
      // Locked in the order in which workers write these tables.
      await client.query('lock table webhook_attempts in share mode');
      await client.query('lock table events in share mode');
      const { rows } = await client.query<{ ms: string }>(
        `update clock_shift set shift = shift + make_interval(secs => $1::float8 / 1000)
         returning extract(epoch from shift) * 1000 as ms`,
        [ms],
      );
      await client.query('commit');
      isBroken = false;
      this.#moves.push({ before, after: Date.now(), shiftMs: Number(rows[0]?.ms) });
    } finally {
      client.release(isBroken);
    }
  }

  /** Returns the latest time that the clock can have shown at that instant. */
  latest(at: number): number {
    return at + (this.#moves.findLast(({ before }) => before <= at)?.shiftMs ?? 0);
  }

  earliest(at: number): number {
    return at + (this.#moves.findLast(({ after }) => after <= at)?.shiftMs ?? 0);
  }

  /**
   * Returns the number of the span between two moves of the clock; a lease that a move ended
   * belongs to the span before it.
   */
  era(at: number): number {
    return this.#moves.findLastIndex(({ before }) => before <= at);
  }
}
