import type { RequestInitiator } from '@svc/contract/payments';
import type { InitiatorFields } from '../../../storage/accounts/askers.ts';

/** The person or program that asked, as callers see it; null where it is not known. */
export const showAsker = (row: InitiatorFields): RequestInitiator =>
  row.asker_kind && {
    kind: row.asker_kind,
    userId: row.asker_user_id,
    email: row.asker_email,
    name: row.asker_name,
    tokenName: row.asker_token_name,
    applicationName: row.asker_application_name,
  };
