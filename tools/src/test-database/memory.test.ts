import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openMemoryFolder, removeMemoryFolder } from './memory.ts';

const shelter = mkdtempSync(join(tmpdir(), 'svc-shelter-'));
afterAll(() => rmSync(shelter, { recursive: true, force: true }));

it('what a killed run has left goes, what another one uses stays', () => {
  const dead = spawnSync(process.execPath, ['--version']).pid;
  for (const owner of [dead, process.ppid])
    mkdirSync(join(shelter, `svc-test-${owner}-a/x`), { recursive: true });
  mkdirSync(join(shelter, 'of-somebody-else'));
  const folder = openMemoryFolder(shelter);
  expect(readdirSync(shelter)).not.toContain(`svc-test-${dead}-a`);
  expect(readdirSync(shelter)).toEqual(
    expect.arrayContaining([`svc-test-${process.ppid}-a`, 'of-somebody-else']),
  );
  if (folder) removeMemoryFolder(folder);
  expect(existsSync(folder ?? '')).toBe(false);
});

it('none where there is no such file system', () => {
  expect(openMemoryFolder(join(shelter, 'none'))).toBe(undefined);
});
