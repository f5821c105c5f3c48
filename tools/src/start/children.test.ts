import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { scaled } from '../machine.ts';
import { inherited } from './children.ts';

const fixture = mkdtempSync(join(tmpdir(), 'svc-children-'));
afterAll(() => rmSync(fixture, { recursive: true }));

it(
  'a project whose folder has letters that addresses escape: its processes start',
  () => {
    const project = join(fixture, "c# 100%41 é'");
    const folder = join(project, 'tools/src/start');
    mkdirSync(join(project, 'logs'), { recursive: true });
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    for (const name of ['children.ts', 'logs.ts', 'options.ts', 'tie.ts']) {
      cpSync(join(import.meta.dirname, name), join(folder, name));
    }
    cpSync(join(import.meta.dirname, '../../entry'), join(project, 'tools/entry'), {
      recursive: true,
    });
    const flags = 'deploy/src/flags.ts';
    cpSync(join(import.meta.dirname, '../../..', flags), join(project, flags));
    const entry = `console.log('{"ready":true}'); setInterval(() => {}, 1000);`;
    writeFileSync(join(project, 'entry.ts'), entry);
    const code = `
    const { startChild } = await import(process.argv[1]);
    const plan = { name: 'entry', entry: 'entry.ts', env: {}, folder: process.argv[2] };
    const child = await startChild({ ...plan, onExit() {} });
    await child.stop('SIGTERM');
    console.log('started');`;
    const url = pathToFileURL(join(folder, 'children.ts')).href;
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', code, url, project], {
      encoding: 'utf8',
    });
    expect({ out: ran.stdout, err: ran.stderr }).toEqual({ out: 'started\n', err: '' });
  },
  scaled(30_000),
);

it('a process is given the named variables of the shell and no other', () => {
  const shell = {
    PATH: '/bin',
    HOME: '/home/ada',
    LC_ALL: 'C.UTF-8',
    AWS_SECRET_ACCESS_KEY: 'x',
    GITHUB_TOKEN: 'x',
    DATABASE_URL: 'x',
    SVC_KEY: 'x',
    NODE_OPTIONS: '--inspect',
  };
  const { PATH, HOME, LC_ALL } = shell;
  expect(inherited(shell)).toEqual({ PATH, HOME, LC_ALL });
});
