// `--override session.metadata.order=7`: changes single fields of a trigger's requests.

import { UsageError } from '../line/flags.ts';

type Override = { readonly path: readonly string[]; readonly value: unknown };

/** Bodies of a trigger's requests, by the name of the request. */
export type Bodies = {
  /** Returns the body with the overridden fields. */
  of<T extends object>(name: string, body: T): T;
};

/**
 * Reads `--override`; the first word names the request, and `known` are the requests that the
 * trigger makes. Throws UsageError, before anything has happened.
 */
export function readOverrides(texts: readonly string[], known: readonly string[]): Bodies {
  const overrides = texts.map((text) => readOverride(text, known));
  return {
    of(name, body) {
      const copy = structuredClone(body) as Record<string, unknown>;
      for (const { path, value } of overrides) {
        if (path[0] === name) setAt(copy, path.slice(1), value);
      }
      return copy as typeof body;
    },
  };
}

function readOverride(text: string, known: readonly string[]): Override {
  const at = text.indexOf('=');
  const path = text.slice(0, Math.max(at, 0)).split('.');
  if (
    at < 0 ||
    path.length < 2 ||
    path.some((part) => !/^\w[\w-]*$/.test(part) || isForbidden(part))
  ) {
    throw new UsageError(`--override is written like session.metadata.order=7: ${text}`);
  }
  if (!known.includes(path[0] ?? '')) {
    const names = known.length === 0 ? 'none' : known.join(', ');
    throw new UsageError(`--override ${text} is not possible for this event; it accepts ${names}`);
  }
  const value = text.slice(at + 1);
  return { path, value: isText(path) ? value : readValue(value) };
}

/**
 * Returns whether a value stays a string although it consists of digits: metadata, and a shop's ids
 * such as 42.
 */
const isText = (path: readonly string[]): boolean =>
  path.at(-2) === 'metadata' || /^(id|userId|externalId)$/.test(path.at(-1) ?? '');

// These names would change properties that every object has.
const isForbidden = (part: string): boolean =>
  ['__proto__', 'constructor', 'prototype'].includes(part);

/** Returns the parsed JSON, or the text itself when it is not JSON. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const inner = target[key];
  if (typeof inner !== 'object' || inner === null) target[key] = {};
  setAt(target[key] as Record<string, unknown>, rest, value);
}
