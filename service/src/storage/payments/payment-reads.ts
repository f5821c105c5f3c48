// Payments as callers read them: one statement answers concurrent calls. It also checks whether a
// token that was only recalled from memory is still valid, once for all calls that use it.

import assert from 'node:assert';
import type { Payment } from '../../domain/payments/payment.ts';
import { isLiveToken } from '../credentials/credential-check.ts';
import { byteStrings, packColumns, uuids } from '../database/array-values.ts';
import { openBatches } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';

export type PaymentQuestion = {
  readonly clientId: string;
  readonly paymentId: string;
  /** The token to check with the payment; absent when this request read the credential from the database. */
  readonly token?: RecalledToken | undefined;
};

type RecalledToken = {
  readonly id: string;
  readonly userId: string;
  readonly sha256: Buffer;
};

export type PaymentAnswer = {
  /** Undefined when the payment is missing or another client's. */
  readonly payment: Payment | undefined;
  /** False when the token has ended, or its value is not the current one. */
  readonly stands: boolean;
};

// One row for each question; the first one carries the numbers of the valid tokens. Scalar and
// lateral subqueries find each row by key, however large the tables are.
const findMany = sql<PaymentRow>(
  'payments.find_many',
  `select ${paymentColumns}, case when asked.number = 1 then (
       select coalesce(array_agg(c.number::int), '{}')
       from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::bytea[]) with ordinality
         as c(client_id, id, user_id, sha256, number)
       where (select true from api_tokens t
         where t.id = c.id and t.client_id = c.client_id and t.user_id = c.user_id
           and t.token_sha256 = c.sha256 and ${isLiveToken()})
         and (select true from memberships m
           where m.client_id = c.client_id and m.user_id = c.user_id)) end as standing
   from unnest($1::uuid[], $2::uuid[]) with ordinality as asked(client_id, id, number)
   left join lateral (select * from payments q
     where q.client_id = asked.client_id and q.id = asked.id limit 1) as p on true
   order by asked.number`,
  { isByKeys: true },
);

async function readPayments(
  database: Database,
  questions: readonly PaymentQuestion[],
): Promise<PaymentAnswer[]> {
  // Usually many calls use one token, with one object as its digest.
  const numbers = new Map<Buffer, number>();
  const tokens: [clientId: string, id: string, userId: string, sha256: Buffer][] = [];
  const numberOf = ({ clientId, token }: PaymentQuestion): number | undefined => {
    if (!token) return undefined;
    const { id, userId, sha256 } = token;
    const known = numbers.get(sha256);
    const first = known && tokens[known - 1];
    if (first && first[0] === clientId && first[1] === id && first[2] === userId) return known;
    const number = tokens.push([clientId, id, userId, sha256]);
    numbers.set(sha256, number);
    return number;
  };
  const asked = questions.map(numberOf);
  const rows = await database.read(findMany, [
    ...packColumns(
      [uuids, uuids],
      questions.map(({ clientId, paymentId }) => [clientId, paymentId]),
    ),
    ...packColumns([uuids, uuids, uuids, byteStrings], tokens),
  ]);
  const standing = new Set(rows[0]?.standing as number[]);
  return rows.map((row, at) => {
    const number = asked[at];
    return {
      payment: row.id === null ? undefined : toPayment(row),
      stands: number === undefined || standing.has(number),
    };
  });
}

const queues = new WeakMap<Database, (question: PaymentQuestion) => Promise<PaymentAnswer>>();

function openQueue(database: Database): (question: PaymentQuestion) => Promise<PaymentAnswer> {
  return openBatches<PaymentQuestion, PaymentAnswer>({
    async one(question) {
      const [answer] = await readPayments(database, [question]);
      assert(answer, 'a row for each question');
      return answer;
    },
    many: (questions) => readPayments(database, questions),
  });
}

/** Returns one payment of the client, read after this call was made. */
export function readPayment(database: Database, question: PaymentQuestion): Promise<PaymentAnswer> {
  const queue = queues.get(database) ?? openQueue(database);
  queues.set(database, queue);
  return queue(question);
}
