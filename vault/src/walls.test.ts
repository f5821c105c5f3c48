import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brandOf, isCardNumber, isCvc, takeDigits } from './card-bytes.ts';
import { describeError, loggerOptions, pickFields, redact } from './log.ts';
import { readSettings } from './settings.ts';
import {
  isInternalCall,
  openMountToken,
  openParents,
  sign,
  signInternalCall,
  signMountToken,
  signParents,
} from './signatures.ts';

describe('takeDigits', () => {
  const take = (text: string, name = 'number') => {
    const raw = Buffer.from(text);
    return { digits: takeDigits(raw, name)?.toString(), raw: raw.toString() };
  };

  it('moves the digits out and leaves zeros', () => {
    expect(take('{ "number" :\n "4242", "cvc":"123" }')).toEqual({
      digits: '4242',
      raw: '{ "number" :\n "0000", "cvc":"123" }',
    });
  });

  it('is not fooled by text that looks like the member', () => {
    expect(take('{"name":"number","number":"42"}').digits).toBe('42');
    expect(take(String.raw`{"name":"\"number\":\"13\"","number":"42"}`).digits).toBe('42');
  });

  it.each(['{}', '{"number":42}', '{"number":""}', '{"number":"4a"}', '{"number":"42', '"number"'])(
    'finds none in %s',
    (text) => expect(take(text)).toEqual({ digits: undefined, raw: text }),
  );

  it('finds the digits of any JSON text with one member of the name', () => {
    const digits = fc.stringMatching(/^[0-9]{1,19}$/);
    fc.assert(
      fc.property(digits, fc.string(), fc.integer({ min: 0, max: 4 }), (number, name, indent) => {
        const raw = Buffer.from(JSON.stringify({ name, number }, null, indent));
        const taken = takeDigits(raw, 'number');
        expect(taken?.toString()).toBe(number);
        expect(JSON.parse(raw.toString())).toEqual({ name, number: '0'.repeat(number.length) });
      }),
    );
  });
});

describe('card bytes', () => {
  it('are checked as the form checks text', () => {
    expect(isCardNumber(Buffer.from('4242424242424242'))).toBe(true);
    expect(isCardNumber(Buffer.from('4242424242424241'))).toBe(false);
    expect(isCardNumber(Buffer.from('42424242424242'))).toBe(false);
    expect(isCardNumber(Buffer.from('99999999999'))).toBe(false);
    expect(brandOf(Buffer.from('378282246310005'))?.brand).toBe('amex');
    expect(isCvc(Buffer.from('123'), brandOf(Buffer.from('37')))).toBe(false);
    expect(isCvc(Buffer.from('12345'), undefined)).toBe(false);
  });
});

describe('log', () => {
  it('keeps the fields that are known and no others', () => {
    const entry = { route: '/x', status: 200, body: 'secret', req: {}, headers: {}, query: 'q' };
    expect(pickFields(entry)).toEqual({ route: '/x', status: 200 });
  });

  it.each(['4242424242424242', '4242 4242 4242 4242', '4242-4242-4242-4242', '378282246310005'])(
    'takes out %s',
    (number) => {
      expect(redact(`{"msg":"card ${number}!"}`)).toBe('{"msg":"card [redacted]!"}');
      expect(redact(`99${number}00`)).not.toContain('4242424242');
    },
  );

  it('leaves instants and small figures alone', () => {
    const line = '{"time":"2026-03-04T05:06:07.890Z","ms":1234.5,"status":200}';
    expect(redact(line)).toBe(line);
  });

  it('filters every line on its way out', () => {
    const lines: string[] = [];
    const { stream } = loggerOptions({ write: (line) => lines.push(line) });
    stream.write('{"msg":"4242424242424242"}\n');
    expect(lines).toEqual(['{"msg":"[redacted]"}\n']);
  });

  it('no line steers a terminal or turns its direction', () => {
    const lines: string[] = [];
    const { stream } = loggerOptions({ write: (line) => lines.push(line) });
    stream.write('{"blocked":"\u001b[2J\u009b31m\u202eevil"}\n');
    expect(lines).toEqual(['{"blocked":"\\u001b[2J\\u009b31m\\u202eevil"}\n']);
  });

  it('describes an error without its message', () => {
    const text = JSON.stringify(describeError(new TypeError('card 4242424242424242')));
    expect(text).toContain('TypeError');
    expect(text).not.toContain('card 4242');
  });
});

const key = randomBytes(32);
const claims = {
  sessionId: '0190a1b2-0000-7000-8000-000000000001',
  clientId: '0190a1b2-0000-7000-8000-000000000002',
  publishableKey: 'pk_test_x',
  livemode: false,
  parents: 'p'.repeat(43),
  expiresAt: 2_000,
};

