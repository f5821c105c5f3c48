// The caller who asked for an operation, as the operation's row stores it.

import { texts, uuids } from '../database/array-values.ts';
import type { AskedColumn } from '../database/asked-rows.ts';
import type { RequestInitiator } from './request-initiator.ts';

/** The caller who asked; all columns are null where nobody did. */
export const initiatorColumns: readonly AskedColumn<RequestInitiator | undefined>[] = [
  ['asked_via', texts, (asker) => asker?.via ?? null],
  ['asked_credential_id', uuids, (asker) => asker?.tokenId ?? null],
  ['asked_user_id', uuids, (asker) => asker?.userId ?? null],
  ['asked_network', texts, (asker) => (asker ? networkOf(asker) : null)],
];

const networkOf = ({ address }: RequestInitiator): string | null =>
  address === undefined || address === 'unknown' ? null : address;

/** The joins that `initiatorFields` needs on operation `o`. */
export const joinInitiator = `left join api_tokens t on t.client_id = o.client_id
    and o.asked_via = 'token' and t.id = o.asked_credential_id
  left join oauth_grants g on g.client_id = o.client_id
    and o.asked_via = 'oauth' and g.id = o.asked_credential_id
  left join users asker on asker.id = o.asked_user_id
  left join refund_requests rr on rr.client_id = o.client_id and rr.refund_id = o.payment_id
  left join users requester on requester.id = rr.requested_by`;

export const initiatorFields = `case o.asked_via when 'token' then 'api_token' else o.asked_via end as asker_kind,
    o.asked_user_id as asker_user_id,
    asker.email as asker_email, asker.name as asker_name, t.name as asker_token_name,
    g.application_name as asker_application_name, rr.requested_by as requester_id,
    requester.email as requester_email, requester.name as requester_name`;

/** All fields are null when nobody asked for the operation, or when the caller was not recorded. */
export type InitiatorFields = {
  readonly asker_kind: 'api_token' | 'oauth' | 'person' | null;
  readonly asker_user_id: string | null;
  readonly asker_email: string | null;
  readonly asker_name: string | null;
  readonly asker_token_name: string | null;
  readonly asker_application_name: string | null;
  /** The colleague who asked for the refund; the person of the operation then approved it. */
  readonly requester_id: string | null;
  readonly requester_email: string | null;
  readonly requester_name: string | null;
};
