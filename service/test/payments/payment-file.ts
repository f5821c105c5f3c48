// The file of payments, and what it adds up to.

import { callAs } from '../harness.ts';
import type { TestServer } from '../server.ts';
import type { World } from '../world.ts';

type Fixture = { readonly world: World; readonly server: TestServer };
type FileRow = Readonly<Record<string, string | null>>;

export async function readPaymentFile({ world, server }: Fixture): Promise<FileRow[]> {
  const answer = await callAs(server.app, world.token, 'GET /v1/payments.csv?style=json');
  return answer.body
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Adds up a column of fees or of what is left, in hundredths by currency. */
export function addUpFile(rows: readonly FileRow[], column: 'fee' | 'net'): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const row of rows) {
    const currency = row.fee_currency ?? '';
    sums[currency] = (sums[currency] ?? 0) + Math.round(Number(row[column]) * 100);
  }
  return sums;
}
