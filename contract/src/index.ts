import { listProducts } from './catalog.ts';
import {
  createCheckoutSession,
  getCheckoutSession,
  getCheckoutSessionStatus,
  processCheckoutSession,
} from './checkout-sessions.ts';
import { getClient, updateClient } from './clients.ts';
import { getDispute, getPaymentTimeline, listDisputes } from './disputes.ts';
import { getEvent, listEvents } from './events-api.ts';
import { cancelPayment, capturePayment, getPayment, listPayments } from './payments.ts';

import { createRefund } from './refunds.ts';

/** Every call of the public surface, by operation. */
export const rows = {
  createCheckoutSession,
  getCheckoutSession,
  getCheckoutSessionStatus,
  processCheckoutSession,
  capturePayment,
  cancelPayment,
  createRefund,
  getPayment,
  listPayments,
  getPaymentTimeline,
  listDisputes,
  getDispute,
  listEvents,
  getEvent,
  listProducts,
  getClient,
  updateClient,
} as const;
export type Rows = typeof rows;
export type RowName = keyof Rows;
