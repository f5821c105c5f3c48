// Which parts of Developers and Settings a person sees, and under which title.

import { may } from '@svc/contract/rows/roles';
import { type Group, type SectionName, sections, sectionsOf } from '../../kit/addresses.ts';
import { type Merchant, mayDo } from '../../kit/merchant.ts';
import { isTestMode } from '../../kit/mode.ts';

/** Returns whether the person's role may read the part. */
export const isOpen = (name: SectionName, merchant: Merchant): boolean => {
  const { permission } = sections[name];
  return permission === undefined || mayDo(merchant, permission);
};

const hasSandbox = ({ isSandbox }: Merchant) => isSandbox && !isTestMode();

const isSeen = (name: SectionName, merchant: Merchant) =>
  isOpen(name, merchant) && (hasSandbox(merchant) || sections[name].isOfSandbox !== true);

/** The parts of a group that the person sees at the merchant. */
export const sectionsSeen = (group: Group, merchant: Merchant): readonly SectionName[] =>
  sectionsOf(group).filter((name) => isSeen(name, merchant));

/** A person who may not change memberships sees only their own, so the section's title differs. */
export const titleOf = (name: SectionName, { role }: Merchant): string =>
  name === 'members' && !may(role, 'people.write') ? 'Your membership' : sections[name].title;
