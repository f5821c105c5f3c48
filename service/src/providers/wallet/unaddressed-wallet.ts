// A wallet's gateway when no wallet address is configured: nothing is sent, so a new payment is
// plainly not available, and the outcome of an older one stays unknown.

import type { MethodKeeper, Outcome, Provider } from '../../engine/ports.ts';
import { inDoubtOutcome, refusedOutcome } from './orders.ts';
import { emptyTrace } from './wire.ts';

const unknown = inDoubtOutcome('no_wallet_address', emptyTrace);
const answerUnknown = async (): Promise<Outcome> => unknown;

export const unaddressedWallet: Provider = {
  // A key that was sent before may have taken effect.
  authorize: async ({ isFirstSend }) =>
    isFirstSend ? refusedOutcome('unavailable', emptyTrace) : unknown,
  capture: answerUnknown,
  cancel: answerUnknown,
  retrieve: async () => unknown,
  countDeclines: async () => null,
  refund: async () => unknown,
  retrieveRefund: async () => unknown,
  listRefunds: async () => unknown,
  retrieveDispute: async () => unknown,
  listDisputes: async () => unknown,
  retrieveSignal: async () => unknown,
  listNotices: async () => unknown,
  retrieveMarked: async () => unknown,
  listMarked: async () => unknown,
};

const refusal = { kind: 'refused', code: 'unavailable', trace: emptyTrace } as const;

/** Nothing is read or deleted: saved methods stay as they are. */
export const unaddressedKeeper: MethodKeeper = {
  createCustomer: async () => refusal,
  retrieveCustomer: async () => unknown,
  retrieveMethod: async () => unknown,
  setDefaultMethod: async () => refusal,
  detachMethod: async () => refusal,
  setUp: async () => ({ ...refusal, declineCode: null }),
  cancelSetup: async () => ({ ...refusal, declineCode: null }),
  retrieveSetup: async () => unknown,
  countSetupDeclines: async () => null,
  listMethods: async () => unknown,
};
