import { describe, expect, it } from 'vitest';
import { rows } from '../index.ts';
import type { RowShape } from './row.ts';
import { email, isEmail } from './schema.ts';

describe('isEmail', () => {
  it.each([
    'a@b.example',
    "o'hara+x@b.example",
    'ü@bücher.example',
    'a.b@x.y.example',
    `a@${'b'.repeat(310)}.example`,
  ])('%s is an address', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    ...['', 'a', 'a@', '@b.example', 'a@b', 'a@b@c.example', 'a b@c.example', ' a@b.example'],
    ...['a@b.example, c@d.example', 'a@b.example;c', 'a@b.example\r\nBcc: c', '<a@b.example>'],
    ...['"a"@b.example', 'a(b)@c.example', 'a..b@c.example', '.a@c.example', 'a.@c.example'],
    ...['a@b..example', 'a@-b.example', 'a@b.example.', 'a@[192.0.2.1]', 'a\u202eb@c.example'],
    ...['ada@maİl.example', 'adİ@mail.example'],
    `a@${'b'.repeat(320)}.example`,
  ])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false);
  });

  it('is shorter where an account is meant', () => {
    const long = `a@${'b'.repeat(250)}.example`;
    expect([isEmail(long), isEmail(long, 254)]).toEqual([true, false]);
  });
});

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of the fields, at any depth, whose value is an address. */
function addressesIn(schema: unknown, name = ''): Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isAddress = /^(email|to|\w*Email)$/.test(name) && 'type' in schema;
  const own = isAddress ? [schema as Schema] : [];
  const parts = Object.entries(schema).flatMap(([key, part]) => addressesIn(part, key));
  return [...own, ...parts];
}

describe('addresses in requests', () => {
  const { pattern } = email() as unknown as Schema;
  // The first two only look an address up; the last one refuses a wrong support address with a code of its own.
  const others = ['signIn', 'requestPasswordReset', 'updateClient'];

  it('follow one rule in every row', () => {
    const all = Object.entries(rows) as [string, RowShape][];
    const found = all.flatMap(([row, { input }]) =>
      addressesIn(input.body).map((schema) => ({ row, isEmail: schema.pattern === pattern })),
    );
    const rowsWhere = (judge: (isEmail: boolean) => boolean) =>
      found.filter((one) => judge(one.isEmail)).map(({ row }) => row);
    expect([...new Set(rowsWhere((is) => !is))].toSorted()).toEqual(others.toSorted());
    expect(rowsWhere((is) => is)).toEqual(
      expect.arrayContaining(['sendReceipt', 'createInvitation', 'createCustomer']),
    );
  });
});
