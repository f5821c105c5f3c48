// The idempotency key of a call, and the identity of the request that it stands for. Contract §2, Idempotency.

import assert from 'node:assert';
import { hash } from 'node:crypto';
import type { RowShape } from '@svc/contract/rows/row';
import { canonicalJson } from '../../domain/protocol/canonical-json.ts';
import type { Caller, CreateOnce } from '../../engine/ports.ts';
import type { Body } from '../wire/body.ts';
import { readIdempotencyKey, readOptionalKey } from '../wire/idempotency-key.ts';
import { serialiserOf } from '../wire/validate.ts';

/** Without a credential a key is ignored: whoever guessed it would be answered with what another browser created. */
export function keyOf(row: RowShape, caller: Caller, rawHeaders: readonly string[]): string | null {
  if (row.idempotent) return readIdempotencyKey(rawHeaders);
  return row.createsOnce && caller.kind === 'server' ? readOptionalKey(rawHeaders) : null;
}

/**
 * The identity of a request: operation, resource and the body's content, in which a null field
 * counts as absent. Contract §2, Idempotency.
 */
export const fingerprint = (identity: readonly unknown[], body: Body): Buffer =>
  hash('sha256', [...identity, canonicalJson(body.text, { skipsNull: true })].join('\n'), 'buffer');

type KeyedCall = {
  readonly idempotencyKey: string | null;
  readonly path: Readonly<Record<string, unknown>>;
  readonly body: Body;
};

/**
 * Gives a call that creates something its key. Rights are part of the request: an answer may hold what
 * another credential of the merchant could not have got.
 */
export function withCreateKey(
  { name, row, method }: { readonly name: string; readonly row: RowShape; readonly method: string },
  { idempotencyKey, path, body }: KeyedCall,
  caller: Caller,
): Caller {
  if (caller.kind !== 'server' || !row.createsOnce || !idempotencyKey) return caller;
  const { clientId, role, scopes } = caller;
  const rights = [role, scopes === null ? 'all' : scopes.toSorted().join(' ')];
  const identity = [method, name, ...Object.values(path), ...rights];
  const once: CreateOnce = {
    ...{ clientId, operation: name, idempotencyKey },
    requestSha256: fingerprint(identity, body),
    write({ status, body: said }) {
      const schema = row.answers[status];
      assert(schema, `${name} answers ${status} without a body`);
      return serialiserOf(schema)(said);
    },
  };
  return { ...caller, once };
}
