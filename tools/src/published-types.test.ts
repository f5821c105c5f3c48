import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from './checks/command.ts';
import { type Schema, typeText, writeTypes } from './published-types.ts';

describe('typeText', () => {
  it.each<[Schema, string]>([
    [{ type: 'integer', description: 'minor units' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', "it's", 'x"y', null] }, `'a' | 'it\\'s' | 'x"y' | null`],
    [{ const: 'payment' }, `'payment'`],
    [{ const: false }, 'false'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    [{ type: 'array', items: { const: 'a|b' } }, `'a|b'[]`],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, `('a' | 'b')[]`],
    [{ $ref: 'Payment#' }, 'Payment'],
    [{ $ref: '#/components/schemas/Payment' }, 'Payment'],
    [
      { type: 'object', patternProperties: { '^.*$': { type: 'string' } } },
      'Record<string, string>',
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
    [{}, 'unknown'],
    [
      { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] },
      'string | Record<string, unknown>',
    ],
    [{ allOf: [{ $ref: 'A' }, { anyOf: [{ $ref: 'B' }, { $ref: 'C' }] }] }, 'A & (B | C)'],
  ])('%j', (schema, text) => {
    expect(typeText(schema)).toBe(text);
  });

  it('nests objects and marks what may be missing', () => {
    const address: Schema = { type: 'object', properties: { city: { type: 'string' } } };
    const properties = { 'x-id': { type: 'string' }, address };
    expect(typeText({ type: 'object', properties, required: ['x-id'] })).toBe(
      '{\n  "x-id": string;\n  address?: {\n    city?: string;\n  };\n}',
    );
  });

  it('refuses what is not in the subset', () => {
    expect(() => typeText({ not: {} } as Schema)).toThrow(/subset/);
    expect(() => typeText({ type: 'date' })).toThrow(/subset/);
  });
});

describe('writeTypes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-types-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('writes a file that compiles by itself to the same types', async () => {
    const text = writeTypes({
      Payment: {
        type: 'object',
        description: 'One payment.',
        required: ['id', 'status'],
        properties: {
          id: { type: 'string' },
          status: { enum: ['authorized', 'captured'] },
          sessionId: { type: ['string', 'null'], description: 'Of its session */ if any.' },
          lines: { type: 'array', items: { $ref: 'Line' } },
        },
      },
      Line: { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } },
    });
    expect(text).toContain('/** One payment. */\nexport type Payment = {');
    writeFileSync(
      join(folder, 'check.ts'),
      `${text}
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Wanted = { id: string; status: 'authorized' | 'captured'; sessionId?: string | null; lines?: { amount: number }[] };
export const same: Same<Payment, Wanted> = true;
`,
    );
    const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
    const ran = await runCommand(folder, [tsc, '--noEmit', '--strict', '--types', '', 'check.ts']);
    expect(ran).toMatchObject({ code: 0, output: '' });
  });

  it('refuses a name that is none', () => {
    expect(() => writeTypes({ 'a-b': { type: 'string' } })).toThrow(/name of a type/);
  });
});