describe('mount tokens', () => {
  const now = 1_999_000;
  it('open until they expire, under their own key', () => {
    const token = signMountToken(claims, key);
    expect(openMountToken(token, key, now)).toEqual(claims);
    expect(openMountToken(token, key, 2_000_000)).toBe(undefined);
    expect(openMountToken(token, randomBytes(32), now)).toBe(undefined);
  });

  it('do not open after any change of one character', () => {
    const token = signMountToken(claims, key);
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, i) + other + token.slice(i + 1);
      expect(openMountToken(changed, key, now)).toBe(undefined);
    }
  });

  it('have one spelling: no other last character opens', () => {
    const token = signMountToken(claims, key);
    // It carries two bits that mean nothing, which a lenient reader would skip.
    const last = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const opening = last.filter((each) => openMountToken(token.slice(0, -1) + each, key, now));
    expect(opening).toEqual([token.at(-1)]);
  });

  it.each([
    { ...claims, publishableKey: 'sk_test_x' },
    { ...claims, publishableKey: 'pk_x\r\nHost: y' },
    { ...claims, sessionId: 'x' },
    { ...claims, expiresAt: '9' },
    { ...claims, parents: 'short' },
    [],
    null,
  ])('with other claims do not open: %j', (wrong) => {
    expect(openMountToken(signMountToken(wrong as never, key), key, now)).toBe(undefined);
  });

  it('are not lists of parents, nor the other way round', () => {
    expect(openParents(signMountToken(claims, key), key)).toBe(undefined);
    expect(openMountToken(signParents(['https://a.example'], key), key, now)).toBe(undefined);
  });
});

describe('parents', () => {
  it('open when signed', () => {
    const list = ['https://shop.example', 'http://localhost:*', 'http://[::1]:80'];
    expect(openParents(signParents(list, key), key)).toEqual(list);
    expect(openParents(signParents(list, randomBytes(32)), key)).toBe(undefined);
    expect(openParents('', key)).toBe(undefined);
  });

  it.each([
    '*',
    'https://*',
    'https://a.example/',
    'https://a.example; script-src *',
    "'self'",
    'data:',
    'https://u:p@a.example',
    'HTTPS://A.EXAMPLE',
  ])('leave %s out, though it is signed: it would change the policy', (entry) => {
    const list = ['https://a.example', entry];
    expect(openParents(signParents(list, key), key)).toEqual(['https://a.example']);
    expect(openParents(signParents([entry], key), key)).toBe(undefined);
  });

  it('do not open when they are no list', () => {
    const encoded = Buffer.from('{"length":1}').toString('base64url');
    expect(openParents(sign(encoded, key), key)).toBe(undefined);
  });
});

describe('internal calls', () => {
  const call = { method: 'POST', path: '/internal/x', body: '{"a":1}' };
  const now = 1_800_000_000_000;
  const header = signInternalCall(call, key, now);

  it.each([
    ['the same call', call, 0, true],
    ['29 s later', call, 29_000, true],
    ['31 s later', call, 31_000, false],
    ['31 s earlier', call, -31_000, false],
    ['another body', { ...call, body: '{"a":2}' }, 0, false],
    ['another path', { ...call, path: '/internal/y' }, 0, false],
    ['another method', { ...call, method: 'PUT' }, 0, false],
  ])('%s', (_, seen, laterMs, isRight) => {
    expect(isInternalCall(seen, header, { key, nowMs: now + laterMs })).toBe(isRight);
  });

  it('need a header of the right shape', () => {
    for (const bad of ['', 't=1,v1=00', header.replace('v1', 'v0'), `${header},v1=00`]) {
      expect(isInternalCall(call, bad, { key, nowMs: now })).toBe(false);
    }
  });
});

