// Where the twin's answer and the provider's differ: status, codes, the names and kinds of fields, and words
// such as a status. Ids, instants, amounts and texts for people are expected to differ.

export type Answered = { readonly status: number; readonly body: string };

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const word = /^[a-z][a-z_]*$/;
/** What the caller sent, and where the account's settings decide. */
const untold: ReadonlySet<string> = new Set(['metadata', 'request_log_url', 'message', 'doc_url']);

const kinds = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
} as const;

const kindOf = (value: Json): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : kinds[typeof value as keyof typeof kinds];
};

const isObject = (value: Json): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list's entries depend on what else the account has: the first of each are compared. */
const compareLists = (own: Json[], theirs: Json[], at: string): string[] => {
  const [mine, other] = [own[0], theirs[0]];
  return mine === undefined || other === undefined ? [] : compare(mine, other, `${at}[]`);
};

const compareObjects = (own: Record<string, Json>, theirs: Record<string, Json>, at: string) => {
  const names = [...new Set([...Object.keys(own), ...Object.keys(theirs)])];
  return names
    .filter((name) => !untold.has(name))
    .flatMap((name): string[] => {
      const inside = at === '' ? name : `${at}.${name}`;
      const [mine, other] = [own[name], theirs[name]];
      if (mine === undefined) return [`${inside} is missing here`];
      if (other === undefined) return [`${inside} is missing there`];
      return compare(mine, other, inside);
    });
};

const compare = (own: Json, theirs: Json, at: string): string[] => {
  if (kindOf(own) !== kindOf(theirs))
    return [`${at} is ${kindOf(own)} here, ${kindOf(theirs)} there`];
  if (Array.isArray(own) && Array.isArray(theirs)) return compareLists(own, theirs, at);
  if (isObject(own) && isObject(theirs)) return compareObjects(own, theirs, at);
  const areTold = typeof own === 'boolean' || (word.test(String(own)) && word.test(String(theirs)));
  const said = `${at} is ${JSON.stringify(own)} here, ${JSON.stringify(theirs)} there`;
  return areTold && own !== theirs ? [said] : [];
};

const parse = (body: string): Json => {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return body;
  }
};

const describeStatus = ({ status, body }: Answered): string => {
  const said = parse(body);
  const error = isObject(said) && isObject(said.error ?? null) ? said.error : {};
  const { code, param } = error as { code?: string; param?: string };
  return [status, code, param && `(${param})`].filter(Boolean).join(' ');
};

/** Returns the differences as sentences; empty when the answers say the same. */
export const findDifferences = (own: Answered, theirs: Answered): string[] => {
  if (own.status !== theirs.status) {
    return [`answered ${describeStatus(own)} here, ${describeStatus(theirs)} there`];
  }
  return compare(parse(own.body), parse(theirs.body), '');
};

const id = /^[a-z]{2,12}_\w{8,}$/;

export const looksLikeId = (text: string): boolean => id.test(text) && /[A-Z0-9]/.test(text);

/** Tells `pair` each id of the twin's answer with the provider's in the same place. */
export const pairIds = (
  own: string,
  theirs: string,
  pair: (mine: string, other: string) => void,
): void => {
  const walk = (mine: Json | undefined, other: Json | undefined): void => {
    if (typeof mine === 'string' && typeof other === 'string') {
      if (looksLikeId(mine) && looksLikeId(other)) pair(mine, other);
    } else if (Array.isArray(mine) && Array.isArray(other)) {
      for (const [at, each] of mine.entries()) walk(each, other[at]);
    } else if (mine && other && isObject(mine) && isObject(other) && mine.url === undefined) {
      for (const [name, each] of Object.entries(mine)) walk(each, other[name]);
    }
  };
  walk(parse(own), parse(theirs));
};
