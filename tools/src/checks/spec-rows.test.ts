// The checker with the real documents, and with tests for all of their rows but one.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demandRows } from './demanded-rows.ts';
import { checkSpecRows, describeShown } from './spec-rows.ts';

const project = join(import.meta.dirname, '../../..');
const documents = [
  'docs/spec/specification.md',
  'docs/spec/contract.md',
  'docs/spec/additions.md',
  'service/migrations',
  'contract/src',
];
const { rows } = demandRows(project);
let root: string;

function plant(path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const plantTests = (titles: readonly string[]) =>
  plant('proof/rows.test.ts', titles.map((title) => `it('${title}', () => {});`).join('\n'));
const titleOf = (row: string) => `${row}: as it says`;
/** Changes a document. */
function rewrite(path: string, from: string, to: string): void {
  const text = readFileSync(join(root, path), 'utf8');
  expect(text).toContain(from);
  plant(path, text.replace(from, to));
}

/** Copies the documents for each test of a group. */
function copyEach(): void {
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-rows-'));
    for (const path of documents)
      cpSync(join(project, path), join(root, path), { recursive: true });
    plantTests(rows.map(titleOf));
  });
  afterEach(() => rmSync(root, { recursive: true }));
}

describe('a code of an error', () => {
  copyEach();
  const row = 'Contract §1 payment_disputed';
  const others = rows.filter((one) => one !== row).map(titleOf);
  const missing = `no test shows: ${row}`;

  it('is shown by the test beside the code that begins with its status, among others', () => {
    plantTests(others);
    plant(
      'service/src/a.test.ts',
      "it('404 payment_not_found · 409 payment_disputed: as it says', () => {});",
    );
    expect(checkSpecRows(root)).toEqual([]);
    expect(describeShown(root)).toContain(
      `| ${row} |  | 404 payment_not_found · 409 payment_disputed: as it says | [a.test.ts]`,
    );
  });

  it('is shown by a title that names another row before it', () => {
    plantTests(others);
    plant(
      'service/src/a.test.ts',
      "it('Spec 3.1.1 · 409 payment_disputed: as it says', () => {});",
    );
    expect(checkSpecRows(root)).toEqual([]);
  });

  it('is not shown by a title that names it later, or by a test elsewhere', () => {
    plantTests(others);
    plant('service/src/a.test.ts', "it('says 409 payment_disputed', () => {});");
    plant('pages/a.test.ts', "it('409 payment_disputed: as it says', () => {});");
    expect(checkSpecRows(root)).toEqual([missing]);
  });
});

describe('what the documents demand', () => {
  it.each([
    'Spec 3.1.1',
    'Spec 4.1.1',
    'Spec 4.1.6',
    'Spec 4.2.3',
    'Spec 3.2.4',
    'Spec 4.1.8',
    'Spec 4.3.2',
    'Spec 4.4.4',
    'Spec 2.5 lastUsedAt',
    'Spec 5 token management',
    'Spec 5 rule 1',
    'Spec 5 rule 10',
    'Spec 4.5.1',
    'Spec 4.5.8',
    'Spec 8.5',
    'Spec 8.6',
    'Spec 4.5 base URL',
    'Contract §3 two-phase',
    'Contract §9 quota',
    'Spec 7.3.3',
    'Spec 8.1',
    'Spec 8.4',
    'Contract §1 api_token_limit_reached',
    'Contract §1 recent_sign_in_required',
    'Contract §1 confirmation_outdated',
    'Contract §1 authorization_not_found',
    'Contract §6 rotate',
    'Contract §6 refresh',
    'Contract §6 row scope',
    'Contract §6 cookie',
    'Contract §10 wrong proofs',
    'Contract §10 tokens an hour',
    'Spec 7.2.7',
    'Spec 7.3.1',
    'Spec 7.3.4',
    'Spec 2.4 lastFour',
    'Spec 2.4 no secrets',
    'Spec 4.3 choice',
    'Spec 2.2 uuid',
    'Spec 2.2 latestTransactionAttempt.result',
    'Spec 2.2 products',
    'Spec 2.3 cancelUrl',
    'Spec 4.1 unclaimed vault charge',
    'Contract §1 api_error',
    'Contract §1 payment_not_found',
    'Contract §1 checkout_session_claim_pending',
    'Contract §1 method_not_allowed',
    'Contract §1 customer_not_found',
    'Contract §1 customer_exists',
    'Contract §1 checkout_session_not_setup',
    'Contract §2 succeeded to refunded',
    'Contract §2 refund pending to succeeded',
    'Contract §3 status unclaimed',
    'Contract §3 status expired',
    'Contract §3 result PENDING',
    'Contract §3 result UNKNOWN',
    'Contract §3 process wallet_redirect_required',
    'Contract §3 advice do_not_try_again',
    'Contract §3 reason other',
    'Contract §5 reason vault_cleanup_failed',
    'Contract §5 resolution update_funding_manually',
    'Contract §5 in use paused',
    'Contract §5 retrySafe',
    'Contract §8 product prices',
    'Contract §8 coupon percentOff',
    'Contract §8 coupon maxRedemptions',
    'Contract §8 rounding',
    'Contract §10 process a minute',
  ])('%s', (row) => {
    expect(rows).toContain(row);
  });

  it('each row once, and no tens of them fewer', () => {
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(350);
  });
});

