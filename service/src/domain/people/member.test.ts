import { type Role, roles } from '@svc/contract/rows/roles';
import { describe, expect, it } from 'vitest';
import { mayChangeMember } from './member.ts';

const places: readonly (Role | null)[] = [null, ...roles];
const changes = places.flatMap((from) => places.map((to) => ({ from, to })));

describe('mayChangeMember', () => {
  it('an owner may make, change and remove anybody', () => {
    expect(changes.every((change) => mayChangeMember('owner', change))).toBe(true);
  });

  it('an admin neither makes, changes nor removes owners, and may all the rest', () => {
    const refused = changes.filter((change) => !mayChangeMember('admin', change));
    expect(refused).toEqual(changes.filter(({ from, to }) => from === 'owner' || to === 'owner'));
    expect(refused).toHaveLength(13);
  });

  it('every other role may nothing', () => {
    for (const role of ['member', 'finance', 'support', 'viewer'] as const) {
      expect(changes.some((change) => mayChangeMember(role, change))).toBe(false);
    }
  });
});
