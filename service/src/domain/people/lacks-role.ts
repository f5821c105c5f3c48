import { holdersInWords, type Permission } from '@svc/contract/rows/roles';
import { Refusal } from '../protocol/refusal.ts';

/** The refusal of a role that does not hold the permission: it names the roles that do. */
export const lacksRole = (permission: Permission): Refusal =>
  new Refusal('merchant_role_required', {
    message: `Your role at the merchant does not allow this. It needs the role ${holdersInWords(permission)}.`,
  });
