// What the roles mean, in words, and who may read which part of a merchant. Contract §6.

import { type Role, roleWords as table } from '@svc/contract/roles';

/** With its article. */
export const roleWords = (role: Role): string => table[role].article;

export const roleMeaning = (role: Role): string => table[role].meaning;
