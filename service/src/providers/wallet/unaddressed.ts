// A wallet's gateway where no address of the wallet is set: nothing is sent, so a new payment is plainly
// not available, and what an older one came to stays unknown.

import type { Outcome, Provider } from '../../operations/ports.ts';
import { inDoubt, refused } from './orders.ts';
import { silent } from './wire.ts';

const unknown = inDoubt('no_wallet_address', silent);
const open = async (): Promise<Outcome> => unknown;

export const unaddressedWallet: Provider = {
  // A key that was sent before may have taken effect.
  authorize: async ({ isFirstSend }) => (isFirstSend ? refused('unavailable', silent) : unknown),
  capture: open,
  cancel: open,
  retrieve: async () => unknown,
  refund: async () => unknown,
  retrieveRefund: async () => unknown,
  listRefunds: async () => unknown,
  retrieveDispute: async () => unknown,
};
