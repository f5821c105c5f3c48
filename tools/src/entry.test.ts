// The entry files of `npm start` and `npm test`, each in a process of its own.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import {
  chmodSync,
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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const entry = join(import.meta.dirname, '../entry/install.mjs');
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc entry '));
  writeFileSync(
    join(folder, 'package-lock.json'),
    '{"packages":{"node_modules/a":{"version":"1.0.0"}}}',
  );
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type RunningProgram = { child: ChildProcess; out: () => string; ended: Promise<number | null> };

const run = (code: string): RunningProgram =>
  followProcess(spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: folder }));

function followProcess(child: ChildProcessWithoutNullStreams): RunningProgram {
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, out: () => said, ended };
}

/** Installs with a replacement of npm that records its runs. */
function install(npm: string, before = ''): RunningProgram {
  const program = join(folder, `npm-${Math.abs(hash(npm))}.mjs`);
  const source = `
    import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
    appendFileSync('runs', process.argv.slice(2).join(' ') + '\\n');
    ${npm}
    mkdirSync('node_modules', { recursive: true });`;
  // Written once: a program that another process is starting must not be empty for a moment.
  if (!existsSync(program)) writeFileSync(program, source);
  const command = JSON.stringify([process.execPath, program]);
  return run(`${before}
    const { install } = await import(${JSON.stringify(entry)});
    try {
      await install({ folder: process.cwd(), npm: ${command}, say: console.log });
      console.log('installed');
    } catch (error) {
      console.log(error.message);
    }`);
}

function hash(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7);
}

const lastLine = (one: RunningProgram): string | undefined => one.out().trim().split('\n').at(-1);

