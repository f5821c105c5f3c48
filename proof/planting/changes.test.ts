import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode } from '../vitest/run-vitest.ts';
import { PatchMisfit, patched, withPlanted } from './changes.ts';

const file = 'service/src/domain/payments/operation.ts';
const fault = {
  file,
  from: 'export const providerKey',
  to: 'export const providerKey2 = 2, providerKey',
};

describe('patched', () => {
  it('a change that fits nowhere or twice is refused, so that none goes stale unseen', () => {
    const change = { file: 'a.ts', from: 'b', to: '$&c' };
    expect(patched('abc', change)).toBe('a$&cc');
    expect(() => patched('aac', change)).toThrow(PatchMisfit);
    expect(() => patched('abcb', change)).toThrow(PatchMisfit);
  });
});

describe('withPlanted', () => {
  const load = (env: Readonly<Record<string, string>>) => {
    const path = JSON.stringify(join(import.meta.dirname, '../..', file));
    return runNode(['-p', `Object.keys(require(${path})).join()`], { env });
  };

  it('a process that loads the file gets its text with the change; no other process does', async () => {
    expect((await withPlanted([fault], load)).text).toContain('providerKey2');
    expect((await withPlanted([], load)).text).toMatch(/providerKey\b(?!.*providerKey2)/);
  });

  it('a change that does not fit is refused before anything runs', async () => {
    const run = withPlanted([{ ...fault, from: 'is nowhere' }], async () => {
      throw new Error('it ran');
    });
    await expect(run).rejects.toThrow(PatchMisfit);
  });

  it('a change whose file was never loaded is refused: it would be called survived, or caught', async () => {
    const run = withPlanted([fault], async () => 'all green');
    await expect(run).rejects.toThrow(
      /never loaded: service\/src\/domain\/payments\/operation\.ts/,
    );
  });
});
