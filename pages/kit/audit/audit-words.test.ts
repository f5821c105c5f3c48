// Entries in words and as CSV.

import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { describe, expect, it } from 'vitest';
import { csvOf } from './audit-csv.ts';
import { actionWords, changesOf, fieldWords, fromWords, valueWords } from './audit-words.ts';

describe('words', () => {
  it('actions and fields are read as people write them', () => {
    expect(actionWords('member.role_changed')).toBe('Member: role changed');
    expect(actionWords('api_token.created')).toBe('API token: created');
    expect(actionWords('consent.ended')).not.toBe(actionWords('consent.revoked'));
    expect(fieldWords('displayName')).toBe('Display name');
    expect(fieldWords('expires_at')).toBe('Expires at');
  });

  it('values: nothing, yes, no, lists, objects', () => {
    expect(
      [null, '', [], true, false, 0, ['a', 'b'], { currency: 'EUR', amount: 19.9 }].map((value) =>
        valueWords(value),
      ),
    ).toEqual([...['nothing', 'nothing', 'nothing', 'yes', 'no', '0', 'a, b', 'EUR 19.9']]);
  });
});

describe('changesOf', () => {
  it('tells what differs, what came and what went', () => {
    expect(changesOf({ role: 'member', name: 'Ada' }, { role: 'admin', name: 'Ada' })).toEqual([
      { field: 'role', before: 'member', after: 'admin' },
    ]);
    expect(changesOf(null, { role: 'admin', uri: null })).toEqual([
      { field: 'role', before: null, after: 'admin' },
    ]);
    expect(changesOf({ role: 'admin' }, null)).toEqual([
      { field: 'role', before: 'admin', after: null },
    ]);
    expect(changesOf(null, null)).toEqual([]);
    expect(changesOf(null, { method: 'password_totp' })).toEqual([
      { field: 'method', before: null, after: 'password and code of the authenticator' },
    ]);
  });
});

it('from where: the address, and the browser of people alone', () => {
  const from = (kind: string, address: string | null, userAgent: string | null) =>
    fromWords({ actor: { kind }, address, userAgent } as AuditEntry);
  const chrome = 'Mozilla/5.0 (X11; Linux x64) Chrome/147.0';
  expect(from('person', '203.0.113.7', chrome)).toBe('203.0.113.7 · Chrome on Linux');
  expect(from('api_token', '203.0.113.7', 'curl/8')).toBe('203.0.113.7');
  expect(from('system', null, null)).toBe('–');
});

describe('csvOf', () => {
  const entry = {
    object: 'audit_entry',
    id: 'e1',
    action: 'member.removed',
    actor: { kind: 'person', userId: 'u1', email: null, credentialId: null, applicationId: null },
    resource: { type: 'member', id: 'u2' },
    before: { name: 'a "quoted", name' },
    after: null,
    address: '127.0.0.1',
    userAgent: '=HYPERLINK("http://x.example")',
    requestId: 'r1',
    createdAt: '2026-11-21T22:00:00.000Z',
  } as unknown as Parameters<typeof csvOf>[0][number];

  it('quotes what needs it', () => {
    const [head, line, rest] = csvOf([entry]).split('\r\n');
    expect(head?.startsWith('createdAt,action,actorKind,')).toBe(true);
    expect(line).toContain('"{""name"":""a \\""quoted\\"", name""}"');
    expect(rest).toBe('');
  });

  it('lets no spreadsheet compute what somebody wrote', () => {
    expect(csvOf([entry])).toContain(`"'=HYPERLINK(""http://x.example"")"`);
    expect(csvOf([entry])).not.toMatch(/,"?=HYPERLINK/);
  });
});
