import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigInvalid, envExample, readConfig } from './config.ts';
import { settings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

const key = Buffer.alloc(32, 7).toString('base64');
const sandbox = {
  DATABASE_URL: 'postgres://svc_service:hunter2@/svc?host=/tmp/x',
  SVC_KEY: key,
  SVC_VAULT_SHARED_KEY: key,
  SVC_VAULT_ORIGIN: 'http://127.0.0.1:4001',
  SVC_VAULT_INTERNAL_URL: 'http://127.0.0.1:4005/',
  SVC_PROVIDER_URL: 'http://127.0.0.1:4002',
};
const problemsOf = (env: Record<string, string | undefined>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems;
    throw error;
  }
};

describe('readConfig', () => {
  it('fills in what follows from the rest', () => {
    const { config, warnings } = readConfig({ ...sandbox, SVC_PORT: '4010' });
    expect(config).toMatchObject({
      isLive: false,
      baseUrl: 'http://localhost:4010',
      checkoutUrl: 'http://localhost:4010',
      databaseOwnerUrl: sandbox.DATABASE_URL,
      vaultInternalUrl: 'http://127.0.0.1:4005',
      webhookAllow: ['127.0.0.0/8', '::1/128'],
      leaseMs: 30_000,
      drainDelayMs: 0,
      sandboxKey: null,
      limits: { clientPerSecond: 100, moneyBurst: 100, processPauseMinutes: 30 },
    });
    expect(config.key).toEqual(Buffer.alloc(32, 7));
    expect(warnings).toEqual([]);
    expect(config.limits?.processPerAddressHour).toBe(1000);
    expect(readConfig({ ...sandbox, SVC_LIMITS: 'off' }).config.limits).toBeNull();
    expect(
      readConfig({ ...sandbox, SVC_WEBHOOK_ALLOW: '10.0.0.0/8, ::1/128' }).config.webhookAllow,
    ).toEqual(['10.0.0.0/8', '::1/128']);
  });

  it('keeps what has ended for so many days, or for ever', () => {
    const keptWith = (env: object) => readConfig({ ...sandbox, ...env }).config.keepDays;
    const days = {
      answers: 90,
      attempts: 90,
      deliveries: 90,
      events: 400,
      notices: 90,
      sessions: 30,
    };
    expect(keptWith({})).toEqual(days);
    expect(
      keptWith({
        SVC_KEEP_ATTEMPTS_DAYS: '400',
        SVC_KEEP_NOTICES_DAYS: 'forever',
        SVC_KEEP_ANSWERS_DAYS: '0',
      }),
    ).toEqual({ ...days, answers: null, notices: null, attempts: 400, deliveries: 400 });
  });

  it('takes a list of database servers, and refuses one of servers that take no writes', () => {
    const of = (attrs: string) =>
      problemsOf({
        ...sandbox,
        DATABASE_URL: `postgres://svc_service:hunter2@one:5432,two:5433/svc?target_session_attrs=${attrs}`,
      });
    expect(of('read-write')).toEqual([]);
    expect(of('standby')).toEqual([
      expect.stringMatching(/^DATABASE_URL is not postgres:\/\/ address .* target_session_attrs/),
    ]);
  });

  it('lists all that is wrong at once, by name', () => {
    const problems = problemsOf({
      SVC_PORT: 'x',
      SVC_MODE: 'real',
      SVC_KEY: 'short',
      SVC_LEASE_MS: '1',
    });
    for (const name of [
      'SVC_PORT',
      'SVC_MODE',
      'SVC_KEY',
      'SVC_LEASE_MS',
      'DATABASE_URL',
      'SVC_VAULT_SHARED_KEY',
      'SVC_VAULT_ORIGIN',
      'SVC_VAULT_INTERNAL_URL',
    ]) {
      expect(
        problems.some((line) => line.startsWith(`${name} `)),
        name,
      ).toBe(true);
    }
  });

  it('never quotes a secret', () => {
    const secret = 'correct horse battery staple';
    const env = Object.fromEntries(
      Object.values(settings)
        .filter((each) => 'isSecret' in each)
        .map(({ name }) => [name, secret]),
    );
    expect(Object.keys(env).length).toBeGreaterThan(4);
    expect(problemsOf({ ...sandbox, ...env }).join()).not.toContain('horse');
  });

  it.each([
    ['SVC_PORT', ['-1', '65536', '4000x', '1e3', ' ']],
    ['SVC_MODE', ['Live', 'prod']],
    ['SVC_BASE_URL', ['localhost:4000', 'ftp://x', 'http://u:p@x', 'http://x?y', '/']],
    ['DATABASE_URL', ['mysql://x', 'postgres']],
    ['SVC_KEY', [key.slice(1), `${key}=`, Buffer.alloc(31).toString('base64'), 'z'.repeat(44)]],
    ['SVC_WEBHOOK_ALLOW', ['localhost', '10.0.0.0', '10.0.0.0/8;1']],
    ['SVC_KEEP_ANSWERS_DAYS', ['29', '1', '-1', '90d', '36501', 'never', '30.5']],
    ['SVC_KEEP_SESSIONS_DAYS', ['7']],
    ['SVC_KEEP_EVENTS_DAYS', ['30', '89']],
    ['SVC_LOG_LEVEL', ['verbose']],
    ['SVC_LIMITS', ['no']],
    ['SVC_LIMIT_CLIENT', ['0', '-5']],
    ['SVC_SANDBOX_KEY', ['short']],
    ['SVC_VAULT_ORIGIN', ['http://x/path']],
  ])('refuses a wrong %s', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ ...sandbox, [name]: value });
      // A blank value counts as missing.
      if (value.trim() !== '')
        expect(
          problems.some((line) => line.startsWith(name)),
          value,
        ).toBe(true);
    }
  });

  it('live mode asks for https, and refuses the sandbox’s comforts', () => {
    const live = {
      ...sandbox,
      SVC_MODE: 'live',
      SVC_BASE_URL: 'https://pay.example',
      SVC_VAULT_ORIGIN: 'https://card.example',
    };
    const { SVC_PROVIDER_URL: _, ...real } = live;
    const { config } = readConfig(real);
    expect(config).toMatchObject({
      isLive: true,
      providerUrl: 'https://api.stripe.com',
      webhookAllow: [],
      checkoutUrl: 'https://pay.example',
      limits: { processPerAddressHour: 30 },
    });
    expect(problemsOf({ ...real, SVC_SANDBOX_KEY: 'a key of the sandbox' })).toHaveLength(1);
    expect(problemsOf({ ...real, SVC_LIMITS: 'off' })).toHaveLength(1);
    expect(problemsOf({ ...real, SVC_BASE_URL: undefined })).toHaveLength(2);
    expect(problemsOf({ ...real, SVC_VAULT_ORIGIN: 'http://card.example' })).toHaveLength(1);
    expect(problemsOf(live)).toEqual([expect.stringContaining('SVC_PROVIDER_URL')]);
  });

  it('test mode: the real provider, no clock to move, and this machine without TLS', () => {
    const { SVC_PROVIDER_URL: _, ...rest } = sandbox;
    const test = { ...rest, SVC_MODE: 'test' };
    const { config, warnings } = readConfig(test);
    expect(config).toMatchObject({
      mode: 'test',
      drainDelayMs: 5000,
      isLive: false,
      providerUrl: 'https://api.stripe.com',
      walletUrl: null,
      webhookAllow: ['127.0.0.0/8', '::1/128'],
      limits: { processPerAddressHour: 1000 },
    });
    expect(warnings).toEqual([]);
    expect(problemsOf({ ...test, SVC_SANDBOX_KEY: 'a key of the sandbox' })).toEqual([
      'SVC_SANDBOX_KEY is for sandbox mode only',
    ]);
    expect(problemsOf({ ...test, SVC_PROVIDER_URL: 'http://127.0.0.1:4002' })).toEqual([
      'SVC_PROVIDER_URL must be an https address in test mode',
    ]);
    expect(problemsOf({ ...test, SVC_BASE_URL: 'http://pay.example' })).toHaveLength(2);
    expect(problemsOf({ ...test, SVC_VAULT_ORIGIN: 'http://card.example' })).toEqual([
      'SVC_VAULT_ORIGIN must be an https address, or one of this machine, in test mode',
    ]);
  });

  it('warns of a sandbox that is given the real provider', () => {
    const { warnings } = readConfig({ ...sandbox, SVC_PROVIDER_URL: 'https://api.stripe.com' });
    expect(warnings).toEqual([expect.stringContaining('set SVC_MODE=test')]);
  });

  it('the sandbox never calls the real provider by default', () => {
    expect(problemsOf({ ...sandbox, SVC_PROVIDER_URL: undefined })).toEqual([
      expect.stringContaining('SVC_PROVIDER_URL'),
    ]);
  });

  it('reads secrets from files', () => {
    const file = join(folder, 'key');
    writeFileSync(file, `${key}\n`);
    const { SVC_KEY: _, ...rest } = sandbox;
    expect(readConfig({ ...rest, SVC_KEY_FILE: file }).config.key).toEqual(Buffer.alloc(32, 7));
    expect(problemsOf({ ...sandbox, SVC_KEY_FILE: file })).toEqual([
      expect.stringContaining('both given'),
    ]);
    expect(problemsOf({ ...rest, SVC_KEY_FILE: join(folder, 'none') })).toEqual([
      expect.stringContaining('cannot be read'),
    ]);
  });

  it('warns of unknown names, with the nearest known one', () => {
    const { warnings } = readConfig({
      ...sandbox,
      SVC_PROT: '1',
      SVC_KEYFILE: 'x',
      SVC_ENTIRELY_UNHEARD_OF: '1',
    });
    expect(warnings).toEqual([
      'SVC_PROT is no setting; did you mean SVC_PORT?',
      'SVC_KEYFILE is no setting; did you mean SVC_KEY_FILE?',
      'SVC_ENTIRELY_UNHEARD_OF is no setting',
    ]);
  });
});

describe('.env.example', () => {
  it('is what the table says; renew it with vitest --update', async () => {
    await expect(envExample()).toMatchFileSnapshot('../../../.env.example');
  });

  it('its required lines, filled in, are a configuration', () => {
    const names = [...envExample().matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    const { SVC_PROVIDER_URL: _, ...required } = sandbox;
    expect(names.sort()).toEqual(Object.keys(required).sort());
  });
});
