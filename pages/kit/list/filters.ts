// The filters that lists of payments have.

import { statusChoices, typeNames } from '../words.ts';
import type { FilterSpec } from './list-spec.ts';

export const paymentFilters: readonly FilterSpec[] = [
  { name: 'status', title: 'Status', kind: 'choice', choices: statusChoices },
  { name: 'type', title: 'Type', kind: 'choice', choices: typeNames },
  { name: 'createdAt', title: 'Created', kind: 'time' },
  { name: 'updatedAt', title: 'Changed', kind: 'time' },
  { name: 'capturedAt', title: 'Captured', kind: 'time' },
  { name: 'financialEffectiveAt', title: 'Money moved', kind: 'time' },
  { name: 'authorizationExpiresAt', title: 'Hold expires', kind: 'time' },
  { name: 'amount', title: 'Amount', kind: 'amount' },
  { name: 'currency', title: 'Currency', kind: 'text', hint: 'Three letters, such as EUR.' },
  {
    name: 'email',
    title: 'Email',
    kind: 'text',
    by: 'startsWith',
    hint: 'The address or its beginning. Upper and lower case count as the same.',
  },
  {
    name: 'name',
    title: 'Name',
    kind: 'text',
    by: 'startsWith',
    hint: 'The customer’s name or its beginning.',
  },
  { name: 'lastFour', title: 'Last four digits', kind: 'text', hint: 'Of the card, such as 4242.' },
  { name: 'brand', title: 'Card brand', kind: 'text', hint: 'In lower case, such as visa.' },
  { name: 'cardCountry', title: 'Card’s country', kind: 'text', hint: 'Two letters, such as DE.' },
  { name: 'reference', title: 'Reference', kind: 'text', hint: 'As shown on the payment’s page.' },
  { name: 'metadata', title: 'Order number', kind: 'text', hint: 'A value of your metadata.' },
  {
    name: 'isDisputed',
    title: 'Disputed',
    kind: 'choice',
    choices: { true: 'Yes', false: 'No' },
  },
  {
    name: 'fraudSignal',
    title: 'Suspected',
    kind: 'choice',
    choices: { warning: 'Reported as fraud', review: 'Under review' },
  },
  { name: 'declineCode', title: 'Decline code', kind: 'text' },
  { name: 'productCode', title: 'Product', kind: 'text', hint: 'The code of the product.' },
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
  { name: 'subscriptionId', title: 'Subscription id', kind: 'id' },
  { name: 'requestedBy', title: 'Asked by (id of the person)', kind: 'id' },
  { name: 'id', title: 'Payment id', kind: 'id' },
];
