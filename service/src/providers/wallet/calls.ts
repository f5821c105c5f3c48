// Calls to the wallet. None of them throws: every answer, and every missing answer, becomes an
// outcome. A call makes at most one resend with the same key and one reading; when the outcome is
// still open, it is in doubt, and the recovery worker continues.

import { openAccessTokens } from './access-tokens.ts';
import { authorize, prepareOrder } from './authorize.ts';
import { cancel } from './cancel.ts';
import { capture } from './capture.ts';
import { listNotices } from './list-notices.ts';
import { listMarked, retrieveMarked } from './marked-payments.ts';
import { walletKeeper } from './methods.ts';
import type { NoticeAccount } from './notices.ts';
import { createOrder, readWalletOrder, retrieve, updateOrder } from './orders.ts';
import type { WalletProvider } from './port.ts';
import { listRefunds, refund, retrieveRefund } from './refunds.ts';
import type { Transport } from './transport.ts';
import {
  createPaymentToken,
  createSetupToken,
  customerIdOf,
  deletePaymentToken,
  findPaymentToken,
  findSetupToken,
  listPaymentTokens,
} from './vault.ts';
import { emptyTrace, startCall, type WireSettings } from './wire.ts';

export type WalletAccount = NoticeAccount & {
  readonly clientId: string;
  readonly clientSecret: string;
};

export type WalletConnection = WireSettings & {
  readonly transport: Transport;
};

/** One client's account at the wallet. */
export function walletProvider(
  account: WalletAccount,
  { transport, ...settings }: WalletConnection,
): WalletProvider {
  const tokens = openAccessTokens(transport, account);
  const start = () => startCall({ transport, tokens }, settings);
  return {
    ...walletKeeper(start),
    authorize: (call) => authorize(start(), call),
    capture: (call) => capture(start(), call),
    cancel: (call) => cancel(start(), call),
    retrieve: (orderId) => retrieve(start(), orderId),
    // No page confirms an order by itself.
    countDeclines: async () => 0,
    refund: (call) => refund(start(), call),
    retrieveRefund: (refundId) => retrieveRefund(start(), refundId),
    listRefunds: (orderId) => listRefunds(start(), orderId),
    // This adapter does not implement the wallet's disputes: there are none to read.
    retrieveDispute: async () => ({ kind: 'missing', trace: emptyTrace }),
    listDisputes: async () => ({ kind: 'found', disputes: [], trace: emptyTrace }),
    retrieveSignal: async () => ({ kind: 'missing', trace: emptyTrace }),
    listNotices: (span) => listNotices(start(), account, span),
    retrieveMarked: (id) => retrieveMarked(start(), id),
    listMarked: (span) => listMarked(start(), account, span),
    prepareOrder: (call) => prepareOrder(start(), call),
    createOrder: (call) => createOrder(start(), call),
    readOrder: (orderId) => readWalletOrder(start(), orderId),
    updateOrder: (call) => updateOrder(start(), call),
    createSetupToken: (call) => createSetupToken(start(), call),
    readSetupToken: (id) => findSetupToken(start(), id),
    createPaymentToken: (call) => createPaymentToken(start(), call),
    readPaymentToken: (id) => findPaymentToken(start(), id),
    listPaymentTokens: (userId) => listPaymentTokens(start(), customerIdOf(userId)),
    deletePaymentToken: (id) => deletePaymentToken(start(), id),
  };
}
