// The hourly run, by one process of all that share the database.

import { claimTurn, endTurn, keepTurn } from '../../../storage/payments/reconcile-turn.ts';
import type { Ports } from '../../ports.ts';

/** A holder that is not heard of for so long is dead. */
const holdMs = 120_000;
const againMs = 60_000;

/**
 * Runs unless somebody is at it, or was within `everyMs`. One that is broken off is begun anew by whoever
 * comes next.
 */
export async function takeTurn(
  { database, newId }: Pick<Ports, 'database' | 'newId'>,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
  run: () => Promise<void>,
): Promise<void> {
  const held = { holder: newId(), ms: holdMs };
  if (!(await claimTurn(database, held))) return;
  // Where it cannot be kept somebody else begins too: asked twice, done once.
  const beat = setInterval(() => void keepTurn(database, held).catch(() => undefined), holdMs / 4);
  // What threw is begun anew soon.
  let ms = againMs;
  try {
    await run();
    ms = everyMs;
  } finally {
    clearInterval(beat);
    await endTurn(database, { ...held, ms: signal.aborted ? 0 : ms });
  }
}
