/**
 * The condition that an API token authenticates: it is neither revoked nor expired. `table` is its
 * name in the statement, `now` an SQL expression for the clock, so that a statement can read the
 * clock once. Spec: API tokens.
 */
export const isLiveToken = (table = 't', now = 'svc_clock()'): string =>
  `${table}.revoked_at is null and (${table}.expires_at is null or ${table}.expires_at > ${now})`;