describe('a citation of reliability.md', () => {
  copyEach();

  it('names a section or a promise that the page has', () => {
    plant('docs/spec/reliability.md', '### 2.1 Faults\n\nF4-F6 lost · M1 once\n\n- §3.3 Modes.\n');
    plant('service/src/a.ts', '// Reliability §2.1: F5, M1. Reliability §3.3.\n');
    expect(checkSpecRows(root)).toEqual([]);
    plant('service/src/a.ts', '// Money. Reliability M1,\n// F7; §3.4.\n');
    expect(checkSpecRows(root)).toEqual(
      ['F7', '3.4'].map((place) => `service/src/a.ts: docs/spec/reliability.md has no ${place}`),
    );
  });
});

describe('what changed documents demand', () => {
  copyEach();

  it('an endpoint from the day that the contract serves it', () => {
    const setups = 'contract/src/customers/card-setups.ts';
    rewrite(setups, "call: 'POST /v1/checkouts/sessions/setup',", '');
    expect(demandRows(root).rows).not.toContain('Spec 4.1.8');
    plant('contract/src/set-up.ts', "call: 'POST /v1/checkouts/sessions/setup',");
    expect(demandRows(root).rows).toContain('Spec 4.1.8');
  });

  it('a value from the day that a list has it', () => {
    rewrite('docs/spec/contract.md', 'ERROR UNKNOWN`', 'ERROR UNKNOWN REVERSED`');
    expect(checkSpecRows(root)).toEqual(['no test shows: Contract §3 result REVERSED']);
  });

  it('a code from the day that the service knows it, and that a document names it', () => {
    const errors = 'contract/src/errors/errors-people.ts';
    rewrite(
      errors,
      '  last_owner: {',
      "  too_many: { status: 409, message: 'x' },\n  last_owner: {",
    );
    const complaints = ['no document names: 409 too_many', 'no test shows: Contract §1 too_many'];
    expect(checkSpecRows(root)).toEqual(complaints);
    rewrite(
      errors,
      "too_many: { status: 409, message: 'x' }",
      'too_many: {\n    status: 409,\n  }',
    );
    expect(checkSpecRows(root)).toEqual(complaints);
  });

  it('the status of a code that the additions name', () => {
    rewrite(
      'contract/src/errors/errors-people.ts',
      'sign_in_failed: {\n    status: 401',
      'sign_in_failed: {\n    status: 403',
    );
    expect(checkSpecRows(root)).toEqual(['no document names: 403 sign_in_failed']);
  });

  it('a rule of authentication from the day that the section has it', () => {
    rewrite(
      'docs/spec/specification.md',
      '10. Authentication of GET /v1/payments',
      '10. One more.\n11. Authentication of GET /v1/payments',
    );
    expect(checkSpecRows(root)).toContain('no test shows: Spec 5 rule 11');
  });

  it('complains where the words of a rule are gone', () => {
    rewrite('docs/spec/contract.md', 'process 6 a minute', 'process 7 a minute');
    expect(checkSpecRows(root)).toEqual([
      'Contract §10 process a minute: the document no longer says "process 6 a minute"',
    ]);
  });
});

describe('specification rows', () => {
  copyEach();

  it('passes when each has a test, and the page tells them', () => {
    expect(checkSpecRows(root)).toEqual([]);
  });

  it('names each one that no test shows', () => {
    plantTests([]);
    expect(checkSpecRows(root)).toEqual(rows.map((row) => `no test shows: ${row}`));
  });

  it('no title stands in for another row', () => {
    // Halves the rows by each bit of their number: of any two rows, each is missing once while the
    // other is there.
    for (let bit = 1; bit < rows.length; bit *= 2) {
      for (const half of [0, bit]) {
        plantTests(rows.filter((_, at) => (at & bit) === half).map(titleOf));
        const missing = rows.filter((_, at) => (at & bit) !== half);
        expect(checkSpecRows(root)).toEqual(missing.map((row) => `no test shows: ${row}`));
      }
    }
  });

  it('takes a title that names several, and none that names another in passing', () => {
    const [code, other] = ['checkout_session_expired', 'buyer_mismatch'];
    const rest = rows.filter((row) => !row.endsWith(code) && !row.endsWith(other)).map(titleOf);
    const check = (...titles: string[]) => {
      plantTests([...rest, ...titles]);
      return checkSpecRows(root);
    };
    expect(check(`Contract §1 ${code}, ${other}: 409, 403`)).toEqual([]);
    expect(check(`Contract §1 ${code} and ${other}: 409, 403`)).toEqual([]);
    expect(check(`Spec 3.1.1 · Contract §1 ${code} · Contract §1 ${other}: as it says`)).toEqual(
      [],
    );
    expect(check(`Spec 2.2 id and uuid · Contract §1 ${code}, ${other}: as it says`)).toEqual([]);
    const missing = [`no test shows: Contract §1 ${other}`];
    expect(check(`Contract §1 ${code} · 409: as it says · Contract §1 ${other}`)).toEqual(missing);
    expect(check(`Contract §1 ${code}: 409, unlike ${other}`)).toEqual(missing);
    expect(check(`Contract §1 ${code}: 409`, `Contract §1 ${other}_too: 403`)).toEqual(missing);
    expect(check(`Contract §1 ${code}: 409`, `Contract §2 ${other}: 403`)).toEqual(missing);
  });
});
