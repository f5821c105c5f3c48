// Reports as files, also in places that cannot be written.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
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
import { afterAll, describe, expect, it } from 'vitest';
import { openReport } from './report.ts';

const fixture = mkdtempSync(join(tmpdir(), 'svc-report-'));
afterAll(() => rmSync(fixture, { recursive: true }));
const aFolder = () => mkdtempSync(join(fixture, 'one-'));

async function writeReport(file: string): Promise<void> {
  const report = await openReport({ format: 'csv', file }, ['said'], {});
  await report.add({ said: 'row' });
  await report.finish({});
}

/**
 * A program that writes rows of 30 kB although it may write no file over 40 kB, as on a disk that
 * fills up.
 */
const overTheLimit = `
  const { openReport } = await import(process.argv[1]);
  const report = await openReport({ format: 'csv', file: process.argv[2] }, ['said'], {});
  try {
    for (let row = 0; row < 2; row++) await report.add({ said: 'x'.repeat(30_000) });
    await report.finish({});
    console.log('finished');
  } catch (error) {
    await report.discard();
    console.log(error.code);
  }`;

describe('a report', () => {
  // The last piece fits on the disk only in part.
  it.runIf(process.platform === 'linux')(
    'is never cut off without a word',
    async () => {
      const folder = aFolder();
      const file = join(folder, 'audit.csv');
      const limited = `ulimit -f 80; exec "$0" --input-type=module -e "$1" "$2" "$3"`;
      const module = join(import.meta.dirname, 'report.ts');
      const args = ['-c', limited, process.execPath, overTheLimit, module, file];
      // A shell counts the limit in blocks of 512 bytes.
      const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.on('data', (part) => {
        said += part;
      });
      await once(child, 'close');
      expect({ said, left: readdirSync(folder) }).toEqual({ said: 'EFBIG\n', left: [] });
    },
    30_000,
  );

  it('leaves what is not a file as it is: a pipe or a folder is refused at once', async () => {
    const folder = aFolder();
    mkdirSync(join(folder, 'sub'));
    await expect(writeReport(join(folder, 'sub'))).rejects.toThrow('sub: it is not a file');
    const pipe = join(folder, 'pipe');
    if (spawnSync('mkfifo', [pipe]).status !== 0) return;
    await expect(writeReport(pipe)).rejects.toThrow('pipe: it is not a file');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(['pipe', 'sub']);
  });

  it('goes where a link points, and the link stays', async () => {
    const folder = aFolder();
    writeFileSync(join(folder, 'monday.csv'), 'before');
    symlinkSync('monday.csv', join(folder, 'latest.csv'));
    await writeReport(join(folder, 'latest.csv'));
    expect(lstatSync(join(folder, 'latest.csv')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'monday.csv'), 'utf8')).toBe('said\r\nrow\r\n');
  });
});
