import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { writeEnvironment } from './keys.ts';

it('settings are read as they were written, whatever quotes stand in them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-keys-'));
  try {
    const settings = {
      DATABASE_URL: "postgres://svc@/svc?host=%2Fhome%2FJo's%20shop",
      PLAIN: 'plain',
      SAID: 'say "x" # no comment',
      BOTH: `it's "x"`,
    };
    writeEnvironment(folder, settings);
    expect(parseEnv(readFileSync(join(folder, 'service.env'), 'utf8'))).toEqual(settings);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
