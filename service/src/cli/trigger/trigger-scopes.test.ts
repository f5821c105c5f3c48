// The scopes that `svc trigger --help` names, against the calls that its sources make.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { scopes } from '@svc/contract/rows/scopes';
import { expect, it } from 'vitest';
import { triggerCommand } from './trigger.ts';

const table: readonly RowShape[] = Object.values(rows);
const sources = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
  .concat('../merchant/follow-events.ts')
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n');

/** Returns the row of a call such as `GET /v1/payments/${id}`. */
function rowOf(call: string): RowShape | undefined {
  const plain = call.replace(/\$\{[^}]*\}/g, '{}').replace(/\?.*$/, '');
  return table.find((row) => row.call.replace(/\{\w+\}/g, '{}') === plain);
}

it('--help names every scope that a call of it takes, and no other', () => {
  const calls = [...sources.matchAll(/(?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^`'\s:]+/g)].map(
    ([call]) => call,
  );
  expect(calls.length).toBeGreaterThan(15);
  // The three calls share one path whose last part is the move.
  const moves = ['PUT capture', 'PUT cancel', 'POST refunds'].map((move) =>
    move.replace(' ', ' /v1/payments/{}/'),
  );
  const needed = new Set<string>(['payment_methods:read']); // The call for a buyer for whom the merchant vouches.
  for (const call of [...calls, ...moves]) {
    const row = rowOf(call);
    expect(row, call).toBeDefined();
    const scope = row?.tokenScope ?? row?.scope;
    if (scope) needed.add(scope);
  }
  const named = scopes.filter((scope) => new RegExp(`\\b${scope}\\b`).test(triggerCommand.help));
  expect([...named].sort()).toEqual([...needed].sort());
});
