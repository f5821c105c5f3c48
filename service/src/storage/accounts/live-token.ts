/**
 * The condition that an API token authenticates: neither revoked nor run out. `table` is its name in the
 * statement, `now` an expression for the clock, which one statement may have read before. Spec: API tokens.
 */
export const isLiveToken = (table = 't', now = 'svc_clock()'): string =>
  `${table}.revoked_at is null and (${table}.expires_at is null or ${table}.expires_at > ${now})`;
