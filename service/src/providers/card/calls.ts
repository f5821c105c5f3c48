// Calls to the card provider through its official SDK. None of them throws: every answer, and every
// missing answer, becomes an outcome. A call makes at most one resend with the same key and one
// reading; when the outcome is still open, it is in doubt, and the recovery worker continues.

import type Stripe from 'stripe';
import type { MethodKeeper, Provider, Urgency } from '../../engine/ports.ts';
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
import { retrieveSignal } from './fraud-signals.ts';
import { cancel, capture, countDeclines, retrieve } from './holds.ts';
import { listNotices } from './list-notices.ts';
import { listMarked, retrieveMarked } from './marked-payments.ts';
import { listRefunds, refund, retrieveRefund } from './refunds.ts';
import { cancelSetup, countSetupDeclines, retrieveSetup, setUp } from './setups.ts';
import { startCall, type WireSettings } from './wire.ts';

/**
 * One client's account at the card provider. `urgency`: who waits for its calls; absent: as each
 * call tells by itself.
 */
export function cardProvider(
  sdk: Stripe,
  settings: WireSettings,
  urgency?: Urgency,
): Provider & MethodKeeper {
  const as = (usual: Urgency) => startCall(sdk, settings, urgency ?? usual);
  return {
    authorize: (call) => authorize(as(call.isOffSession ? 'money' : 'buyer'), call),
    capture: (call) => capture(as('money'), call),
    cancel: (call) => cancel(as('money'), call),
    retrieve: (intentId) => retrieve(as('money'), intentId),
    countDeclines: (intentId) => countDeclines(as('buyer'), intentId),
    refund: (call) => refund(as('money'), call),
    retrieveRefund: (refundId) => retrieveRefund(as('money'), refundId),
    listRefunds: (intentId) => listRefunds(as('upkeep'), intentId),
    retrieveDispute: (disputeId) => retrieveDispute(as('upkeep'), disputeId),
    listDisputes: (intentId) => listDisputes(as('upkeep'), intentId),
    retrieveSignal: (kind, signalId) => retrieveSignal(as('upkeep'), kind, signalId),
    listNotices: (span) => listNotices(as('upkeep'), span),
    retrieveMarked: (id) => retrieveMarked(as('upkeep'), id),
    listMarked: (span) => listMarked(as('upkeep'), span),
    createCustomer: (call) => createCustomer(as('buyer'), call),
    setUp: (call) => setUp(as('buyer'), call),
    retrieveSetup: (setupId) => retrieveSetup(as('buyer'), setupId),
    countSetupDeclines: (setupId) => countSetupDeclines(as('buyer'), setupId),
    listMethods: (customerId) => listMethods(as('money'), customerId),
    cancelSetup: (call) => cancelSetup(as('buyer'), call),
    retrieveCustomer: (customerId) => retrieveCustomer(as('buyer'), customerId),
    retrieveMethod: (methodId) => retrieveMethod(as('buyer'), methodId),
    setDefaultMethod: (call) => setDefaultMethod(as('money'), call),
    detachMethod: (call) => detachMethod(as('money'), call),
  };
}
