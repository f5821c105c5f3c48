// Request bodies: the bytes are kept for the fingerprint, and the JSON is parsed strictly, so that
// no two readers of one body can understand it differently. Contract, wire rules.

import { isUtf8 } from 'node:buffer';
import { isOneLine } from '@svc/contract/servers/plain-text';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maxDepth } from '../../domain/protocol/canonical-json.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { findInexact, type InexactNumber, isExact } from './exact-numbers.ts';

/** In bytes. Contract §10. */
const bodyLimit = 65_536;
const maxKeys = 1000;
const maxStringLength = 8192;

export type Body = {
  /** The bytes as received; empty when there were none. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** The numbers of the text that `value` does not represent exactly. */
  readonly inexact: readonly InexactNumber[];
  /** Whether a string of `value` has a control character, line break or direction override. */
  readonly hasControls: boolean;
};

/** An absent body counts as `{}` wherever a body is expected. */
export const noBody: Body = {
  bytes: Buffer.alloc(0),
  text: '{}',
  value: {},
  inexact: [],
  hasControls: false,
};

// Matches strings, numbers and punctuation; white space and literals are skipped, because
// JSON.parse checks the grammar. A string without an end matches to the end of the text: if it were
// skipped, a text of many quotes would be searched from each of them.
const tokens = /"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|-?\d[-+.\deE]*|[{}[\]:,]/g;

/**
 * JSON.parse that throws a SyntaxError on duplicate keys, nesting over 20, more than 1000 keys,
 * strings over 8192 characters, NUL and lone surrogates. `onScalar` is called with every string,
 * keys included, and the text of every number.
 */
export function parseJson(
  text: string,
  onScalar: (text: string, isNumber: boolean) => void = () => undefined,
): unknown {
  const scopes: (Set<string> | null)[] = [];
  let keyCount = 0;
  let awaitsKey = false;
  for (const token of text.match(tokens) ?? []) {
    const mark = token[0];
    if (mark === '{' || mark === '[') {
      scopes.push(mark === '{' ? new Set() : null);
      awaitsKey = mark === '{';
      if (scopes.length > maxDepth) throw new SyntaxError('nested too deeply');
    } else if (mark === '}' || mark === ']') {
      scopes.pop();
      awaitsKey = false;
    } else if (mark === ',') {
      awaitsKey = scopes.at(-1) instanceof Set;
    } else if (mark === '"') {
      const string = readString(token);
      onScalar(string, false);
      if (!awaitsKey) continue;
      const keys = scopes.at(-1);
      if (keys?.has(string)) throw new SyntaxError('duplicate key');
      keys?.add(string);
      keyCount += 1;
      if (keyCount > maxKeys) throw new SyntaxError('too many keys');
      awaitsKey = false;
    } else if (mark !== ':') {
      onScalar(token, true);
    }
  }
  return JSON.parse(text) as unknown;
}

function readString(token: string): string {
  if (token.length < 2 || !token.endsWith('"')) throw new SyntaxError('string without an end');
  const string = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  if (string.length > maxStringLength) throw new SyntaxError('string too long');
  // PostgreSQL stores neither.
  if (string.includes('\0') || !string.isWellFormed()) throw new SyntaxError('not storable text');
  return string;
}

/** Returns the body as one JSON object. Throws invalid_body, raw_card_data_forbidden. */
export function readBody(bytes: Buffer): Body {
  if (bytes.length === 0) return noBody;
  if (!isUtf8(bytes)) throw invalidBody('It is not UTF-8.');
  const text = bytes.toString('utf8');
  let hasCardNumber = false;
  let isInexact = false;
  let hasControls = false;
  let value: unknown;
  try {
    value = parseJson(text, (scalar, isNumber) => {
      hasCardNumber ||= scalar.length >= 13 && containsCardNumber(scalar);
      isInexact ||= isNumber && !isExact(scalar);
      hasControls ||= !isNumber && !isOneLine(scalar);
    });
  } catch (error) {
    // JSON.parse quotes the body in its messages, and the body must not be returned or logged.
    const { message } = error as SyntaxError;
    throw invalidBody(reasons.get(message) ?? 'It is not valid JSON.');
  }
  if (hasCardNumber) throw new Refusal('raw_card_data_forbidden');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody(notAnObject);
  }
  const inexact = isInexact ? findInexact(text) : [];
  return { bytes, text, value: value as Record<string, unknown>, inexact, hasControls };
}

const notAnObject = 'It is not a JSON object.';

/** Returns whether the refused body could be parsed, and only is no object. */
export const isParsed = ({ message }: Refusal): boolean => message.endsWith(notAnObject);

/** The reason in the response to the caller, by the parser's error message. */
const reasons = new Map([
  ['nested too deeply', `It is nested more than ${maxDepth} levels deep.`],
  ['duplicate key', 'An object in it has a key twice.'],
  ['too many keys', `It has more than ${maxKeys} keys.`],
  ['string too long', `A text in it has more than ${maxStringLength} characters.`],
  ['not storable text', 'A text in it has a NUL, or half of a character.'],
]);

const invalidBody = (reason: string): Refusal =>
  new Refusal('invalid_body', {
    message: `The body must be one JSON object without duplicate keys. ${reason}`,
  });

/** Accepts only JSON bodies; `request.body` is a Body, or undefined when none was sent. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit },
    (request: FastifyRequest, bytes: Buffer, done) => {
      try {
        assertCharset(request.headers['content-type'] ?? '');
        assertPlain(request.headers['content-encoding']);
        done(null, readBody(bytes));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/** An encoded body would be read as something else, or as invalid JSON. RFC 9110 §15.5.16. */
function assertPlain(encoding: string | undefined): void {
  if (encoding === undefined || /^\s*identity\s*$/i.test(encoding)) return;
  throw new Refusal('unsupported_media_type', {
    message: 'The body has a Content-Encoding. Send it as it is, without one.',
    headers: { 'accept-encoding': 'identity' },
  });
}

function assertCharset(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Refusal('unsupported_media_type');
  }
}
