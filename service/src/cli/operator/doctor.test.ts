// svc doctor on real servers: one planted fault for each check of settings, addresses, mail and a page.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scaled } from '@svc/tools/machine';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { readyAnswer, type StartOptions, startPatient } from '../../../test/doctor-fixture.ts';
import { selfSigned } from '../../../test/network/self-signed.ts';
import { startSmtp } from '../../../test/network/smtp.ts';
import { openMail } from '../../providers/mail.ts';
import { CommandError } from '../line/command.ts';

const execute = promisify(execFile);
let patient: Awaited<ReturnType<typeof startPatient>>;
beforeAll(async () => {
  patient = await startPatient();
});
afterEach(() => {
  patient.service.answers['/readyz'] = { body: readyAnswer };
});
afterAll(() => patient?.close());

describe('nothing is wrong', () => {
  it('ends with 0; --json has what, verdict, said and mend for each check', async () => {
    const { code, findings, wrongs, err } = await patient.examine();
    expect({ code, wrongs, err }).toEqual({ code: 0, wrongs: [], err: '' });
    const names = findings.map(({ what }) => what.replace(/gateway .*/, 'gateway'));
    expect([...new Set(names)]).toEqual([
      ...['node', 'disks', 'mode', 'address', 'card form', 'proxies', 'operator', 'limits'],
      ...['service', 'node of the running service', 'limits of the running service'],
      ...['vault', "provider's time", 'proxies of the form', 'vault and service', 'mail'],
      ...['database version', 'database encoding', 'database role'],
      ...['database writes', 'database settings'],
      ...['database connections', 'database time', 'replication', 'backups', 'migrations'],
      ...['installation', 'workers', 'hourly comparison', 'pace', 'webhooks', 'gateway'],
    ]);
    for (const finding of findings) {
      expect(finding).toEqual({
        what: expect.any(String),
        verdict: expect.stringMatching(/^(good|note|wrong)$/),
        said: expect.stringMatching(/./),
        ...(finding.mend === undefined ? {} : { mend: expect.stringMatching(/./) }),
      });
    }
  });

  it('prints a table and the mends, without control characters of other hosts', async () => {
    patient.service.answers['/readyz'] = {
      body: { ...readyAnswer, mode: '\u001b[31mtest' },
      status: 200,
    };
    const around = {
      env: {
        SVC_VAULT_ORIGIN: patient.world.vault.url,
        SVC_PROVIDER_URL: patient.world.sandbox.url,
      },
    };
    const ran = await runOn(
      { ...patient.world.ports, settings: patient.settingsOf() },
      ['doctor'],
      around,
    );
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/^good +node +v\d/m);
    expect(ran.out).toMatch(/^wrong +service +runs in mode \[31mtest/m);
    expect(ran.out).toMatch(/\nto mend:\n(.*\n)* {2}service: set SVC_MODE=/);
    expect(ran.out).not.toContain('\u001b');
    expect(ran.out).not.toContain(patient.world.account.secretKey);
  });
});

describe('settings', () => {
  it.each<[string, StartOptions, string]>([
    [
      'no https',
      { settings: { baseUrl: 'http://pay.invalid' } },
      'address: http://pay.invalid is not',
    ],
    [
      'no proxy is trusted',
      { settings: { baseUrl: 'https://pay.invalid' } },
      'none is trusted: limits count all buyers as one',
    ],
    [
      'no proxy is there',
      { env: { SVC_TRUSTED_PROXIES: '1' } },
      'proxies: 1 in front are trusted, but callers',
    ],
    [
      'nobody to tell',
      { settings: { mode: 'live', isLive: true } },
      'operator: no address of an operator is set',
    ],
    ['no mail', { settings: { mode: 'live', isLive: true } }, 'mail: no SMTP server is set'],
    ['limits off', { settings: { attemptLimits: null } }, 'limits: off'],
  ])('%s', async (_, given, said) => {
    const { code, wrongs } = await patient.examine(given);
    expect(code).toBe(1);
    expect(wrongs).toContainEqual(expect.stringContaining(said));
  });

  it('the form shares the origin of the service', async () => {
    const { wrongs } = await patient.examine({
      settings: { formOrigin: patient.service.url },
    });
    expect(wrongs).toContain(
      'card form: the form has the same origin as the service: a fault in a page could read card numbers',
    );
    expect(wrongs).toContainEqual(expect.stringMatching(/^vault: .* is not answered by a vault/));
  });

  it('each problem of the settings is a line; a database that is not reached is one', async () => {
    const failing = (error: Error, described: string | undefined) =>
      runOn(patient.world.ports, ['doctor'], {
        openPorts: () => Promise.reject(error),
        describeError: () => described,
      });
    const settings = await failing(
      new Error('no'),
      'SVC_KEY is missing\nSVC_VAULT_ORIGIN is missing',
    );
    expect(settings.code).toBe(1);
    expect(settings.out.match(/^wrong +settings +SVC_\w+ is missing$/gm)).toHaveLength(2);
    const database = await failing(
      new Error('no'),
      'the database of DATABASE_URL cannot be reached',
    );
    expect(database.out).toMatch(/^wrong +database +the database of DATABASE_URL cannot/m);
    const trouble = await failing(new CommandError('one\ntwo'), undefined);
    expect(trouble.out).toMatch(/^wrong +settings +one two$/m);
  });
});

