// The package @svc/cli where a merchant's developer has it: installed from its tarball outside of the
// project, run by npx, by each Node of the machine, against everything that npm start starts.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { scaled } from '@svc/tools/machine';
import { aFolder, removeFolders, start, stopAll } from '@svc/tools/start/start-runs';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, findNodes, npmEnv, openFixture } from './fixture.ts';

type Block = Awaited<ReturnType<typeof start>['block']>;

let fixture: Fixture;
let block: Block;
const children: ChildProcess[] = [];
beforeAll(async () => {
  const run = start(['--port', '16960', '--data', aFolder()]);
  [fixture, block] = await Promise.all([openFixture(['cli']), run.block]);
}, scaled(120_000));
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await stopAll();
  removeFolders();
  fixture?.close();
});

/** The variables that name the service for the package. */
const serviceVariables = () => ({
  SVC_API_URL: block.apiUrl,
  SVC_CLIENT_ID: block.clientId,
  SVC_API_TOKEN: block.apiToken,
  SVC_SANDBOX_URL: block.sandboxUrl,
});

/** A handler on this machine that keeps what it gets. */
async function openHandler() {
  const got: { headers: http.IncomingHttpHeaders; body: string }[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, got, close: () => void server.close() };
}

describe.each(findNodes())('Node $version', ({ version, path }) => {
  const envOf = (more: Record<string, string>): NodeJS.ProcessEnv => {
    const env = npmEnv(fixture.shop);
    return { ...env, PATH: `${dirname(path)}${delimiter}${env.PATH}`, ...more };
  };
  /** Creates a folder below the installation. */
  const aProject = () => mkdtempSync(join(fixture.shop, 'project-'));

  async function npx(
    cwd: string,
    args: readonly string[],
    env: Record<string, string> = serviceVariables(),
  ) {
    const child = execFile('npx', ['--offline', '--no-install', 'svc', ...args], {
      cwd,
      env: envOf(env),
    });
    children.push(child);
    let [out, err] = ['', ''];
    child.stdout?.on('data', (part: string) => {
      out += part;
    });
    child.stderr?.on('data', (part: string) => {
      err += part;
    });
    const [code] = (await once(child, 'close')) as [number];
    return { code, out, err };
  }

  it('runs by this Node: --version is that of the package, --help names what stays in one line', async () => {
    const cwd = aProject();
    const own = JSON.parse(readFileSync(join(fixture.installed.cli, 'package.json'), 'utf8'));
    const said = `svc ${own.version}\n`;
    expect(await npx(cwd, ['--version'], {})).toEqual({ code: 0, out: said, err: '' });
    const node = execFile('node', ['--version'], { env: envOf({}) });
    const [told] = (await once(node.stdout ?? node, 'data')) as [string];
    expect(told.trim()).toBe(version);
    const { code, out } = await npx(cwd, ['--help'], {});
    expect(code).toBe(0);
    expect([...out.matchAll(/^ {2}svc (\w+)/gm)].map(([, name]) => name)).toEqual([
      'listen',
      'trigger',
      'events',
      'webhooks',
    ]);
    expect(out).toMatch(
      /run where it is installed \(npm run -s svc -- …\):\naudit, .*, mails\.\n$/,
    );
  });

  it('listen forwards what trigger makes happen, signed with the secret that it prints', async () => {
    const cwd = aProject();
    const handler = await openHandler();
    const secret = (await npx(cwd, ['listen', '--print-secret'])).out.trim();
    const flags = ['--since', new Date().toISOString(), '--events', 'item.purchased'];
    const command = join(fixture.shop, 'node_modules/.bin/svc');
    const listening = spawn(command, ['listen', '--forward-to', handler.url, ...flags], {
      cwd,
      env: envOf(serviceVariables()),
    });
    children.push(listening);
    let said = '';
    listening.stdout.on('data', (part: Buffer) => {
      said += part;
    });
    const made = await npx(cwd, ['trigger', 'item.purchased', '--json']);
    expect([made.code, made.err]).toEqual([0, '']);
    const event = JSON.parse(made.out) as { id: string; type: string };
    expect(event.type).toBe('item.purchased');
    await expect.poll(() => said).toContain('<-- 200');
    expect(handler.got).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: '' }] = handler.got;
    expect(JSON.parse(body)).toEqual(event);
    const key = secret.replace(/^svc_whsec_/, '');
    expect(new Webhook(key).verify(body, headers as Record<string, string>)).toEqual(event);
    listening.kill('SIGINT');
    const [code] = (await once(listening, 'close')) as [number];
    expect([code, said]).toEqual([0, expect.stringContaining('1 events forwarded')]);
    handler.close();
  });

  it('events and webhooks read the service that flags name', async () => {
    const cwd = aProject();
    const { apiUrl, clientId, apiToken } = block;
    const flags = ['--api', apiUrl, '--client-id', clientId, '--api-token', apiToken];
    const list = await npx(cwd, ['events', 'list', '--limit', '1', '--json', ...flags], {});
    expect(list).toMatchObject({ code: 0, err: '' });
    const { id } = JSON.parse(list.out) as { id: string };
    expect((await npx(cwd, ['events', 'get', id, ...flags], {})).out).toContain(id);
    const endpoints = await npx(cwd, ['webhooks', 'list', ...flags], {});
    expect(endpoints).toMatchObject({ code: 0, out: expect.stringContaining('endpoint ') });
    // A command that only reads leaves no file in the folder.
    expect(existsSync(join(cwd, '.svc'))).toBe(false);
  });

  it('2 for what needs the database: says where it runs, and nothing happens', async () => {
    const cwd = aProject();
    expect(await npx(cwd, ['audit', '--json', 'report.json'])).toEqual({
      code: 2,
      out: '',
      err: "svc: audit needs the service's own database or keys: run it where the service is installed, npm run -s svc -- audit\n",
    });
    const newest = ['events', 'list', '--limit', '1'];
    const before = (await npx(cwd, newest)).out;
    for (const type of ['api_token.created', 'api_token.revoked']) {
      expect(await npx(cwd, ['trigger', type])).toEqual({
        code: 2,
        out: '',
        err: `svc trigger: ${type} needs the service's own database: run it where the service is installed, npm run -s svc -- trigger ${type}\n`,
      });
    }
    expect((await npx(cwd, newest)).out).toBe(before);
    expect((await npx(cwd, ['listne'])).err).toContain('did you mean listen?');
    expect(await npx(cwd, ['listen', '--forward-to', ':1'], {})).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no npm start runs in .*--api, --client-id and --api-token/),
    });
  });
});
