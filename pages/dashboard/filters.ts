// The filters that lists of payments have.

import type { FilterSpec } from './list-spec.ts';
import { statusChoices, typeNames } from './words.ts';

export const paymentFilters: readonly FilterSpec[] = [
  { name: 'status', title: 'Status', kind: 'choice', choices: statusChoices },
  { name: 'type', title: 'Type', kind: 'choice', choices: typeNames },
  { name: 'createdAt', title: 'Created', kind: 'time' },
  { name: 'updatedAt', title: 'Changed', kind: 'time' },
  { name: 'amount', title: 'Amount', kind: 'amount' },
  { name: 'currency', title: 'Currency', kind: 'text', hint: 'Three letters, like EUR.' },
  { name: 'email', title: 'Email', kind: 'text', hint: 'The whole address, in any letters.' },
  {
    name: 'captureMethod',
    title: 'Capture',
    kind: 'choice',
    choices: { automatic: 'At once', manual: 'By hand' },
  },
  {
    name: 'provider',
    title: 'Paid by',
    kind: 'choice',
    choices: { cardprovider: 'Card', wallet: 'Wallet' },
  },
  { name: 'gatewayChargeId', title: 'Charge id', kind: 'text' },
  { name: 'externalId', title: 'Your id of the customer', kind: 'text' },
  { name: 'userId', title: 'Customer id', kind: 'id' },
  { name: 'sessionId', title: 'Session id', kind: 'id' },
  { name: 'parentPaymentId', title: 'Purchase id', kind: 'id' },
  { name: 'id', title: 'Payment id', kind: 'id' },
];