describe('addresses', () => {
  it.each<[string, { status?: number; body: unknown }, RegExp]>([
    [
      'another program',
      { body: '<html>' },
      /^service: .* is not answered by this service: status 200/,
    ],
    ['null', { body: 'null' }, /^service: .* is not answered by this service/],
    [
      'another mode',
      { body: { ...readyAnswer, mode: 'live' } },
      /^service: runs in mode live, the settings/,
    ],
    [
      'no vault',
      { status: 503, body: { ...readyAnswer, status: 'not ready', vault: 'not ready' } },
      /^service: not ready: the vault is not ready$/,
    ],
    [
      'a vault of another shared key',
      { status: 503, body: { ...readyAnswer, status: 'not ready', vault: 'another shared key' } },
      /^service: not ready: the vault has another shared key$/,
    ],
    [
      'no database',
      { status: 503, body: { ...readyAnswer, database: 'unreachable', isWritable: false } },
      /^service: not ready: its database is unreachable, its database accepts no write$/,
    ],
    [
      'missing migrations',
      { status: 503, body: { ...readyAnswer, isMigrated: false } },
      /^service: not ready: migrations are missing$/,
    ],
    [
      'its end',
      { status: 503, body: { ...readyAnswer, isDraining: true } },
      /^service: not ready: it is stopping$/,
    ],
    [
      'limits off, which the settings here do not say',
      { body: { ...readyAnswer, runs: { node: 'v24.0.0', limits: 'off' } } },
      /^limits of the running service: off/,
    ],
    [
      'a Node that is too old',
      { body: { ...readyAnswer, runs: { node: 'v20.19.5', limits: 'on' } } },
      /^node of the running service: v20\.19\.5 cannot run the service/,
    ],
  ])('the service answers with %s', async (_, answer, said) => {
    patient.service.answers['/readyz'] = answer;
    const { code, wrongs } = await patient.examine();
    expect({ code, wrongs }).toEqual({ code: 1, wrongs: [expect.stringMatching(said)] });
  });

  it('nobody answers at service, vault and provider', async () => {
    const nobody = 'http://127.0.0.1:1';
    const { wrongs } = await patient.examine({
      settings: { baseUrl: 'http://localhost:1', formOrigin: nobody },
      env: { SVC_PROVIDER_URL: nobody },
    });
    for (const what of ['service', 'vault', "provider's time"]) {
      expect(wrongs).toContainEqual(
        expect.stringMatching(new RegExp(`^${what}: .* does not answer`)),
      );
    }
  });

  it('the vault is of another mode, or not ready', async () => {
    const form = await patient.aSite({ '/readyz': { body: { status: 'ready', mode: 'test' } } });
    const settings = { formOrigin: form.url };
    expect((await patient.examine({ settings })).wrongs).toEqual([
      'vault: runs in mode test, the service in mode sandbox: the cards that it takes cannot be charged',
    ]);
    form.answers['/readyz'] = { status: 503, body: { status: 'not ready', mode: 'sandbox' } };
    expect((await patient.examine({ settings })).wrongs).toEqual([
      'vault: not ready: nobody can type a card',
    ]);
  });

  it("this machine's clock is not the provider's", async () => {
    const date = new Date(Date.now() - 600_000).toUTCString();
    const provider = await patient.aSite({ '/': { headers: { date }, body: '' } });
    const { wrongs } = await patient.examine({ env: { SVC_PROVIDER_URL: provider.url } });
    expect(wrongs).toEqual([expect.stringMatching(/^provider's time: \d+ s away: notices/)]);
    const seconds = Number(/(\d+) s away/.exec(wrongs[0] ?? '')?.[1]);
    // The check runs after the date was written, by as much as this machine is slow.
    expect(seconds).toBeGreaterThanOrEqual(599);
    expect(seconds).toBeLessThan(600 + scaled(60));
  });

  it('a proxy in front that is not counted, and one that takes headers away', async () => {
    const passing = async (change: (headers: http.IncomingHttpHeaders) => void) => {
      const proxy = http.createServer((request, reply) => {
        const forwarded = `${request.headers['x-forwarded-for']}, 127.0.0.1`;
        const headers = { ...request.headers, 'x-forwarded-for': forwarded };
        change(headers);
        http.get(patient.world.vault.url + request.url, { headers }, (answer) => {
          reply.writeHead(answer.statusCode ?? 502);
          answer.pipe(reply);
        });
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      patient.after(() => new Promise((resolve) => proxy.close(resolve)));
      const { port } = proxy.address() as AddressInfo;
      return patient.examine({ settings: { formOrigin: `http://127.0.0.1:${port}` } });
    };
    const uncounted = await passing(() => {});
    expect(uncounted.wrongs).toEqual([
      'proxies of the form: proxies trusted: 0, in front: 1. So limits count all buyers as one, by the address of a proxy',
    ]);
    expect(uncounted.findings).toContainEqual(
      expect.objectContaining({ mend: 'set VAULT_TRUSTED_PROXIES=1' }),
    );
    const greedy = await passing((headers) => {
      delete headers['idempotency-key'];
    });
    expect(greedy.wrongs).toEqual([
      'proxies of the form: a proxy takes away idempotency-key: calls that need it fail',
    ]);
  });

  it('a certificate that nobody trusts', async () => {
    const site = await patient.aSite({ '/readyz': { body: readyAnswer } }, selfSigned('localhost'));
    const { wrongs } = await patient.examine({
      settings: { baseUrl: site.url },
      env: { SVC_TRUSTED_PROXIES: '1' },
    });
    expect(wrongs).toContain(
      `certificate: no browser opens ${site.url}, for TLS fails: DEPTH_ZERO_SELF_SIGNED_CERT`,
    );
  });
});

describe('the command as a process', () => {
  const run = (env: Record<string, string>) =>
    execute(process.execPath, [join(import.meta.dirname, '../../svc.ts'), 'doctor'], {
      cwd: patient.folder,
      env: {
        ...bareEnvironment(),
        DATABASE_URL: patient.world.url,
        SVC_KEY: key,
        SVC_VAULT_SHARED_KEY: key,
        SVC_VAULT_ORIGIN: patient.world.vault.url,
        SVC_VAULT_INTERNAL_URL: patient.world.vault.internalUrl,
        SVC_PROVIDER_URL: patient.world.sandbox.url,
        ...env,
      },
    }).then(
      ({ stdout }) => ({ code: 0, out: stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, out: stdout }),
    );
  const key = randomBytes(32).toString('base64');

  it('a certificate that ends soon; no key is shown', async () => {
    const certificate = selfSigned('localhost');
    const authority = join(patient.folder, 'authority.pem');
    writeFileSync(authority, certificate.cert);
    const site = await patient.aSite({ '/readyz': { body: readyAnswer } }, certificate);
    const { code, out } = await run({
      SVC_BASE_URL: site.url,
      SVC_TRUSTED_PROXIES: '1',
      NODE_EXTRA_CA_CERTS: authority,
    });
    expect(code).toBe(1);
    expect(out).toMatch(/^wrong +certificate +the certificate of \S+ ends in 0 days: no browser/m);
    expect(out).toMatch(/^good +service +ready/m);
    expect(out).toMatch(/^wrong +keys +gateway /m);
    expect(out).not.toContain(key);
  }, 60_000);

  it('a database that is not there, and settings that are missing: 1, without the password', async () => {
    const nobody = await run({ DATABASE_URL: 'postgres://pay:canary@127.0.0.1:1/svc' });
    expect(nobody.code).toBe(1);
    expect(nobody.out).toMatch(/^wrong +database +the database of DATABASE_URL cannot be reached/m);
    expect(nobody.out).not.toContain('canary');
    const missing = await run({ SVC_KEY: '', SVC_VAULT_ORIGIN: '' });
    expect(missing.code).toBe(1);
    expect(missing.out.match(/^wrong +settings +SVC_\w+ is missing/gm)).toHaveLength(2);
  }, 60_000);
});

describe('mail', () => {
  it('the server is signed in to; a wrong password and nobody there are told by code', async () => {
    const smtp = await startSmtp({ login: { user: 'pay', password: 'canary-right' } });
    patient.after(() => smtp.close());
    const at = (password: string, port = smtp.port) =>
      openMail({ url: `smtp://pay:${password}@127.0.0.1:${port}`, from: 'pay@shop.example' });
    const right = await patient.examine({ ports: { mail: at('canary-right') } });
    expect(right).toMatchObject({ code: 0, wrongs: [] });
    const wrongPassword = await patient.examine({ ports: { mail: at('canary-wrong') } });
    expect(wrongPassword.wrongs).toEqual([
      expect.stringMatching(/^mail: the SMTP server cannot be used, and mails wait: EAUTH 535/),
    ]);
    expect(wrongPassword.out).not.toContain('canary');
    const nobody = await patient.examine({ ports: { mail: at('canary', 1) } });
    expect(nobody.wrongs).toEqual([
      expect.stringMatching(
        /^mail: the SMTP server cannot be used, and mails wait: E(SOCKET|CONNECTION)/,
      ),
    ]);
    expect(smtp.received).toEqual([]);
  });
});

describe("--csp: a merchant's page", () => {
  const on = async (policy: string | null, more: Record<string, string> = {}, body = '<html>') => {
    const headers = { ...(policy ? { 'content-security-policy': policy } : {}), ...more };
    const page = await patient.aSite({ '/checkout': { headers, body } });
    const { wrongs } = await patient.examine({ args: ['--csp', `${page.url}/checkout`] });
    return wrongs.map((one) => one.split(':')[0]);
  };
  const frames = () =>
    `${patient.world.vault.url} ${patient.service.url} ${new URL(patient.world.sandbox.url).origin}`;

  it('no policy, and one that names all, are good', async () => {
    expect(await on(null)).toEqual([]);
    expect(await on(`frame-src ${frames()}; connect-src 'self' ${patient.service.url}`)).toEqual(
      [],
    );
    expect(await on('frame-src http://*:*; connect-src http:')).toEqual([]);
  });

  it.each([
    ["default-src 'self'", 3, 1],
    ["frame-src 'none'; connect-src *", 3, 0],
    ["child-src 'self'; connect-src *", 3, 0],
    ['frame-src *; connect-src https://elsewhere.example', 0, 1],
    ['frame-src http://*.localhost:*; connect-src *', 3, 0],
    ['frame-src http://localhost http://127.0.0.1; connect-src *', 3, 0],
  ])('%s', async (policy, framesLacking, callsLacking) => {
    expect(await on(policy)).toEqual([
      ...Array(framesLacking).fill("page's frame-src"),
      ...Array(callsLacking).fill("page's connect-src"),
    ]);
  });

  it('the second of two policies, and one in the page itself, count', async () => {
    expect(await on("frame-src *, connect-src 'none'")).toEqual(["page's connect-src"]);
    const meta = `<meta http-equiv="Content-Security-Policy" content="connect-src 'self'">`;
    expect(await on(null, {}, meta)).toEqual(["page's connect-src"]);
  });

  it('a page that isolates itself, one that is not there, and what is no address', async () => {
    const isolated = await patient.aSite({
      '/': { headers: { 'cross-origin-embedder-policy': 'require-corp' }, body: '' },
    });
    const { findings } = await patient.examine({ args: ['--csp', isolated.url] });
    expect(findings).toContainEqual(
      expect.objectContaining({ what: "page's isolation", verdict: 'note' }),
    );
    const live = await patient.examine({
      args: ['--csp', isolated.url],
      settings: { mode: 'test' },
    });
    expect(live.wrongs).toContainEqual(expect.stringMatching(/^page's isolation: /));
    const missing = await patient.examine({ args: ['--csp', `${isolated.url}/none`] });
    expect(missing.wrongs).toEqual([expect.stringMatching(/^merchant's page: .* status 404$/)]);
    expect((await patient.examine({ args: ['--csp', 'ftp://shop.example'] })).code).toBe(2);
  });
});
