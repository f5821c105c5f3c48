// The files of lists, and their columns in words.

import type { PaymentColumn } from '@svc/contract/reports/exports';
import type {
  customerFileColumns,
  disputeFileColumns,
  subscriptionFileColumns,
} from '@svc/contract/reports/list-files';
import type { ListFile } from './list-spec.ts';

export const exportColumns: Readonly<Record<PaymentColumn, string>> = {
  id: 'Payment id',
  type: 'Type',
  status: 'Status',
  amount: 'Amount',
  captured: 'Captured',
  refunded: 'Refunded',
  refundable: 'Refundable',
  fee: 'Fee',
  net: 'Net',
  currency: 'Currency',
  fee_currency: 'Currency of fee and net',
  created: 'Created',
  created_utc: 'Created, UTC',
  updated_utc: 'Changed, UTC',
  captured_at_utc: 'Captured, UTC',
  booked_at: 'Booked',
  booked_at_utc: 'Booked, UTC',
  hold_expires: 'Hold expires',
  hold_expires_utc: 'Hold expires, UTC',
  capture_method: 'Capture',
  provider: 'Paid by',
  customer_email: 'Email of the customer',
  customer_name: 'Name of the customer',
  customer_id: 'Customer id',
  payment_method: 'Kind of card or wallet',
  brand: 'Brand',
  last_four: 'Last four digits',
  card_country: 'Country of the card',
  reference: 'Reference',
  reason: 'Reason of a refund',
  failure_code: 'Failure code',
  decline_code: 'Decline code',
  original_payment_id: 'Purchase id',
  session_id: 'Session id',
  charge_id: 'Charge id',
  balance_transaction_id: 'Balance transaction id',
  metadata: 'Metadata',
};

export const paymentFile: ListFile = {
  path: '/v1/payments.csv',
  columns: exportColumns,
  ways: { isKept: true, isMonthly: true },
};

/** Holds are payments: what is held now, not what was in a month. */
export const holdFile: ListFile = { ...paymentFile, ways: { isKept: true, isMonthly: false } };

type Columns<Names extends readonly string[]> = Readonly<Record<Names[number], string>>;
const atOnce = { isKept: false, isMonthly: false };

const ofCustomers: Columns<typeof customerFileColumns> = {
  email: 'Email',
  name: 'Name',
  country: 'Country',
  since: 'Since',
  since_utc: 'Since, UTC',
  updated_utc: 'Changed, UTC',
  external_id: 'Your id',
  id: 'Customer id',
};
export const customerFile: ListFile = {
  path: '/v1/customers.csv',
  columns: ofCustomers,
  ways: atOnce,
};

const ofDisputes: Columns<typeof disputeFileColumns> = {
  amount: 'Amount',
  withdrawn: 'Withdrawn',
  currency: 'Currency',
  due: 'Due',
  due_utc: 'Due, UTC',
  status: 'Status',
  reason: 'Reason',
  customer_name: 'Name of the customer',
  customer_email: 'Email of the customer',
  customer_id: 'Customer id',
  opened: 'Opened',
  opened_utc: 'Opened, UTC',
  received_utc: 'Received, UTC',
  updated_utc: 'Changed, UTC',
  closed_utc: 'Closed, UTC',
  provider_dispute_id: 'Provider’s id',
  payment_id: 'Payment id',
  id: 'Dispute id',
};
export const disputeFile: ListFile = {
  path: '/v1/disputes.csv',
  columns: ofDisputes,
  ways: atOnce,
};

const ofSubscriptions: Columns<typeof subscriptionFileColumns> = {
  product_code: 'Product',
  quantity: 'Quantity',
  status: 'Status',
  customer_name: 'Name of the customer',
  customer_email: 'Email of the customer',
  customer_id: 'Customer id',
  amount: 'Price',
  currency: 'Currency',
  interval: 'Interval',
  next_renewal: 'Next renewal',
  next_renewal_utc: 'Next renewal, UTC',
  failed_tries: 'Failed tries',
  began: 'Began',
  began_utc: 'Began, UTC',
  updated_utc: 'Changed, UTC',
  id: 'Subscription id',
};
export const subscriptionFile: ListFile = {
  path: '/v1/subscriptions.csv',
  columns: ofSubscriptions,
  ways: atOnce,
};
