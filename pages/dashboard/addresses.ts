// Addresses of the dashboard's pages.

/** The parts of a merchant that have pages, as they stand in addresses. */
export type Part =
  | 'home'
  | 'payments'
  | 'holds'
  | 'disputes'
  | 'customers'
  | 'cards'
  | 'subscriptions'
  | 'sessions'
  | 'reports'
  | 'exports';

/** `/dashboard/{clientId}/payments/{id}?…`; the page of a part without an id. */
export function addressOf(clientId: string, part: Part, id?: string): string {
  const base = `/dashboard/${clientId}`;
  if (part === 'home') return base;
  return `${base}/${part}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
}

/** The part of a path; null where it is none. */
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
  'reports',
  'exports',
];
