// No failure that a page can show speaks to programs.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rows } from '@svc/contract';
import { errorEntry } from '@svc/contract/errors/errors';
import { expect, it } from 'vitest';
import { failureWords } from './failure-words.ts';

const pages = join(import.meta.dirname, '..');
const called = new Set(
  readdirSync(pages, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(dashboard|kit)\/.*(?<!\.test)\.tsx?$/.test(file))
    .flatMap(
      (file) => readFileSync(join(pages, file), 'utf8').match(/(?<=')[A-Z]+ \/v1[^']*/g) ?? [],
    ),
);
const codes = [
  ...new Set(
    Object.values(rows)
      .filter((row) => called.has(row.call))
      .flatMap((row) => [...row.refuses]),
  ),
].sort();

/** Names of fields, and words for what only a program sends, reads or repeats. */
const ofPrograms =
  /[a-z][A-Z]|_|`|\b(API to|fields?|headers?|Idempotency|UUID|JSON|scope|body|cursor|parameter|svc|Send|Retry|repeat the call|[Rr]ead it again|this call|with the same key)\b/;

it('every call that a page makes is found in its source', () => {
  expect(called.size).toBeGreaterThan(80);
  expect(codes.length).toBeGreaterThan(80);
});

it.each(codes)('%s is told in words of the page', (code) => {
  const { message } = errorEntry(code);
  for (const isRead of [true, false]) {
    expect(failureWords({ code }, isRead) ?? message).not.toMatch(ofPrograms);
  }
});

it('a payment that changed says what is left, and a read promises nothing about effects', () => {
  const payment = { amountRefundable: 4.9, currency: 'EUR' };
  expect(failureWords({ code: 'payment_changed', payment }, false)).toMatch(
    /No money was moved\. €4\.90 is left\.$/,
  );
  const unavailable = { code: 'service_unavailable' };
  expect(failureWords(unavailable, true)).toBe('The service cannot answer now.');
  expect(failureWords(unavailable, false)).toMatch(/may have been done/);
  expect(failureWords({ code: 'search_being_prepared', preparedPercent: 40 }, true)).toBe(
    'The search is being prepared, 40 %. This page asks again by itself.',
  );
  expect(failureWords({ code: 'unheard_of' }, false)).toBeNull();
});
