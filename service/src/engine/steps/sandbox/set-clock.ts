import { setClockShift } from '../../../storage/database/clock.ts';
import type { Ports } from '../../ports.ts';
import { refuseField } from '../../refuse-field.ts';

/** A transaction that holds the clock ends within its own time limits, so a few tries suffice. */
const tries = 4;

/**
 * Moves `svc_clock()` together with the sandbox's clock. Contract §13. Never in live mode, and
 * never back before an event that was written: refuses invalid_request.
 */
export async function setClock(
  shiftMs: number,
  { database }: Pick<Ports, 'database'>,
): Promise<{ shiftMs: number; now: string }> {
  for (let count = 1; ; count++) {
    try {
      const now = await setClockShift(database, shiftMs);
      if (!now) return refuseField('shiftMs', 'Events were written at a later time than this.');
      return { shiftMs, now: now.toISOString() };
    } catch (error) {
      if (count === tries || !isTemporary(error)) throw error;
    }
  }
}

/** Whether the clock's lock timed out or met a deadlock: nothing was moved. */
const isTemporary = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(String((error as { code?: unknown }).code));
