import { everyClient } from '../../../storage/database/database.ts';
import { sumClosing } from '../../../storage/payment-index/kept-sums.ts';
import {
  copyChanges,
  copyEarlier,
  lockPaymentIndex,
  restartPaymentIndex,
} from '../../../storage/payment-index/payment-index.ts';
import type { Ports } from '../../ports.ts';

/**
 * `busy`: another process is copying. `idle`: nothing is left to copy. `behind`: more changes are
 * left. `filling`: earlier payments are left.
 */
type CopyResult = 'busy' | 'idle' | 'behind' | 'filling';

/**
 * Makes one pass, which brings the copy of payments that lists search by about `step` payments
 * further. Any number of processes may run it; one of them works at a time. What a killed process
 * did not commit is done by the next pass.
 */
export const copyPayments = (
  { database }: Pick<Ports, 'database'>,
  { step }: { readonly step: number },
): Promise<CopyResult> =>
  database.transaction(everyClient, async (tx) => {
    const state = await lockPaymentIndex(tx);
    if (!state) return 'busy';
    if (state.is_foreign) {
      await restartPaymentIndex(tx);
      return 'filling';
    }
    if (await copyChanges(tx, state.watermark, step)) return 'behind';
    if (await sumClosing(tx, 5 * step)) return 'behind';
    if (state.is_complete) return 'idle';
    return (await copyEarlier(tx, step)) ? 'filling' : 'idle';
  });
