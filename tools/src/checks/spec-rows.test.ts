import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSpecRows, describeShown } from './spec-rows.ts';

let root: string;

function plant(path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const plantTests = (...titles: string[]) =>
  plant('proof/rows.test.ts', titles.map((title) => `it('${title}', () => {});`).join('\n'));
const tell = () => plant('docs/spec/shown.md', describeShown(root));

const all = [
  'Spec 3.1.1: captured',
  'Contract §1 payment_not_found: 404',
  'Contract §2 authorized to succeeded, succeeded to refunded: in one',
  'Contract §2 refund pending to succeeded: given back',
];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-rows-'));
  plant(
    'docs/spec/specification.md',
    '| # | From |\n|---|---|\n| 3.1.1 | authorized | succeeded |\n',
  );
  plant(
    'docs/spec/contract.md',
    '| Where | Status | code |\n|---|---|---|\n| missing | 404 | `payment_not_found` |\n\n## 2\n',
  );
  plant(
    'service/schema.sql',
    `CREATE FUNCTION public.is_payment_move()
    when 'purchase' then (a, b) in (('authorized', 'succeeded'), ('succeeded', 'refunded'))
    when 'refund' then (a, b) in (('pending', 'succeeded'))
  end\n`,
  );
  plantTests(...all);
  tell();
});
afterEach(() => rmSync(root, { recursive: true }));

describe('specification rows', () => {
  it('passes when each row, code and move has a test, and the page tells them', () => {
    expect(checkSpecRows(root)).toEqual([]);
  });

  it.each([
    ['Spec 3.1.1', 'no test shows: Spec 3.1.1'],
    ['payment_not_found', 'no test shows: Contract §1 payment_not_found'],
    ['succeeded to refunded', 'no test shows: Contract §2 succeeded to refunded'],
    ['refund pending', 'no test shows: Contract §2 refund pending to succeeded'],
  ])('names what no test shows: %s', (words, complaint) => {
    plantTests(...all.map((title) => title.replace(words, 'nothing')));
    tell();
    expect(checkSpecRows(root)).toContain(complaint);
  });

  it('wants the page to be what the tests say', () => {
    plantTests(...all, 'Spec 3.1.1: and refused');
    expect(checkSpecRows(root)).toEqual([expect.stringContaining('shown.md is not up to date')]);
  });
});
