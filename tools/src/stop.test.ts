// A test run that is stopped in the middle, with a database, a server and a browser, leaves nothing
// behind.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '@svc/service/start/postgres/processes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { scaled } from './machine.ts';
import { variable } from './test-database/cluster.ts';

const root = join(import.meta.dirname, '../..');

let folder: string;
let run: ChildProcess;
let said = '';

/** The test of the run that is stopped; it never ends by itself. */
const trial = `
  import { mkdirSync } from 'node:fs';
  import { join } from 'node:path';
  import { it } from 'vitest';
  import { browser } from '../browser.ts';
  import { startChild } from '../start/children.ts';
  it('is in its middle', async () => {
    const folder = process.env.SVC_STOP_TRIAL;
    mkdirSync(join(folder, 'logs'));
    await browser();
    await startChild({
      name: 'sandbox',
      entry: 'sandbox/src/main.ts',
      env: { SANDBOX_PORT: '0' },
      folder,
      onExit() {},
    });
    console.log('TRIAL READY');
    await new Promise(() => {});
  });
`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-stop-'));
  const tests = mkdtempSync(join(import.meta.dirname, 'stop-trial-'));
  writeFileSync(join(tests, 'trial.test.ts'), trial);
  const { [variable]: _, SVC_TEST_KEPT: __, DATABASE_URL: ___, ...rest } = process.env;
  const own = Object.entries(rest).filter(([name]) => !name.startsWith('VITEST'));
  const env = { ...Object.fromEntries(own), SVC_STOP_TRIAL: folder };
  const code = `
    const { runAll } = await import(process.argv[1]);
    await runAll({ besideTests: [] }, [process.argv[2]]);`;
  const args = [join(import.meta.dirname, 'levels/run-checks.ts'), join(tests, 'trial.test.ts')];
  said = '';
  run = spawn(process.execPath, ['--input-type=module', '-e', code, ...args], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [run.stdout, run.stderr]) {
    stream?.on('data', (part) => {
      said += part;
    });
  }
  try {
    await expect.poll(() => said, { timeout: scaled(40_000) }).toContain('TRIAL READY');
  } finally {
    rmSync(tests, { recursive: true });
  }
}, scaled(45_000));

afterEach(() => {
  for (const { pid, birth } of started)
    if (processIdentity(pid) === birth) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type StartedProcess = {
  readonly pid: number;
  readonly name: string;
  readonly birth: string | undefined;
};
let started: StartedProcess[] = [];

/** Returns all processes that the run has started so far. */
function descendants(): StartedProcess[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const all = lines.map((line) => {
    const [, pid, parent, name = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), name };
  });
  const found = [{ pid: run.pid ?? 0, name: 'the run' }];
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found.map(({ pid, name }) => ({ pid, name, birth: processIdentity(pid) }));
}

const memoryFolders = () =>
  process.platform === 'linux'
    ? readdirSync('/dev/shm').filter((name) => name.startsWith(`svc-test-${run.pid}-`))
    : [];

it.each<[string, () => void]>([
  ['SIGTERM to its group', () => process.kill(-(run.pid ?? 0), 'SIGTERM')],
  ['SIGKILL to the process that npm starts', () => run.kill('SIGKILL')],
])('%s: every process that it has started ends within 5 s', async (_, stop) => {
  started = descendants();
  const names = started.map(({ name }) => name).join('\n');
  for (const part of ['postgres', 'chrom', 'sandbox/src/main.ts', 'vitest'])
    expect(names).toContain(part);
  stop();
  const left = () =>
    started
      .filter(({ pid, birth }) => birth && processIdentity(pid) === birth)
      .map(({ name }) => name);
  await expect.poll(left, { timeout: scaled(5000) }).toEqual([]);
  await expect.poll(memoryFolders, { timeout: scaled(2000) }).toEqual([]);
});
