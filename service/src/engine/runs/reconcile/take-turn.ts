// The hourly run, made by one of the processes that share the database.

import { claimTurn, endTurn, keepTurn } from '../../../storage/payments/reconcile-turn.ts';
import type { Ports } from '../../ports.ts';

/** A process that has not renewed its turn for this long, in milliseconds, counts as dead. */
const turnMs = 120_000;
const againMs = 60_000;

/**
 * Runs unless another process is running, or has run within `everyMs`. A run that is aborted is
 * started again by the next process that asks.
 */
export async function runInTurn(
  { database, newId }: Pick<Ports, 'database' | 'newId'>,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
  run: () => Promise<void>,
): Promise<void> {
  const turn = { holder: newId(), ms: turnMs };
  if (!(await claimTurn(database, turn))) return;
  // If the claim cannot be renewed, another process starts too, which only repeats the readings:
  // settling is repeatable.
  const beat = setInterval(() => void keepTurn(database, turn).catch(() => undefined), turnMs / 4);
  // A run that throws is started again soon.
  let ms = againMs;
  try {
    await run();
    ms = everyMs;
  } finally {
    clearInterval(beat);
    await endTurn(database, { ...turn, ms: signal.aborted ? 0 : ms });
  }
}
