// Answers of calls that created something, by the key that they came with. The key is stored before the
// work, in its transaction: of two calls at once the second waits, and finds the answer of the first.

import assert from 'node:assert';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type CreateKey = {
  readonly clientId: string;
  /** The name of the row: keys of different calls have nothing to do with each other. */
  readonly operation: string;
  readonly idempotencyKey: string;
  /** The digest of the request and of the rights of its credential. */
  readonly requestSha256: Buffer;
};

export type KeptAnswer = {
  readonly id: string;
  readonly status: number;
  /** The body, sealed; null where the answer has none. */
  readonly answerSealed: Buffer | null;
  /** False while something is still to be added to the answer outside the transaction. */
  readonly isFinal: boolean;
};

type Row = {
  id: string;
  request_sha256: Buffer;
  status: number;
  answer_sealed: Buffer | null;
  is_final: boolean;
};

const find = sql<Row>(
  'kept_answers.find',
  `select id, request_sha256, status, answer_sealed, is_final from kept_answers
   where client_id = $1 and operation = $2 and idempotency_key = $3 and expires_at > svc_clock()`,
);

/** Returns the answer of the key; `other` where another request has it. */
export async function findKeptAnswer(
  via: Tx | Database,
  { clientId, operation, idempotencyKey, requestSha256 }: CreateKey,
): Promise<KeptAnswer | 'other' | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, operation, idempotencyKey]);
  if (!row) return undefined;
  if (!row.request_sha256.equals(requestSha256)) return 'other';
  const { id, status, answer_sealed: answerSealed, is_final: isFinal } = row;
  return { id, status, answerSealed, isFinal };
}

const insert = sql<{ id: string }>(
  'kept_answers.insert',
  `with moment as materialized (select svc_clock() as now)
   insert into kept_answers as k
     (id, client_id, operation, idempotency_key, request_sha256, status, is_final, expires_at)
   select $1, $2, $3, $4, $5, 0, false, now + interval '1 day' from moment
   on conflict (client_id, operation, idempotency_key) do update
     set id = excluded.id, request_sha256 = excluded.request_sha256, status = 0, answer_sealed = null,
       is_final = false, resource_id = null, expires_at = excluded.expires_at
     where k.expires_at <= (select now from moment)
   returning id`,
);

/**
 * Takes the key for the call of this transaction; false where it has been taken within the last day.
 * Waits for a transaction that is about to take it.
 */
export async function takeCreateKey(tx: Tx, key: CreateKey, id: string): Promise<boolean> {
  const { clientId, operation, idempotencyKey, requestSha256 } = key;
  const values = [id, clientId, operation, idempotencyKey, requestSha256];
  return (await tx.query(insert, values)).length > 0;
}

const keep = sql<{ id: string }>(
  'kept_answers.keep',
  `update kept_answers set status = $3, answer_sealed = $4, is_final = $5, resource_id = $6,
     expires_at = case when $3 = 204 then 'infinity' else expires_at end
   where client_id = $1 and id = $2 returning id`,
);

/** Keeps the answer beside its key. That of an order that was completed at once is kept for good. */
export async function keepAnswer(
  tx: Tx,
  clientId: string,
  { id, status, answerSealed, isFinal, resourceId }: KeptAnswer & { resourceId: string | null },
): Promise<void> {
  await tx.query(keep, [clientId, id, status, answerSealed, isFinal, resourceId]);
}

const finish = sql<{ answer_sealed: Buffer }>(
  'kept_answers.finish',
  `with done as (
     update kept_answers set answer_sealed = $3, is_final = true
     where client_id = $1 and id = $2 and not is_final returning answer_sealed)
   select answer_sealed from done
   union all
   select answer_sealed from kept_answers
   where client_id = $1 and id = $2 and not exists (select from done)`,
);

/** Completes an answer once; returns the one that was completed first. */
export async function finishAnswer(
  database: Database,
  clientId: string,
  { id, answerSealed }: { readonly id: string; readonly answerSealed: Buffer },
): Promise<Buffer> {
  const [row] = await database.write(finish, [clientId, id, answerSealed]);
  return row?.answer_sealed ?? answerSealed;
}

const removeExpired = sql<{ id: string }>(
  'kept_answers.remove_expired',
  `delete from kept_answers where id in (
     select id from kept_answers where expires_at <= (select svc_clock())
     order by expires_at limit $1 for update skip locked)
   returning id`,
);

/** Removes answers whose day is over. */
export const removeExpiredAnswers = async (database: Database, limit: number): Promise<number> =>
  (await database.write(removeExpired, [limit])).length;

const setPoint = sql('within.savepoint', 'savepoint part');
const releasePoint = sql('within.release', 'release savepoint part');
const backToPoint = sql('within.rollback', 'rollback to savepoint part');

/**
 * Returns a database whose statements all belong to an open transaction of the client: work that opens
 * transactions of its own commits with it, or not at all. A transaction of the work is a part that can
 * fail alone. Parts run one after the other.
 */
export function databaseWithin(tx: Tx, client: string): Database {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(part: () => Promise<T>): Promise<T> => {
    const end = last.then(part, part);
    last = end.catch(() => undefined);
    return end;
  };
  const asPart = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      await tx.query(setPoint, []);
      try {
        const result = await work();
        await tx.query(releasePoint, []);
        return result;
      } catch (error) {
        await tx.query(backToPoint, []);
        await tx.query(releasePoint, []);
        throw error;
      }
    });
  return {
    transaction(scope, work, settings = []) {
      assert(scope === client, 'a part belongs to the client of its transaction');
      assert(settings.length === 0, 'a part has no settings of its own');
      return asPart(() => work(tx));
    },
    read: (query, values) => tx.query(query, values),
    write: (query, values) => asPart(() => tx.query(query, values)),
    close: async () => undefined,
  };
}
