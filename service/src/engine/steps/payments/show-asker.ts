import type { RequestInitiator } from '@svc/contract/payments/payments';
import type { InitiatorFields } from '../../../storage/audit-log/initiators.ts';

/** Returns who requested the operation, in the form of the API; null when that is not known. */
export const showAsker = (row: InitiatorFields): RequestInitiator =>
  row.requester_id === null
    ? credentialOf(row)
    : {
        kind: 'person',
        userId: row.requester_id,
        email: row.requester_email,
        name: row.requester_name,
        tokenName: null,
        applicationName: null,
      };

/** The second person of a refund that a colleague asked for; null of everything else. */
export const showApprover = (row: InitiatorFields): RequestInitiator =>
  row.requester_id ? credentialOf(row) : null;

const credentialOf = (row: InitiatorFields): RequestInitiator =>
  row.asker_kind && {
    kind: row.asker_kind,
    userId: row.asker_user_id,
    email: row.asker_email,
    name: row.asker_name,
    tokenName: row.asker_token_name,
    applicationName: row.asker_application_name,
  };
