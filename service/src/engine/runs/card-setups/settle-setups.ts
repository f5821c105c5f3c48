// Recovery of set-ups: drives every unfinished one on, through the same functions as the request.

import type { CardSetup } from '../../../domain/payments/card-setup.ts';
import { claimDueSetups, type DueSetup } from '../../../storage/payment-methods/card-setups.ts';
import type { Ports } from '../../ports.ts';
import { askForSetup } from '../../steps/card-setups/ask-for-setup.ts';
import { settleSetup } from '../../steps/card-setups/settle-setup.ts';

/**
 * Makes one pass over at most `limit` set-ups whose lease holder is gone, whose outcome is open, or whose
 * buyer's time is over. Returns how many it claimed. A set-up that throws stays leased and is tried
 * again later.
 */
export async function settleSetups(
  ports: Ports,
  options: { limit: number; onError: (setup: CardSetup, error: unknown) => void },
): Promise<number> {
  const { limit, onError } = options;
  const lease = { limit, owner: ports.newId(), ms: ports.settings.leaseMs };
  const due = await claimDueSetups(ports.database, lease);
  await Promise.all(
    due.map(async (one) => {
      try {
        await resumeSetup(one, ports);
      } catch (error) {
        onError(one.setup, error);
      }
    }),
  );
  return due.length;
}

/**
 * Asks the provider again with the same key, or only reads, and settles. Returns what `settleSetup`
 * returns.
 */
export async function resumeSetup(
  { setup, now }: DueSetup,
  ports: Ports,
): Promise<CardSetup | undefined> {
  return settleSetup(setup, await askForSetup({ setup, isFirstSend: false, now }, ports), ports);
}
