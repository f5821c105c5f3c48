import { describe, expect, it } from 'vitest';
import { type MemberRole, mayChangeMember } from './member.ts';

const places: readonly (MemberRole | null)[] = [null, 'member', 'admin', 'owner'];
const changes = places.flatMap((from) => places.map((to) => ({ from, to })));

describe('mayChangeMember', () => {
  it('an owner may make, change and remove anybody', () => {
    expect(changes.every((change) => mayChangeMember('owner', change))).toBe(true);
  });

  it('an admin neither makes, changes nor removes owners, and may all the rest', () => {
    const refused = changes.filter((change) => !mayChangeMember('admin', change));
    expect(refused).toEqual(changes.filter(({ from, to }) => from === 'owner' || to === 'owner'));
    expect(refused).toHaveLength(7);
  });

  it('a member may nothing', () => {
    expect(changes.some((change) => mayChangeMember('member', change))).toBe(false);
  });
});
