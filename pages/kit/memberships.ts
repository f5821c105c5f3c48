// The merchants of the signed-in person and the roles there: kept from page to page, and read again by each page;
// on the dashboard also when the window gets the focus, and after a refusal for the role.

import type { OwnMembership } from '@svc/contract/account/account';
import { useEffect } from 'preact/hooks';
import { call, roleRefusals } from './calls.ts';
import { person } from './person.ts';
import { Section } from './section.ts';

export type Memberships = Section<readonly OwnMembership[]>;

let kept: { readonly personId: string; readonly section: Memberships } | null = null;

/** Shows the previous content until the new one is read. For another person it starts empty. */
export function useMemberships(): Memberships {
  const personId = person.value?.id ?? '';
  if (kept?.personId !== personId)
    kept = {
      personId,
      section: new Section(async () => (await call('GET /v1/account/memberships', {})).data),
    };
  const { section } = kept;
  useEffect(() => void section.again(), [section]);
  return section;
}

/** Reads them again when the window gets the focus and after a refusal for the role: once, whatever shows them. */
export function followRoles(): void {
  const again = () => void kept?.section.again();
  addEventListener('focus', again);
  roleRefusals.subscribe((count) => count > 0 && again());
}
