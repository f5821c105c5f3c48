// The parts of the dashboard: their names in addresses, their titles, and who sees them.

import type { Permission } from '@svc/contract/rows/roles';

export type Group = 'developers' | 'settings';

type PartFacts = {
  readonly title: string;
  /** The group of parts whose address and menu contain it. */
  readonly group?: Group;
  /** For a view of another part: that part, which the menu then shows as the current one. */
  readonly viewOf?: string;
  /** The key that leads to it after `g`. */
  readonly key?: string;
  /** The permission that the part takes; everybody sees a part without one. */
  readonly permission?: Permission;
  /** Only the sandbox has the part; in test mode the service has none of it either. */
  readonly isOfSandbox?: true;
};

/** In the order in which the menu shows them. */
const table = {
  home: { title: 'Home', key: 'h' },
  payments: { title: 'Payments', key: 'p' },
  sessions: { title: 'Sessions', viewOf: 'payments' },
  holds: { title: 'Holds', key: 'o' },
  disputes: { title: 'Disputes', key: 'd' },
  customers: { title: 'Customers', key: 'c' },
  cards: { title: 'Saved cards', viewOf: 'customers' },
  subscriptions: { title: 'Subscriptions', key: 's' },
  products: { title: 'Products' },
  coupons: { title: 'Coupons', viewOf: 'products' },
  reports: { title: 'Reports' },
  exports: { title: 'Exports' },
  developers: { title: 'Developers' },
  tokens: { title: 'API tokens', group: 'developers', permission: 'tokens.own' },
  applications: { title: 'Applications', group: 'developers', permission: 'people.write' },
  webhooks: { title: 'Webhooks', group: 'developers', permission: 'developers.use' },
  events: { title: 'Events', group: 'developers', permission: 'developers.use' },
  tester: {
    title: 'Tester',
    group: 'developers',
    permission: 'developers.use',
    isOfSandbox: true,
  },
  settings: { title: 'Settings' },
  members: { title: 'Members', group: 'settings' },
  business: { title: 'Business', group: 'settings', permission: 'settings.write' },
  provider: { title: 'Card provider', group: 'settings' },
  'go-live': { title: 'Go live', group: 'settings', permission: 'settings.write' },
  'refund-rule': { title: 'Refund rule', group: 'settings' },
  mails: { title: 'Mails to buyers', group: 'settings', permission: 'settings.write' },
  notifications: { title: 'Notifications', group: 'settings' },
  audit: { title: 'Audit log', group: 'settings', permission: 'audit.read' },
  sandbox: { title: 'Sandbox', group: 'settings', permission: 'sandbox.use', isOfSandbox: true },
} as const satisfies Readonly<Record<string, PartFacts>>;

type Table = typeof table;
export type Part = keyof Table;
/** A part of a group. */
export type SectionName = {
  [P in Part]: Table[P] extends { readonly group: string } ? P : never;
}[Part];
/** A part with an address of its own. */
export type TopPart = Exclude<Part, SectionName>;

export const parts: Readonly<Record<Part, PartFacts>> = table;
export const sections: Readonly<Record<SectionName, PartFacts & { readonly group: Group }>> = table;

const names = Object.keys(table) as Part[];
const isTop = (part: Part): part is TopPart => parts[part].group === undefined;
const isSection = (part: Part): part is SectionName => !isTop(part);

export const topParts: readonly TopPart[] = names.filter(isTop);
export const sectionNames: readonly SectionName[] = names.filter(isSection);
export const sectionsOf = (group: Group): readonly SectionName[] =>
  sectionNames.filter((name) => sections[name].group === group);

export const isGroup = (part: Part): part is Group =>
  sectionNames.some((name) => sections[name].group === part);

/** Returns `/dashboard/{clientId}/payments/{id}`, or the page of a part when there is no id. */
export function addressOf(clientId: string, part: Part, id?: string): string {
  const base = `/dashboard/${clientId}`;
  if (part === 'home') return base;
  const { group } = parts[part];
  const page = group === undefined ? `${base}/${part}` : `${base}/${group}/${part}`;
  return id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
}

export const eventAddress = (clientId: string, id: string): string =>
  `/dashboard/${clientId}/developers/events/${encodeURIComponent(id)}`;

/** Returns the part of a path, of a group's page the group; null when the path names none. */
export function partOf(path: string): TopPart | null {
  const [, , named = 'home'] = path.split('/').filter(Boolean);
  return topParts.find((part) => part === named) ?? null;
}

/** Returns the part that the menu shows as current. */
export function menuPartOf(path: string): Part | null {
  const part = partOf(path);
  return part && (names.find((name) => name === parts[part].viewOf) ?? part);
}
