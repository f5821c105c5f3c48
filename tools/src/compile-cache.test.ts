// Node's compiled cache is executable code: only its own user may write where a process reads it.

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileCache } from '../entry/compile-cache.mjs';

const root = join(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;
const disabled = { NODE_COMPILE_CACHE: '', NODE_DISABLE_COMPILE_CACHE: '1' };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-compiled-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the folder of compiled code', () => {
  it('is made in the project, closed to everybody else, in a folder that others may pass through', () => {
    const cache = join(folder, '.cache/compile');
    expect(compileCache(folder, {})).toEqual({ NODE_COMPILE_CACHE: cache });
    expect(lstatSync(cache).mode & 0o777).toBe(0o700);
    expect(lstatSync(join(folder, '.cache')).mode & 0o777).toBe(0o755 & ~process.umask());
  });

  it.each(['.cache', '.cache/compile'])('%s open to others: what lay there is removed', (open) => {
    const cache = join(folder, '.cache/compile');
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'planted'), '');
    chmodSync(join(folder, open), 0o777);
    expect(compileCache(folder, {})).toEqual({ NODE_COMPILE_CACHE: cache });
    expect(readdirSync(cache)).toEqual([]);
    expect(lstatSync(join(folder, open)).mode & 0o022).toBe(0);
  });

  it.runIf(isRoot).each(['.cache', '.cache/compile'])('%s of another user: no cache', (foreign) => {
    mkdirSync(join(folder, '.cache/compile'), { recursive: true });
    chownSync(join(folder, foreign), 12_345, 12_345);
    expect(compileCache(folder, {})).toEqual(disabled);
  });

  it('a link to another folder: no cache, and that folder stays as it is', () => {
    const other = join(folder, 'other');
    mkdirSync(other, { mode: 0o755 });
    mkdirSync(join(folder, '.cache'));
    symlinkSync(other, join(folder, '.cache/compile'));
    expect(compileCache(folder, {})).toEqual(disabled);
    expect(lstatSync(other).mode & 0o777).toBe(0o755);
  });

  it('one that the environment names is taken as it is, unless others may write to it', () => {
    const named = join(folder, 'named');
    mkdirSync(named, { mode: 0o755 });
    const given = { NODE_COMPILE_CACHE: named };
    expect(compileCache(folder, given)).toEqual(given);
    chmodSync(named, 0o777);
    expect(compileCache(folder, given)).toEqual(disabled);
    expect(existsSync(join(folder, '.cache'))).toBe(false);
  });
});

describe('an entry that somebody planted', () => {
  const [written, planted] = ["console.log('written');\n", "console.log('planted');\n"];
  const codeHashAt = 12;

  /** Returns what the module prints with this environment. */
  const run = (env: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, [join(folder, 'main.mjs')], { env, encoding: 'utf8' }).stdout;

  /** Compiles the other source, and stores its cache entry as that of the real one. */
  function plant(cache: string): void {
    writeFileSync(join(folder, 'main.mjs'), "await import('./module.mjs');\n");
    writeFileSync(join(folder, 'module.mjs'), planted);
    run({ NODE_COMPILE_CACHE: cache });
    for (const name of readdirSync(cache, { recursive: true, encoding: 'utf8' })) {
      const file = join(cache, name);
      const entry = lstatSync(file).isFile() ? readFileSync(file) : Buffer.alloc(codeHashAt + 4);
      if (entry.readUInt32LE(codeHashAt) !== crc32(planted)) continue;
      entry.writeUInt32LE(crc32(written), codeHashAt);
      writeFileSync(file, entry);
    }
    writeFileSync(join(folder, 'module.mjs'), written);
    // Node itself accepts the entry, so what follows refuses a real attack.
    expect(run({ NODE_COMPILE_CACHE: cache })).toBe('planted\n');
  }

  it('in a folder of the project that was open to others is removed, and never run', () => {
    const cache = join(folder, '.cache/compile');
    mkdirSync(cache, { recursive: true });
    plant(cache);
    chmodSync(cache, 0o777);
    expect(run(compileCache(folder, {}))).toBe('written\n');
  });

  it('in a folder that the environment names and others may write to is never run', () => {
    const cache = join(folder, 'named');
    mkdirSync(cache);
    plant(cache);
    chmodSync(cache, 0o777);
    expect(run(compileCache(folder, { NODE_COMPILE_CACHE: cache }))).toBe('written\n');
  });
});

// Each process ends by itself: after its help, or because its settings are missing or wrong.
it('processes with an empty environment leave the temporary folder empty, and those of cards have no __proto__', async () => {
  const entries = [
    'service/src/main.ts',
    'vault/src/main.ts',
    'service/src/svc.ts',
    'sandbox/src/main.ts',
    'pages/build.ts',
    'tools/entry/start.mjs',
    'proof/proof.ts',
  ];
  // Printed at exit: before its own code every process has `__proto__`.
  const say = `process.once('exit', () => process.stdout.write(
    String(Object.hasOwn(Object.prototype, '__proto__'))))`;
  const ends = entries.map((entry) => {
    const preload = `data:text/javascript,${encodeURIComponent(say)}`;
    const child = spawn(process.execPath, ['--import', preload, join(root, entry), '--help'], {
      cwd: folder,
      env: { TMPDIR: folder, SANDBOX_PORT: 'none' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (part: Buffer) => {
      said += part;
    });
    return new Promise<string>((resolve) => child.once('close', () => resolve(said)));
  });
  const said = await Promise.all(ends);
  expect(readdirSync(folder)).toEqual([]);
  expect(said.slice(0, 2)).toEqual(['false', 'false']);
});
