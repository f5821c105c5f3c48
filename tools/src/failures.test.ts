import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(import.meta.dirname, 'failures-trial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const trial = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { expect, it } from 'vitest';
  import { storeLogLine, noteLogFile } from '../server-log.ts';
  const log = import.meta.filename + '.log';
  noteLogFile(log);
  storeLogLine('of an earlier test');
  it('fails', () => {
    storeLogLine('{"level":"error","message":"the database is gone"}');
    writeFileSync(log, 'the line of another process');
    expect(1 + 1).toBe(3);
  });
  it('goes on until it was told', () => expect.poll(() => existsSync(import.meta.filename + '.told')).toBe(true));
`;

it('a failure is told with its cause and the log while the run goes on, and again at its end', async () => {
  const file = join(folder, 'trial.test.ts');
  writeFileSync(file, trial);
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const reporter = join(import.meta.dirname, 'failures.ts');
  const run = spawn(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', `--reporter=${reporter}`, file],
    { cwd: root, env: Object.fromEntries(own), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  let atOnce = '';
  run.stdout.on('data', (part) => {
    said += part;
    if (atOnce || !said.includes('trial.test.ts.log')) return;
    atOnce = said;
    writeFileSync(`${file}.told`, '');
  });
  expect(await new Promise((resolve) => run.once('close', resolve))).toBe(1);
  const log = [
    'The servers said:',
    '{"level":"error","message":"the database is gone"}',
    'trial.test.ts.log: the line of another process',
  ];
  const title = /✗ tools\/src\/failures-trial-\w+\/trial.test.ts > fails/g;
  expect(atOnce).toMatch(title);
  expect(atOnce).toContain('expected 2 to be 3');
  expect(atOnce).toMatch(/at .*trial\.test\.ts:\d+/);
  for (const line of log) expect(atOnce).toContain(line);
  expect(said).not.toContain('of an earlier test');
  // The second test waited for the first report, so the end came later.
  expect(said.match(title)).toHaveLength(2);
  for (const line of log) expect(said.slice(atOnce.length)).toContain(line);
});