/** The whole lines of `runs`; a file that was made and not yet written to has none. */
function runs(): string[] {
  const path = join(folder, 'runs');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

const waitSource = (ms: number) => `await new Promise((done) => setTimeout(done, ${ms}));`;

/** Waits half a second, as on a slow disk, between the content of a lock and the lock itself. */
const slowly = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { rmSync } = fs;
  fs.rmSync = (path, options) => {
    if (!fs.existsSync(path + '/holder')) return rmSync(path, options);
    fs.unlinkSync(path + '/holder');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    fs.rmdirSync(path);
  };
  syncBuiltinESMExports();`;

describe('install', () => {
  it('runs npm ci without scripts, once', async () => {
    await install('').ended;
    const second = install('');
    await second.ended;
    expect(runs()).toEqual([expect.stringMatching(/^ci --ignore-scripts/)]);
    expect(second.out()).toBe('installed\n');
  });

  it('gives npm a folder for compiled code that only this user writes to', async () => {
    const note = "writeFileSync('cache', process.env.NODE_COMPILE_CACHE ?? 'none')";
    await install(note, 'delete process.env.NODE_COMPILE_CACHE;').ended;
    const named = readFileSync(join(folder, 'cache'), 'utf8');
    expect(named).toMatch(/svc entry \w+\/\.cache\/compile$/);
    expect(statSync(named).mode & 0o777).toBe(0o700);
  });

  it('runs again when the lock file has changed', async () => {
    await install('').ended;
    writeFileSync(join(folder, 'package-lock.json'), '{"packages":{"node_modules/b":{}}}');
    await install('').ended;
    expect(runs()).toHaveLength(2);
  });

  it('takes what a developer installed by hand', async () => {
    mkdirSync(join(folder, 'node_modules'));
    const list = join(folder, 'node_modules/.package-lock.json');
    writeFileSync(list, '{"packages":{"node_modules/a":{"version":"1.0.0"}}}');
    await install('').ended;
    expect(runs()).toHaveLength(0);
    writeFileSync(list, '{"packages":{"node_modules/a":{"version":"0.9.0"}}}');
    await install('').ended;
    expect(runs()).toHaveLength(1);
  });

  it('asks for the optional packages of this platform, and for no other', async () => {
    const { platform, arch } = process;
    const native = { version: '1.0.0', optional: true, os: [platform], cpu: [arch] };
    const packages = {
      'node_modules/native': native,
      'node_modules/foreign': { ...native, cpu: ['none'] },
      'node_modules/of-foreign': { version: '1.0.0', optional: true },
    };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
    mkdirSync(join(folder, 'node_modules'));
    const list = join(folder, 'node_modules/.package-lock.json');
    const installed = { 'node_modules/native': native };
    writeFileSync(list, JSON.stringify({ packages: installed }));
    await install('').ended;
    expect(runs()).toHaveLength(0);
    writeFileSync(list, '{"packages":{}}');
    await install('').ended;
    expect(runs()).toHaveLength(1);
  });

  it('twice at once: the second waits, and says so', async () => {
    const both = [install(waitSource(600)), install(waitSource(600))];
    await Promise.all(both.map((one) => one.ended));
    expect(runs()).toHaveLength(1);
    expect(both.map((one) => one.out().includes('waiting for it')).sort()).toEqual([false, true]);
    expect(both.every((one) => one.out().endsWith('installed\n'))).toBe(true);
    expect(readdirSync(join(folder, '.cache'))).toEqual([]);
  });

  it('killed in between: the next one takes the lock over and installs afresh', async () => {
    const first = install(`mkdirSync('node_modules'); ${waitSource(60_000)}`);
    await expect.poll(runs).toHaveLength(1);
    const npm = readFileSync(join(folder, '.cache/install.lock/holder'), 'utf8').trim();
    first.child.kill('SIGKILL');
    process.kill(Number.parseInt(npm.split('\n')[1]!, 10), 'SIGKILL');
    await first.ended;
    const both = [install(''), install('')];
    await Promise.all(both.map((one) => one.ended));
    expect(both.map(lastLine)).toEqual(['installed', 'installed']);
    expect(runs()).toHaveLength(2);
    expect(readdirSync(join(folder, '.cache'))).toEqual([]);
  });

  it('twice at once on a slow disk: the second never takes a lock that is half removed', async () => {
    const both = [install(waitSource(600), slowly), install(waitSource(600), slowly)];
    await Promise.all(both.map((one) => one.ended));
    expect(both.map(lastLine)).toEqual(['installed', 'installed']);
    expect(runs()).toHaveLength(1);
  });

  it('killed, but its npm works on: the next one waits for that npm', async () => {
    const first = install(`${waitSource(1500)} appendFileSync('runs', 'over\\n');`);
    await expect.poll(runs).toHaveLength(1);
    first.child.kill('SIGKILL');
    const second = install('');
    await second.ended;
    expect(second.out()).toContain('waiting for it');
    const ci = expect.stringMatching(/^ci /);
    expect(runs()).toEqual([ci, 'over', ci]);
  });

  it('a failed npm: its text is passed on, readably, and the next run tries again', async () => {
    const failing = `console.error('npm warn x\\nnpm error code ENOSPC\\nnpm error no space left');
      process.exit(228);`;
    const first = install(failing);
    await first.ended;
    expect(first.out()).toContain(
      'npm ci failed (exit code 228):\n  code ENOSPC\n  no space left\n',
    );
    const second = install('');
    await second.ended;
    expect(second.out()).toContain('installed');
  });
});

describe('become', () => {
  const runAsScript = (script: string): RunningProgram => {
    writeFileSync(join(folder, 'script.ts'), script);
    return run(`
      import { become } from ${JSON.stringify(entry)};
      become('script.ts', ['--port', '1', 'a b'], process.cwd());`);
  };
  const counting = `
    let seen: number = 0;
    process.on('SIGINT', () => { seen++; setTimeout(() => { console.log('seen', seen); process.exit(7); }, 150); });
    console.log('ready', process.pid);
    setInterval(() => {}, 1000);`;

  it('passes on arguments and the exit code, and runs TypeScript', async () => {
    const ran = runAsScript(
      'const args: string[] = process.argv.slice(2); console.log(args); process.exit(3);',
    );
    expect(await ran.ended).toBe(3);
    expect(ran.out()).toContain(`[ '--port', '1', 'a b' ]`);
  });

  it('finds the packaged Node first, for the script and what it starts', async () => {
    const bin = join(folder, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'node'), `#!/bin/sh\nSEEN=packaged exec "${process.execPath}" "$@"\n`);
    chmodSync(join(bin, 'node'), 0o755);
    const ran = runAsScript('console.log(process.env.SEEN, process.env.PATH)');
    await ran.ended;
    expect(ran.out()).toContain(`packaged ${bin}:`);
  });

  it('Ctrl-C, which comes twice through npm, reaches the script once', async () => {
    const ran = runAsScript(counting);
    await expect.poll(ran.out).toContain('ready');
    ran.child.kill('SIGINT');
    ran.child.kill('SIGINT');
    expect(await ran.ended).toBe(7);
    expect(ran.out()).toContain('seen 1');
  });

  it('ends as the script ended, when a signal ended it', async () => {
    const ran = runAsScript(`process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`);
    await ran.ended;
    expect(ran.child.signalCode).toBe('SIGTERM');
  });

  it('killed with -9: the script is told to stop', async () => {
    const ran = runAsScript(`
      process.on('SIGTERM', () => { console.log('told'); process.exit(); });
      console.log('ready');
      setInterval(() => {}, 1000);`);
    await expect.poll(ran.out).toContain('ready');
    ran.child.kill('SIGKILL');
    await expect.poll(ran.out).toContain('told');
  });

  it('the shell of npm has ended, as by SIGTERM to npm: the script is told to stop', async () => {
    writeFileSync(
      join(folder, 'script.ts'),
      `process.on('SIGTERM', () => { console.log('told'); process.exit(); });
      console.log('ready');
      setInterval(() => {}, 1000);`,
    );
    const code = `
      import { become } from ${JSON.stringify(entry)};
      become('script.ts', [], process.cwd());`;
    const start = JSON.stringify({ scripts: { start: 'node entry.mjs' } });
    writeFileSync(join(folder, 'package.json'), start);
    writeFileSync(join(folder, 'entry.mjs'), code);
    const ran = followProcess(spawn('npm', ['start'], { cwd: folder }));
    await expect.poll(ran.out, { timeout: 20_000 }).toContain('ready');
    ran.child.kill('SIGTERM');
    await expect.poll(ran.out).toContain('told');
  });
});
