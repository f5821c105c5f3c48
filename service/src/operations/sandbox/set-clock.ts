import { setClockShift } from '../../storage/clock.ts';
import type { Ports } from '../ports.ts';

/** Moves `svc_clock()` together with the sandbox's clock. Contract §13. Never in live mode. */
export async function setClock(
  shiftMs: number,
  ports: Pick<Ports, 'database'>,
): Promise<{ shiftMs: number; now: string }> {
  const now = await setClockShift(ports.database, shiftMs);
  return { shiftMs, now: now.toISOString() };
}
