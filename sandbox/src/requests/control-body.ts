// Reads the JSON of a control call: an unknown field or a wrong value is refused by name.
export class BadControl extends Error {}

export type Body = Record<string, unknown>;

/**
 * Returns the fields of `value`; 400 for a field that is not in `known`. A missing body counts as empty.
 */
export const readBody = (value: unknown, known: readonly string[]): Body => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject && value !== undefined && value !== null) {
    throw new BadControl('the body must be a JSON object');
  }
  const body = (value ?? {}) as Body;
  const odd = Object.keys(body).find((name) => !known.includes(name));
  if (odd === undefined) return body;
  const names = known.length > 0 ? known.join(', ') : 'none';
  throw new BadControl(`unknown field ${odd}; known: ${names}`);
};

/** Characters that a terminal would execute, and those that change the direction of text. */
const steering = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

export const readText = (value: unknown, name: string): string => {
  if (typeof value === 'string' && value !== '' && !steering.test(value)) return value;
  throw new BadControl(`${name} must be a text without control characters`);
};

export const readWhole = (value: unknown, name: string, limits: [number, number]): number => {
  if (typeof value === 'number' && Number.isInteger(value)) {
    if (value >= limits[0] && value <= limits[1]) return value;
  }
  throw new BadControl(`${name} must be a whole number from ${limits[0]} to ${limits[1]}`);
};

export const readFlag = (value: unknown, name: string): boolean => {
  if (typeof value === 'boolean') return value;
  throw new BadControl(`${name} must be true or false`);
};

/** Reads a text that must be one of the given values. */
export const readChoice = <W extends string>(
  value: unknown,
  name: string,
  words: readonly W[],
): W => {
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw new BadControl(`unknown ${name} ${String(value)}; known: ${words.join(', ')}`);
};

/** Calls `read` unless the field is absent. */
export const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : read(value);
