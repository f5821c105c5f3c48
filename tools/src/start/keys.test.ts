import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it, vi } from 'vitest';
import { readKeys, writeEnvironment } from './keys.ts';

/** The paths that were synced to the disk, in their order. */
const synced: string[] = [];
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    fsyncSync(fd: number) {
      synced.push(fs.readlinkSync(`/proc/self/fd/${fd}`));
      fs.fsyncSync(fd);
    },
    renameSync(from: string, to: string) {
      synced.push(`${from} > ${to}`);
      fs.renameSync(from, to);
    },
  };
});

it.runIf(process.platform === 'linux')(
  'keys are on the disk before anything is sealed with them: file, name, folder',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-keys-'));
    try {
      readKeys(folder);
      const file = join(folder, 'keys.json');
      const draft = `${file}.${process.pid}`;
      expect(synced).toEqual([draft, `${draft} > ${file}`, folder]);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

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
