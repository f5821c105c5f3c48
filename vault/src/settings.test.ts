import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-vault-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const key = Buffer.alloc(32, 1).toString('base64');
const file = join(folder, 'key');
writeFileSync(file, `${key}\n`);
const others = {
  ...{ VAULT_PORT: '0', VAULT_INTERNAL_PORT: '0', VAULT_PROVIDER_URL: 'http://127.0.0.1:9' },
  VAULT_DATABASE_URL: 'postgres://vault@localhost/svc',
  VAULT_SHARED_KEY: Buffer.alloc(32, 2).toString('base64'),
};

it('takes a list of database servers, and refuses one of servers that take no writes', () => {
  const of = (attrs: string) =>
    readSettings({
      ...{ ...others, VAULT_KEY: key },
      VAULT_DATABASE_URL: `postgres://svc_vault@one:5432,two:5433/svc?target_session_attrs=${attrs}`,
    });
  expect(of('read-write')).toHaveProperty('settings');
  expect(of('standby')).toEqual({
    problems: [expect.stringMatching(/^VAULT_DATABASE_URL must begin .* target_session_attrs/)],
  });
});

describe('a secret as a file', () => {
  it('is read, with or without a line break at its end', () => {
    const read = readSettings({ ...others, VAULT_KEY_FILE: file });
    expect('settings' in read && read.settings.key.toString('base64')).toBe(key);
  });

  it('is refused beside the value itself, and when it cannot be read', () => {
    expect(readSettings({ ...others, VAULT_KEY: key, VAULT_KEY_FILE: file })).toEqual({
      problems: ['VAULT_KEY and VAULT_KEY_FILE are both given: leave one out'],
    });
    expect(readSettings({ ...others, VAULT_KEY_FILE: join(folder, 'none') })).toEqual({
      problems: [expect.stringContaining('VAULT_KEY cannot be read from VAULT_KEY_FILE: ENOENT')],
    });
  });

  it('is for secrets alone', () => {
    expect(
      readSettings({ ...others, VAULT_KEY: key, VAULT_PORT: '', VAULT_PORT_FILE: file }),
    ).toEqual({
      problems: ['VAULT_PORT is required'],
    });
  });
});
