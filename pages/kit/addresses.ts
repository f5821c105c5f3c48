// Addresses of the dashboard's pages.

/** The parts of a merchant that have pages, as addresses name them. */
export type Part =
  | 'home'
  | 'payments'
  | 'holds'
  | 'disputes'
  | 'customers'
  | 'cards'
  | 'subscriptions'
  | 'sessions'
  | 'products'
  | 'coupons'
  | 'reports'
  | 'exports'
  | 'developers'
  | 'settings';

/** Returns `/dashboard/{clientId}/payments/{id}`, or the page of a part when there is no id. */
export function addressOf(clientId: string, part: Part, id?: string): string {
  const base = `/dashboard/${clientId}`;
  if (part === 'home') return base;
  return `${base}/${part}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
}

/** Returns the part of a path; null when the path names none. */
export function partOf(path: string): Part | null {
  const [, , part = 'home'] = path.split('/').filter(Boolean);
  const found = parts.find((each) => each === part);
  return found ?? null;
}

const parts: readonly Part[] = [
  'home',
  'payments',
  'holds',
  'disputes',
  'customers',
  'cards',
  'subscriptions',
  'sessions',
  'products',
  'coupons',
  'reports',
  'exports',
  'developers',
  'settings',
];
