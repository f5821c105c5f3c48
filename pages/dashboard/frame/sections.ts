// The parts of Developers and Settings: their addresses, their titles, and who sees them.

import { may, type Permission } from '@svc/contract/roles';
import type { Merchant } from '../../kit/merchant.ts';
import { isTestMode } from '../../kit/mode.ts';

export type Group = 'developers' | 'settings';
export const groupTitles: Readonly<Record<Group, string>> = {
  developers: 'Developers',
  settings: 'Settings',
};

type Section = {
  readonly group: Group;
  readonly title: string;
  /** The permission that the part takes; null: everybody sees it, for it holds the own membership. */
  readonly permission: Permission | null;
  /** True when only the sandbox has the part; in test mode the service has none of it either. */
  readonly isOfSandbox?: boolean;
};

/** By the last part of the address, in the order in which the menu shows them. */
const table = {
  tokens: { group: 'developers', title: 'API tokens', permission: 'tokens.own' },
  applications: { group: 'developers', title: 'Applications', permission: 'people.write' },
  webhooks: { group: 'developers', title: 'Webhooks', permission: 'developers.use' },
  tester: {
    group: 'developers',
    title: 'Tester',
    permission: 'developers.use',
    isOfSandbox: true,
  },
  members: { group: 'settings', title: 'Members', permission: null },
  business: { group: 'settings', title: 'Business', permission: 'settings.write' },
  'refund-rule': { group: 'settings', title: 'Refund rule', permission: null },
  mails: { group: 'settings', title: 'Mails to buyers', permission: 'settings.write' },
  notifications: { group: 'settings', title: 'Notifications', permission: null },
  audit: { group: 'settings', title: 'Audit log', permission: 'audit.read' },
  sandbox: { group: 'settings', title: 'Sandbox', permission: 'sandbox.use', isOfSandbox: true },
} as const satisfies Readonly<Record<string, Section>>;

export type SectionName = keyof typeof table;
export const sections: Readonly<Record<SectionName, Section>> = table;
const names = Object.keys(table) as SectionName[];

/** Returns whether the role may read the part. */
export const isOpen = (name: SectionName, { role }: Merchant): boolean => {
  const { permission } = sections[name];
  return permission === null || may(role, permission);
};

const hasSandbox = ({ isSandbox }: Merchant) => isSandbox && !isTestMode();

const isSeen = (name: SectionName, merchant: Merchant) =>
  isOpen(name, merchant) && (hasSandbox(merchant) || sections[name].isOfSandbox !== true);

/** The parts of a group that the person sees at the merchant. */
export const sectionsSeen = (group: Group, merchant: Merchant): readonly SectionName[] =>
  names.filter((name) => sections[name].group === group && isSeen(name, merchant));

/** A person who may not change memberships sees only their own, so the section's title differs. */
export const titleOf = (name: SectionName, { role }: Merchant): string =>
  name === 'members' && !may(role, 'people.write') ? 'Your membership' : sections[name].title;

export const sectionAddress = (clientId: string, name: SectionName): string =>
  `/dashboard/${clientId}/${sections[name].group}/${name}`;

export const endpointAddress = (clientId: string, id: string): string =>
  `${sectionAddress(clientId, 'webhooks')}/${encodeURIComponent(id)}`;

export const eventAddress = (clientId: string, id: string): string =>
  `/dashboard/${clientId}/developers/events/${encodeURIComponent(id)}`;