describe('settings', () => {
  const base64 = (byte: number) => Buffer.alloc(32, byte).toString('base64');
  const good = {
    VAULT_PORT: '4001',
    VAULT_INTERNAL_PORT: '4003',
    VAULT_DATABASE_URL: 'postgres://localhost/svc',
    VAULT_KEY: base64(1),
    VAULT_SHARED_KEY: base64(2),
    VAULT_PROVIDER_URL: 'http://127.0.0.1:4002/',
  };
  const live = {
    ...good,
    VAULT_MODE: 'live',
    VAULT_DRIVER: 'own-vault',
    VAULT_ORIGIN: 'https://card.example',
    VAULT_PROVIDER_URL: 'https://api.provider.example',
  };
  const test = { ...good, VAULT_MODE: 'test', VAULT_PROVIDER_URL: '' };
  const problems = (environment: Record<string, string>) => {
    const read = readSettings(environment);
    return 'problems' in read ? read.problems.join('\n') : '';
  };

  it('drain for a proxy in test and live mode, unless they say otherwise', () => {
    for (const [more, drainMs] of [
      [{}, 5000],
      [{ VAULT_DRAIN_MS: '0' }, 0],
    ] as const) {
      expect(readSettings({ ...test, ...more })).toMatchObject({ settings: { drainMs } });
    }
  });

  it('are complete with these, and the sandbox is the default', () => {
    const read = readSettings(good);
    expect(read).toMatchObject({
      settings: {
        host: '127.0.0.1',
        drainMs: 0,
        port: 4001,
        mode: 'sandbox',
        driver: 'own-vault',
        providerUrl: 'http://127.0.0.1:4002',
        trustedProxies: 0,
      },
    });
    expect(problems(live)).toBe('');
  });

  it('in test mode: the real provider by default, and a form on this machine without TLS', () => {
    expect(readSettings({ ...test, VAULT_ORIGIN: 'http://127.0.0.1:4001' })).toMatchObject({
      settings: { mode: 'test', providerUrl: 'https://api.stripe.com' },
    });
  });

  it.each([
    ['sandbox', {}, 'own-vault', 'http://127.0.0.1:4002/v3/'],
    [
      'sandbox',
      { VAULT_DRIVER: 'provider-fields' },
      'provider-fields',
      'http://127.0.0.1:4002/v3/',
    ],
    ['test', {}, 'provider-fields', 'https://js.stripe.com/v3/'],
    ['live', {}, 'provider-fields', 'https://js.stripe.com/v3/'],
    ['live', { VAULT_DRIVER: 'own-vault' }, 'own-vault', 'https://js.stripe.com/v3/'],
    [
      'live',
      { VAULT_PROVIDER_SCRIPT_URL: 'https://js.example/endive/stripe.js' },
      'provider-fields',
      'https://js.example/endive/stripe.js',
    ],
  ])('%s with %o: the driver %s, its script from %s', (mode, given, driver, providerScriptUrl) => {
    const modes: Record<string, object> = { live: { ...live, VAULT_DRIVER: '' }, test };
    const read = readSettings({ ...(modes[mode] ?? good), ...given });
    expect(read).toMatchObject({ settings: { driver, providerScriptUrl } });
  });

  it('name every problem at once', () => {
    const lines = problems({ VAULT_PORT: '70000', VAULT_KEY: 'short', VAULT_ORIGIN: 'http://a/b' });
    for (const name of [
      'VAULT_PORT must',
      'VAULT_KEY must',
      'VAULT_ORIGIN must',
      'VAULT_INTERNAL_PORT is required',
      'VAULT_DATABASE_URL is required',
      'VAULT_SHARED_KEY is required',
      'VAULT_PROVIDER_URL is required',
    ]) {
      expect(lines).toContain(name);
    }
  });

  it.each([
    ['VAULT_KEY must differ', { ...good, VAULT_KEY: good.VAULT_SHARED_KEY }],
    ['VAULT_MODE must be one of: sandbox, test, live', { ...good, VAULT_MODE: 'prod' }],
    ['VAULT_ORIGIN must use https in test', { ...test, VAULT_ORIGIN: 'http://card.example' }],
    ['VAULT_PROVIDER_URL must use https in test', { ...test, VAULT_PROVIDER_URL: 'http://[::1]' }],
    ['VAULT_TRUSTED_PROXIES must be', { ...good, VAULT_TRUSTED_PROXIES: '11' }],
    [
      'VAULT_DRIVER must be one of: own-vault, provider-fields',
      { ...good, VAULT_DRIVER: 'hosted' },
    ],
    [
      'VAULT_PROVIDER_SCRIPT_URL must be an http or https address',
      { ...good, VAULT_PROVIDER_SCRIPT_URL: 'js.provider.example' },
    ],
    [
      'VAULT_PROVIDER_SCRIPT_URL must be a plain',
      { ...good, VAULT_PROVIDER_SCRIPT_URL: 'https://x.example/"><script>' },
    ],
    [
      'VAULT_PROVIDER_SCRIPT_URL must use https',
      { ...live, VAULT_PROVIDER_SCRIPT_URL: 'http://x.example/v3/' },
    ],
    ['VAULT_ORIGIN is required in live mode', { ...live, VAULT_ORIGIN: '' }],
    ['VAULT_ORIGIN must use https', { ...live, VAULT_ORIGIN: 'http://card.example' }],
    ['VAULT_PROVIDER_URL must use https', { ...live, VAULT_PROVIDER_URL: 'http://x.example' }],
  ])('%s', (problem, environment) => {
    expect(problems(environment)).toContain(problem);
  });
});
