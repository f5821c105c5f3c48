// What a person permits with each scope, in words for people who do not know the API. Contract §6.

import type { Scope } from '@svc/contract/rows/scopes';

export type Weight = 'money' | 'access' | 'change' | 'see';

type Meaning = {
  readonly weight: Weight;
  readonly title: string;
  /** Further effects that are not obvious. */
  readonly more?: string;
};

const meanings: Readonly<Record<Scope, Meaning>> = {
  'payments:write': {
    weight: 'money',
    title: 'Collect and release payments on hold',
    more: 'It may capture or release money that a buyer’s bank holds for you, and end subscriptions.',
  },
  'refunds:write': {
    weight: 'money',
    title: 'Give money back',
    more: 'It may refund payments, in full or in part. A refund cannot be undone.',
  },
  'payment_methods:write': {
    weight: 'change',
    title: 'Remove saved cards',
    more: 'Only the card’s owner can save a removed card again.',
  },
  mcp: {
    weight: 'access',
    title: 'Make and revoke API tokens in your name',
    more: 'A token may do at most what you allow here, and made by an agent it moves no money. It stays valid when you revoke this access.',
  },
  'members:write': {
    weight: 'access',
    title: 'Change who has access',
    more: 'It may invite and remove people, change their roles, and set up other applications.',
  },
  'webhooks:write': {
    weight: 'access',
    title: 'Change where events are sent',
    more: 'Events contain data of payments and buyers.',
  },
  'checkout:write': {
    weight: 'change',
    title: 'Start checkouts',
    more: 'At the prices of your catalog, for buyers who enter their card themselves.',
  },
  'customers:write': { weight: 'change', title: 'Add and change customers' },
  'catalog:write': {
    weight: 'change',
    title: 'Change products, prices, coupons and settings',
    more: 'Buyers pay these prices. Settings are your name and addresses on buyers’ pages, and the sites that may show your card form.',
  },
  'reports:write': {
    weight: 'change',
    title: 'Close months and make files',
    more: 'A closed month is not opened again. Files hold payments with their buyers’ addresses.',
  },
  'payments:read': { weight: 'see', title: 'See payments and refunds' },
  'payment_methods:read': {
    weight: 'see',
    title: 'See saved cards',
    more: 'Brand, last four digits and expiry: never whole card numbers.',
  },
  'customers:read': { weight: 'see', title: 'See customers, with their addresses' },
  'catalog:read': { weight: 'see', title: 'See products, prices and coupons' },
  'events:read': { weight: 'see', title: 'See events and their deliveries' },
  'webhooks:read': { weight: 'see', title: 'See where events are sent' },
  'disputes:read': { weight: 'see', title: 'See disputes' },
  'audit:read': {
    weight: 'see',
    title: 'Read the audit log',
    more: 'People’s and programs’ actions, with their network addresses.',
  },
};

/**
 * Returns what scopes permit together that neither permits alone. For owners and admins, in addition to
 * starting checkouts. Contract §6.
 */
export function describeTogether(scopes: readonly string[]): readonly string[] {
  if (!scopes.includes('checkout:write')) return [];
  return [
    ...(scopes.includes('payments:write') ? ['start checkouts at prices of its own'] : []),
    ...(scopes.includes('payment_methods:read') ? ['charge the saved cards of your buyers'] : []),
  ];
}

/** Returns the meaning of a scope. A scope that this page does not know is shown by its name, as access. */
export const meaningOf = (scope: string): Meaning =>
  meanings[scope as Scope] ?? { weight: 'access', title: scope };

const order: readonly Weight[] = ['money', 'access', 'change', 'see'];

/** Returns the scopes by sensitivity, the most sensitive first, else in the requested order. */
export const sortByWeight = (scopes: readonly string[]): readonly string[] =>
  [...scopes].sort(
    (a, b) => order.indexOf(meaningOf(a).weight) - order.indexOf(meaningOf(b).weight),
  );

/** The titles of scopes in one line, the most sensitive first. */
export const scopesInWords = (scopes: readonly string[]): string =>
  sortByWeight(scopes)
    .map((scope) => meaningOf(scope).title)
    .join(' · ');
