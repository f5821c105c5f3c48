// The caller who asked for an operation, as the operation's row stores it. `request-initiator.ts`
// defines the layout.

const uuidAt = (from: number): string =>
  `encode(substring(o.asked_by from ${from} for 16), 'hex')::uuid`;

/** SQL for the API token, grant or sign-in that asked for operation `o`. */
export const credentialOf: string = uuidAt(18);

/** Joins the token that asked for operation `o`, when the credential was a token. */
export const joinToken = `left join api_tokens t on t.client_id = o.client_id
    and t.id = case get_byte(o.asked_by, 0) when 0 then ${credentialOf} end`;

/**
 * SQL for the person who asked: an API token's row names its owner, the other credentials store the
 * person beside their own id.
 */
export const personOf = `coalesce(
    case when octet_length(o.asked_by) >= 49 then ${uuidAt(34)} end, t.user_id)`;

/** The joins that `initiatorFields` needs on operation `o`. */
export const joinInitiator = `${joinToken}
  left join oauth_grants g on g.client_id = o.client_id
    and g.id = case get_byte(o.asked_by, 0) when 1 then ${credentialOf} end
  left join users asker on asker.id = ${personOf}
  left join refund_requests rr on rr.client_id = o.client_id and rr.refund_id = o.payment_id
  left join users requester on requester.id = rr.requested_by`;

export const initiatorFields = `case get_byte(o.asked_by, 0) when 0 then 'api_token' when 1 then 'oauth'
      when 2 then 'person' end as asker_kind, ${personOf} as asker_user_id,
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
