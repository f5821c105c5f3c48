// The sections of the reference, which are the tags of the OpenAPI document.

import type { RowShape } from '@svc/contract/rows/row';

/** The heading of the section in which a call is listed. */
const sectionNames: Readonly<Record<string, string>> = {
  // The page already has an element named `search`.
  search: 'searching',
  checkouts: 'checkout sessions',
  'api-tokens': 'API tokens',
  invitation: 'invitations',
};

export function sectionOf({ call }: RowShape): string {
  const [, resource = ''] = /\/v1\/([\w-]+)/.exec(call) ?? [];
  const words = (sectionNames[resource] ?? resource).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the calls of a section are for, in one sentence. */
export const sectionDescriptions: Readonly<Record<string, string>> = {
  'Checkout sessions': 'Sessions in which a buyer pays or saves a card.',
  Payments: 'Payments with their captures, cancellations, refunds, receipts and histories.',
  'Refund rule': 'Who may give back how much without asking a second person.',
  'Refund requests': 'Refunds that wait for the approval of a second person.',
  Subscriptions: 'Payments that are renewed at every period until they end.',
  'Export schedules': 'Schedules of monthly files of payments.',
  Exports: 'Files of payments and other rows for accounting.',
  Reports: 'Figures, ledgers and closed months.',
  Searching: 'One search over payments, customers and everything else with an id.',
  Overview: 'The figures and open tasks of the start page.',
  Reconciliations: "Comparisons of the payments with the card provider's own list.",
  Notes: 'Notes of the merchant on payments and customers.',
  Views: 'Saved filters of the lists.',
  Disputes: 'Disputes and inquiries of buyers at their banks, with the evidence against them.',
  Events: 'The log of everything that happened, and the webhooks that tell of it.',
  'Webhook endpoints': 'Addresses of the merchant that receive events, and their deliveries.',
  Products: 'The catalog: products with their prices.',
  Coupons: 'Discounts of a percentage or an amount.',
  Customers: 'Buyers that the merchant knows by an id of its own.',
  'Payment methods': 'Cards that a customer has saved, and their removal.',
  'Saved cards': 'All saved cards of the merchant, with their use.',
  Client: 'The merchant itself: names, appearance and settings.',
  'Provider accounts': 'Accounts of the merchant at card provider and wallet: keys and notices.',
  'Go live': 'What the merchant needs before real money, and the state of each step.',
  'Customer page': 'A page by link where customers manage their own cards.',
  'API tokens': "Credentials of the merchant's servers.",
  Members: 'The people of the merchant and their roles.',
  Account: 'The person who is signed in: proofs of identity, sessions and consents.',
  Invitations: 'Invitations of people to a merchant.',
  Sandbox: 'Clock, test cards and planted faults. Sandbox only.',
  'Audit entries': 'Who did what, and when.',
  Applications: 'OAuth applications of the merchant and their secrets.',
};
