import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scaled } from '../machine.ts';
import { startChild } from './children.ts';
import { boundedLog, keepBounded, logBound } from './logs.ts';
import { root } from './options.ts';

const fixture = mkdtempSync(join(tmpdir(), 'svc-logs-'));
afterAll(() => rmSync(fixture, { recursive: true }));
const folderOf = (name: string): string => {
  mkdirSync(join(fixture, name, 'logs'), { recursive: true });
  return join(fixture, name);
};
const filesIn = (folder: string) =>
  readdirSync(folder).map((name) => {
    const { size, mode } = statSync(join(folder, name));
    return { name, size, mode: mode & 0o777 };
  });

describe('the log of a process', () => {
  it('is so many files of so many bytes at most, the newest words last, for its owner alone', () => {
    const file = join(folderOf('one'), 'logs', 'x.log');
    writeFileSync(file, 'of an earlier version\n', { mode: 0o644 });
    const log = boundedLog(file, { bytes: 100, files: 3 });
    for (let n = 0; n < 200; n++) log.write(Buffer.from(`line ${n}\n`));
    log.write(Buffer.from('x'.repeat(250)));
    log.write(Buffer.from('the end\n'));
    log.close();
    const files = filesIn(join(fixture, 'one/logs'));
    expect(files.map(({ name }) => name).sort()).toEqual(['x.log', 'x.log.1', 'x.log.2']);
    for (const { size, mode } of files) expect([size <= 100, mode]).toEqual([true, 0o600]);
    expect(readFileSync(file, 'utf8').endsWith('the end\n')).toBe(true);
  });

  it(
    'of a start has a bound, however much the process says, and its last words are in it',
    async () => {
      const folder = folderOf('start');
      const entry = join(folder, 'loud.mjs');
      writeFileSync(
        entry,
        `console.log('{"ready":true}');
         const line = 'x'.repeat(999_999) + '\\n';
         process.on('message', () => {});
         for (let n = 0; n < 70; n++) process.stderr.write(line);
         process.stderr.write('last words\\n', () => process.exit(3));`,
      );
      const over = await new Promise<string>((resolve, reject) => {
        const plan = { name: 'loud', entry: relativeTo(entry), env: {}, folder };
        startChild({ ...plan, onExit: (_, reason) => resolve(reason) }).catch(reject);
      });
      expect(over).toContain('exit code 3');
      expect(over).toContain('last words');
      const files = filesIn(join(folder, 'logs'));
      expect(files).toHaveLength(logBound.files);
      for (const { size, mode } of files) {
        expect([size <= logBound.bytes, mode]).toEqual([true, 0o600]);
      }
    },
    scaled(60_000),
  );

  it('that another process keeps open is emptied once it was copied, and written on', async () => {
    const file = join(folderOf('other'), 'logs', 'postgres.log');
    const script = `const fs = require('node:fs');
      const fd = fs.openSync(process.argv[1], 'a', 0o600);
      process.stdin.on('data', (text) => { fs.writeSync(fd, text); process.stdout.write('.'); });`;
    const writer = spawn(process.execPath, ['-e', script, file], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const write = async (text: string) => {
      writer.stdin.write(text);
      await once(writer.stdout, 'data');
    };
    await write('y'.repeat(150));
    keepBounded(file, { bytes: 100, files: 2 })();
    await write('after');
    expect(readFileSync(file, 'utf8')).toBe('after');
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('y'.repeat(150));
    appendFileSync(file, 'z'.repeat(150));
    keepBounded(file, { bytes: 100, files: 2 })();
    expect(existsSync(`${file}.2`)).toBe(false);
    writer.kill();
  });
});

/** Returns the path relative to the project, as a plan names an entry. */
const relativeTo = (entry: string): string => `${'../'.repeat(root.split('/').length - 1)}${entry}`;
