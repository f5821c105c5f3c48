// Who asked for an operation, as its row keeps it: the layout is that of `request-initiator.ts`.

const uuidAt = (from: number): string =>
  `encode(substring(o.asked_by from ${from} for 16), 'hex')::uuid`;

/** The API token, the grant or the sign-in of operation `o`. */
export const credentialOf: string = uuidAt(18);

/** The token behind operation `o`, where it was one. */
export const joinToken = `left join api_tokens t on t.client_id = o.client_id
    and t.id = case get_byte(o.asked_by, 0) when 0 then ${credentialOf} end`;

/** The person behind: API tokens name their owner, the other credentials stand beside theirs. */
export const personOf = `coalesce(
    case when octet_length(o.asked_by) >= 49 then ${uuidAt(34)} end, t.user_id)`;

/** What `o` is joined with before `initiatorFields`. */
export const joinInitiator = `${joinToken}
  left join oauth_grants g on g.client_id = o.client_id
    and g.id = case get_byte(o.asked_by, 0) when 1 then ${credentialOf} end
  left join users asker on asker.id = ${personOf}`;

export const initiatorFields = `case get_byte(o.asked_by, 0) when 0 then 'api_token' when 1 then 'oauth'
      when 2 then 'person' end as asker_kind, ${personOf} as asker_user_id,
    asker.email as asker_email, asker.name as asker_name, t.name as asker_token_name,
    g.application_name as asker_application_name`;

/** All null where nobody asked, or who did was not kept. */
export type InitiatorFields = {
  readonly asker_kind: 'api_token' | 'oauth' | 'person' | null;
  readonly asker_user_id: string | null;
  readonly asker_email: string | null;
  readonly asker_name: string | null;
  readonly asker_token_name: string | null;
  readonly asker_application_name: string | null;
};
