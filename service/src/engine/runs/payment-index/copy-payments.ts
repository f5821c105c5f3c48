import { everyClient } from '../../../storage/database/database.ts';
import {
  copyChanges,
  copyEarlier,
  lockPaymentIndex,
  restartPaymentIndex,
} from '../../../storage/payment-index/payment-index.ts';
import type { Ports } from '../../ports.ts';

/** `busy`: another process is at it. `idle`: nothing waits. `behind`: more changes do. `filling`: payments of before do. */
type Copied = 'busy' | 'idle' | 'behind' | 'filling';

/**
 * One pass: brings the copy of payments that lists look them up by on by some `step` of them. Any number of
 * processes may run it, one of them at a time does. What a killed one did not commit, the next pass does.
 */
export const copyPayments = (
  { database }: Pick<Ports, 'database'>,
  { step }: { readonly step: number },
): Promise<Copied> =>
  database.transaction(everyClient, async (tx) => {
    const state = await lockPaymentIndex(tx);
    if (!state) return 'busy';
    if (state.is_foreign) {
      await restartPaymentIndex(tx);
      return 'filling';
    }
    if (await copyChanges(tx, state.watermark, step)) return 'behind';
    if (state.is_complete) return 'idle';
    return (await copyEarlier(tx, step)) ? 'filling' : 'idle';
  });
