// A registry on this machine for the layer `packages`: verdaccio, which asks the npm that this machine is set to
// for what is not ours, and one account that may publish.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../chaos/free-port.ts';

export type Registry = {
  readonly url: string;
  /** The environment of an npm that reads from the registry and may publish, with nothing of its user's own. */
  readonly env: NodeJS.ProcessEnv;
  readonly stop: () => void;
};

/** Installs programs by name into a folder of the cache, once. */
export function installTools(folder: string, names: readonly string[]): void {
  if (existsSync(join(folder, 'node_modules'))) return;
  mkdirSync(folder, { recursive: true });
  // One of verdaccio's parts asks for a tag that not every mirror of npm has.
  const manifest = { private: true, overrides: { 'node-fetch': '2.7.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...names], { cwd: folder, stdio: 'pipe' });
}

const config = (folder: string, behind: string): string => `storage: ${folder}/storage
auth: { htpasswd: { file: ${folder}/htpasswd } }
uplinks: { behind: { url: '${behind}', timeout: 120s } }
packages:
  '@svc/*': { access: $all, publish: $authenticated }
  'svc': { access: $all, publish: $authenticated }
  '**': { access: $all, proxy: behind }
log: { type: stdout, format: json, level: warn }
`;

async function addAccount(url: string): Promise<string> {
  const answer = await fetch(`${url}/-/user/org.couchdb.user:release`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'release', password: 'release-of-this-run' }),
  });
  const { token } = (await answer.json()) as { token?: string };
  if (!token) throw new Error(`the registry made no account: ${answer.status}`);
  return token;
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${url}/-/ping`).catch(() => undefined);
    if (answer?.ok) return;
    await pause(100);
  }
  throw new Error('the registry does not answer');
}

/** Starts a registry whose packages are kept below the folder. */
export async function startRegistry(tools: string, folder: string): Promise<Registry> {
  const behind = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'config.yaml');
  writeFileSync(file, config(folder, behind));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = join(tools, 'node_modules/verdaccio/bin/verdaccio');
  const args = [program, '--config', file, '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, { stdio: 'ignore', cwd: folder });
  try {
    await untilAnswers(url, child);
    const token = await addAccount(url);
    const settings = join(folder, 'npmrc');
    writeFileSync(settings, `registry=${url}/\n//127.0.0.1:${port}/:_authToken=${token}\n`);
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      npm_config_userconfig: settings,
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
    };
    return { url, env, stop: () => void child.kill() };
  } catch (error) {
    child.kill();
    throw error;
  }
}
