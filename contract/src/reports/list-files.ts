// Files of the lists of customers, disputes and subscriptions. Additions §8, Files.

import { Type } from 'typebox';
import { listCustomers } from '../customers/customers.ts';
import { listSubscriptions } from '../customers/subscriptions.ts';
import { listDisputes } from '../payments/disputes.ts';
import { row } from '../rows/row.ts';
import { fileAtOnce, tableFields } from './exports.ts';
import { timeZone } from './reports.ts';

/** The columns of each file, in their order: those of the list. */
export const customerFileColumns = [
  ...['email', 'name', 'country', 'since', 'since_utc', 'updated_utc', 'external_id', 'id'],
] as const;
export const disputeFileColumns = [
  ...['amount', 'withdrawn', 'currency', 'due', 'due_utc', 'status', 'reason'],
  ...['customer_name', 'customer_email', 'customer_id', 'opened', 'opened_utc', 'received_utc'],
  ...['updated_utc', 'closed_utc', 'provider_dispute_id', 'payment_id', 'id'],
] as const;
export const subscriptionFileColumns = [
  ...['product_code', 'quantity', 'status', 'customer_name', 'customer_email', 'customer_id'],
  ...['amount', 'currency', 'interval', 'next_renewal', 'next_renewal_utc', 'failed_tries'],
  ...['began', 'began_utc', 'updated_utc', 'id'],
] as const;

/** What every such file takes and answers. */
const file = {
  ...fileAtOnce,
  input: {
    query: Type.Object(
      { ...tableFields, timeZone: Type.Optional(timeZone) },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
} as const;

export const exportCustomers = row({
  ...file,
  spec: 'Additions §8, GET /v1/customers.csv',
  summary: 'Returns the customers that match the filters as a file, newest first.',
  call: 'GET /v1/customers.csv',
  scope: 'customers:read',
  filters: listCustomers.filters,
});

export const exportDisputes = row({
  ...file,
  spec: 'Additions §8, GET /v1/disputes.csv',
  summary: 'Returns the disputes that match the filters as a file, newest first.',
  call: 'GET /v1/disputes.csv',
  scope: 'disputes:read',
  filters: listDisputes.filters,
});

export const exportSubscriptions = row({
  ...file,
  spec: 'Additions §8, GET /v1/subscriptions.csv',
  summary: 'Returns the subscriptions that match the filters as a file, newest first.',
  call: 'GET /v1/subscriptions.csv',
  scope: 'payments:read',
  filters: listSubscriptions.filters,
});
