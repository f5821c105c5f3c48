// Contract §1, read from the document itself: statuses, types and codes are what is written there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorType } from './error-types.ts';
import { type ErrorCode, errorEntry, errors } from './errors.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/spec/contract.md'), 'utf8');
const start = text.indexOf('## 1. Errors');
const section = text.slice(start, text.indexOf('\n## 2.', start));
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('|--'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** Every code with every status that its row names, in order. */
const written = rows
  .filter(([, , status]) => /^\d{3}/.test(status ?? ''))
  .flatMap(([, , statuses = '', codes = '']) => {
    const all = statuses.match(/\d{3}/g)?.map(Number) ?? [];
    const names = [...codes.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name as string);
    return names
      .filter((name) => !['declineCode', 'advice'].includes(name) && name !== 'code')
      .map((name, index) => [name, all.length === names.length ? all[index] : all[0]] as const);
  })
  .filter(([name]) => !name.endsWith('_'));

const codes = Object.keys(errors) as ErrorCode[];

describe('errors', () => {
  it('the document is read: it names most of the codes', () => {
    expect(written.length).toBeGreaterThan(45);
  });

  it.each(written)('%s has status %i', (name, status) => {
    expect(errors).toHaveProperty(name);
    expect(errorEntry(name as ErrorCode).status).toBe(status);
  });

  it.each(
    rows
      .filter(([, type]) => /^`[a-z_]+_error`$/.test(type ?? ''))
      .flatMap(([, type = '', statuses = '']) =>
        (statuses.match(/\d{3}/g) ?? []).map((status) => [Number(status), type] as const),
      ),
  )('status %i is a %s', (status, type) => {
    expect(errorType(status)).toBe(type.replaceAll('`', ''));
  });

  it('every code has a type of its own status, and words for people', () => {
    for (const code of codes) {
      const { status, message } = errorEntry(code);
      expect(errorType(status) === 'api_error', code).toBe(status === 500 || status === 503);
      expect(message, code).toMatch(/^([A-Z]|x-user-id).*\.$/);
      expect(message.length, code).toBeLessThan(200);
    }
  });

  it('only what may succeed unchanged is retryable, and it is never a 500 or a wrong request', () => {
    for (const code of codes) {
      const { status, retryable } = errorEntry(code);
      if (retryable) expect([409, 429, 502, 503], code).toContain(status);
      if (status === 429 || status === 503) expect(retryable, code).toBe(true);
    }
    expect(errorEntry('idempotency_key_reused').retryable).toBeUndefined();
  });

  it('429, 503 and an operation in progress say when: Retry-After', () => {
    for (const code of codes) {
      const { status, retryAfter, retryable } = errorEntry(code);
      const mustSay = status === 429 || status === 503 || code.endsWith('_in_progress');
      if (mustSay) expect(retryAfter, code).toBeGreaterThan(0);
      if (retryAfter !== undefined) expect(retryable, code).toBe(true);
    }
    expect(errorEntry('checkout_session_claim_pending').retryAfter).toBe(1);
    expect(errorEntry('gateway_outcome_unknown').retryAfter).toBe(2);
  });
});
