// The table of scopes in docs/guides/api-tokens.md, compared with the rows that accept them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import type { RowShape } from '@svc/contract/rows/row';
import { scopes } from '@svc/contract/rows/scopes';
import { expect, it } from 'vitest';

const guide = readFileSync(
  join(import.meta.dirname, '../../../../docs/guides/api-tokens.md'),
  'utf8',
);

/** Returns the calls by scope, as the guide lists them. */
function listOpened(): Record<string, string[]> {
  const table: readonly RowShape[] = Object.values(rows);
  return Object.fromEntries(
    scopes.map((scope) => [
      scope,
      table
        .filter((row) => (row.tokenScope ?? row.scope) === scope)
        .map(({ call }) => call)
        .sort(),
    ]),
  );
}

it('Contract §6 refund scope, card scope: names every scope, and for each the calls that take it, as they are', () => {
  const lines = [...guide.matchAll(/^\| `([a-z_]+(?::[a-z]+)?)` +\| ([^|]+?) +\|$/gm)];
  const said = Object.fromEntries(
    lines
      .filter(([, name = '']) => (scopes as readonly string[]).includes(name))
      .map(([, name = '', calls = '']) => [
        name,
        [...calls.matchAll(/`([A-Z]+ [^`]+)`/g)].map(([, call = '']) => call).sort(),
      ]),
  );
  expect(said).toEqual(listOpened());
});
