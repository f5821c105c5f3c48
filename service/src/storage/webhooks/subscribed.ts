/**
 * The condition that an endpoint takes events of a type; `type` is an SQL expression. Null event
 * types mean all. Contract §7.
 */
export const takesType = (endpoint: string, type: string): string =>
  `(${endpoint}.event_types is null or ${type} = any(${endpoint}.event_types))`;

/** The condition that the endpoint takes the type and is enabled: a disabled endpoint is sent nothing. */
export const isSubscribed = (endpoint: string, type: string): string =>
  `${endpoint}.is_enabled and ${takesType(endpoint, type)}`;
