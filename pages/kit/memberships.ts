// The merchants of the signed-in person: kept from page to page, and read again by each page.

import type { OwnMembership } from '@svc/contract/account/account';
import { useEffect } from 'preact/hooks';
import { call } from './calls.ts';
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
