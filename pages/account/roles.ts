// What the roles mean, in words, and who may read which part of a merchant. Contract §6.

import { type Role, roleWords as table } from '@svc/contract/roles';

/** Follows "the role": a noun of its own would mistake support, who are members too, for members. */
export const roleName = (role: Role): string => table[role].name;

export const roleMeaning = (role: Role): string => table[role].meaning;
