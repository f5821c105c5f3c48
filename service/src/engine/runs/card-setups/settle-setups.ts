// Recovery: drives every unfinished set-up on, through the same functions as the request.

import type { CardSetup } from '../../../domain/payments/card-setup.ts';
import { claimDueSetups, type DueSetup } from '../../../storage/payment-methods/card-setups.ts';
import type { Ports } from '../../ports.ts';
import { askForSetup } from '../../steps/card-setups/ask-for-setup.ts';
import { settleSetup } from '../../steps/card-setups/settle-setup.ts';

/**
 * One pass over at most `limit` set-ups whose holder is gone, whose outcome is open or whose buyer was
 * given time. Returns how many it held. One that throws stays leased and comes up again.
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

/** Asks again with the same key, or only reads, and settles; as `settleSetup`. */
export async function resumeSetup(
  { setup, now }: DueSetup,
  ports: Ports,
): Promise<CardSetup | undefined> {
  return settleSetup(setup, await askForSetup({ setup, isFirstSend: false, now }, ports), ports);
}
