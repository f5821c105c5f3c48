// A command whose output pipe is closed, as with `| head -1`, or whose output cannot be written: in
// a process of its own, as an operator runs it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness.ts';

const entry = join(import.meta.dirname, '../../svc.ts');
let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db?.close());

/** `out` is the standard output; a pipe is closed before anything is written. */
async function audit(out: 'pipe' | number, err: 'pipe' | 'closed' = 'pipe') {
  const child = spawn(process.execPath, [entry, 'audit'], {
    env: { ...bareEnvironment(), DATABASE_URL: db.url },
    stdio: ['ignore', out, 'pipe'],
  });
  child.stdout?.destroy();
  let said = '';
  child.stderr?.on('data', (part) => {
    said += part;
  });
  if (err === 'closed') child.stderr?.destroy();
  const [code] = await once(child, 'exit');
  return { code: code as number, said };
}

describe('output that nobody takes', () => {
  it('a pipe that is closed ends it as a shell counts that, without a word', async () => {
    const [open, closed] = await Promise.all([audit('pipe'), audit('pipe', 'closed')]);
    expect(open).toEqual({ code: 141, said: '' });
    expect(closed.code).toBe(141);
  });

  it.runIf(existsSync('/dev/full'))(
    'a full disk: 2, and says so in a line',
    async () => {
      const { code, said } = await audit(openSync('/dev/full', 'w'));
      expect({ code, said }).toEqual({
        code: 2,
        said: 'svc: what it prints cannot be written: ENOSPC\n',
      });
    },
    30_000,
  );

  // A limit on the size of files, as on a disk that fills up.
  it.runIf(process.platform === 'linux')(
    'a report for which there is no room: 2, a line, and no part of it stays',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-unheard-'));
      try {
        const limited = ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, entry];
        const child = spawn('sh', [...limited, 'audit', '--json', join(folder, 'found.json')], {
          env: { ...bareEnvironment(), DATABASE_URL: db.url },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let said = '';
        child.stderr.on('data', (part) => {
          said += part;
        });
        const [code] = await once(child, 'close');
        expect({ code, said, left: readdirSync(folder) }).toEqual({
          ...{ code: 2, said: 'svc audit: the report cannot be written: EFBIG\n', left: [] },
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    30_000,
  );
});
