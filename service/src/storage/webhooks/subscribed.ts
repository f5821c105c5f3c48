/** The condition that an endpoint takes events of a type; `type` is an expression. Null: all. Contract §7. */
export const takesType = (endpoint: string, type: string): string =>
  `(${endpoint}.event_types is null or ${type} = any(${endpoint}.event_types))`;

/** The same of an endpoint that is sent to: a disabled one is sent nothing. */
export const isSubscribed = (endpoint: string, type: string): string =>
  `${endpoint}.is_enabled and ${takesType(endpoint, type)}`;
