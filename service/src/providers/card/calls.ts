// Calls to the card provider through its official SDK. None of them throws: every answer, and every
// missing answer, becomes an outcome. A call makes at most one resend with the same key and one
// reading; when the outcome is still open, it is in doubt, and the recovery worker continues.

import type Stripe from 'stripe';
import type { MethodKeeper, Provider } from '../../engine/ports.ts';
import { authorize } from './authorize.ts';
import {
  createCustomer,
  detachMethod,
  listMethods,
  retrieveCustomer,
  retrieveMethod,
  setDefaultMethod,
} from './customers.ts';
import { listDisputes, retrieveDispute } from './disputes.ts';
import { cancel, capture, countDeclines, retrieve } from './holds.ts';
import { listNotices } from './list-notices.ts';
import { listMarked, retrieveMarked } from './marked-payments.ts';
import { listRefunds, refund, retrieveRefund } from './refunds.ts';
import { cancelSetup, countSetupDeclines, retrieveSetup, setUp } from './setups.ts';
import { startCall, type WireSettings } from './wire.ts';

/** One client's account at the card provider. */
export function cardProvider(sdk: Stripe, settings: WireSettings): Provider & MethodKeeper {
  const start = () => startCall(sdk, settings);
  return {
    authorize: (call) => authorize(start(), call),
    capture: (call) => capture(start(), call),
    cancel: (call) => cancel(start(), call),
    retrieve: (intentId) => retrieve(start(), intentId),
    countDeclines: (intentId) => countDeclines(start(), intentId),
    refund: (call) => refund(start(), call),
    retrieveRefund: (refundId) => retrieveRefund(start(), refundId),
    listRefunds: (intentId) => listRefunds(start(), intentId),
    retrieveDispute: (disputeId) => retrieveDispute(start(), disputeId),
    listDisputes: (intentId) => listDisputes(start(), intentId),
    listNotices: (span) => listNotices(start(), span),
    retrieveMarked: (id) => retrieveMarked(start(), id),
    listMarked: (span) => listMarked(start(), span),
    createCustomer: (call) => createCustomer(start(), call),
    setUp: (call) => setUp(start(), call),
    retrieveSetup: (setupId) => retrieveSetup(start(), setupId),
    countSetupDeclines: (setupId) => countSetupDeclines(start(), setupId),
    listMethods: (customerId) => listMethods(start(), customerId),
    cancelSetup: (call) => cancelSetup(start(), call),
    retrieveCustomer: (customerId) => retrieveCustomer(start(), customerId),
    retrieveMethod: (methodId) => retrieveMethod(start(), methodId),
    setDefaultMethod: (call) => setDefaultMethod(start(), call),
    detachMethod: (call) => detachMethod(start(), call),
  };
}
