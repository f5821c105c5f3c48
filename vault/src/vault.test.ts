import { createHash, randomUUID } from 'node:crypto';
import { hasLuhnDigit } from '@svc/contract/vault/card-number';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postCard, redeem, sha256, startTestVault, type TestVault } from '../test/harness.ts';
import { sweep } from './card-tokens.ts';
import { startVault } from './index.ts';
import { signInternalCall, signMountToken } from './signatures.ts';

let vault: TestVault;
let database: pg.Pool;

beforeAll(async () => {
  vault = await startTestVault();
  database = new pg.Pool({ connectionString: vault.database.adminUrl, max: 2 });
  // The database may be dropped under a connection that is still closing.
  database.on('connect', (client) => client.on('error', () => undefined));
});
afterAll(async () => {
  await database.end();
  await vault.close();
});

async function newToken() {
  const claims = vault.claims();
  const { status, body } = await postCard(vault, {
    mountToken: vault.mountToken(claims),
    postalCode: '12345',
  });
  expect(status).toBe(200);
  const { sessionId, clientId } = claims;
  return { token: body.token, tokenSha256: sha256(body.token), sessionId, clientId };
}

const operation = ({ tokenSha256, sessionId, clientId }: Awaited<ReturnType<typeof newToken>>) => ({
  tokenSha256,
  sessionId,
  clientId,
  operationId: randomUUID(),
  claimedBy: randomUUID(),
});

const expireAll = () =>
  database.query(`update vault.card_tokens set expires_at = now() - interval '1 second'`);

describe('POST /form/tokens', () => {
  it('200: answers token, brand and last four, nothing else', async () => {
    const { status, body, headers } = await postCard(vault, { number: '5555555555554444' });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['brand', 'lastFour', 'token']);
    expect(body).toMatchObject({ brand: 'mastercard', lastFour: '4444' });
    expect(body.token).toMatch(/^svct_[A-Za-z0-9_-]{43}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('request-id')).toMatch(/^req_[a-z0-9]{26}$/);
  });

  it('stores the hash of the token and a keyed fingerprint that is equal for the same card', async () => {
    const [one, other] = [await newToken(), await newToken()];
    const { rows } = await database.query<{ fingerprint: Buffer }>(
      'select fingerprint from vault.card_tokens where token_sha256 = any($1)',
      [[one, other].map(({ tokenSha256 }) => Buffer.from(tokenSha256, 'hex'))],
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]?.fingerprint).toEqual(rows[1]?.fingerprint);
    const plain = createHash('sha256').update('4242424242424242').digest();
    expect(rows[0]?.fingerprint.equals(plain)).toBe(false);
  });

  const past = { expiryMonth: 1, expiryYear: 2020 };
  it.each([
    ['number_invalid', { number: '4242424242424241' }],
    ['number_invalid', { number: '42424242424242' }],
    ['expiry_incomplete', { expiryMonth: 13 }],
    ['expiry_past', past],
    ['cvc_incomplete', { cvc: '1234' }],
    ['cvc_incomplete', { number: '378282246310005', cvc: '123' }],
  ])('422 %s for %j', async (code, fields) => {
    const { status, body } = await postCard(vault, fields);
    expect({ status, code: body.code }).toEqual({ status: 422, code });
    expect(body).toMatchObject({ type: 'validation_error', retryable: false });
  });

  it.each([
    ['another key', () => signMountToken(vault.claims(), Buffer.alloc(32, 1))],
    ['expired', () => vault.mountToken({ ...vault.claims(), expiresAt: 1_700_000_000 })],
    ['changed claims', () => vault.mountToken().replace('svcm_ey', 'svcm_eyJ4IjoxfQ')],
    ['live mode', () => vault.mountToken({ ...vault.claims(), livemode: true })],
    ['no token at all', () => 'x'],
  ])('401 session_expired: mount token of %s', async (_, mountToken) => {
    const { status, body } = await postCard(vault, { mountToken: mountToken() });
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'session_expired' });
  });

  it.each([
    ['another origin', { origin: 'http://evil.example' }],
    ['no origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('403 origin_not_allowed: %s', async (_, headers) => {
    const { status, body } = await postCard(vault, {}, headers);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'origin_not_allowed' });
  });

  it.each([
    ['unknown field', { amount: 5 }],
    ['number as a number', { number: 4242424242424242 }],
    ['number with letters', { number: '4242x' }],
    ['month as text', { expiryMonth: '12' }],
    ['no CVC', { cvc: undefined }],
    ['a card number as postal code', { postalCode: '4242 4242 4242 4242' }],
    ['too long a name', { name: 'x'.repeat(101) }],
    ['half a character as name', { name: 'Ada \ud83d' }],
    ['a zero character as name', { name: 'Ada\0' }],
    ['half a character as postal code', { postalCode: '12\udc00' }],
    ['a zero character as postal code', { postalCode: '123\u000045' }],
  ])('400 invalid_request: %s', async (_, fields) => {
    const { status, body } = await postCard(vault, fields);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
  });

  const raw = async (body: string, headers: Record<string, string>) => {
    const answer = await fetch(`${vault.url}/form/tokens`, {
      method: 'POST',
      headers: { origin: vault.url, ...headers },
      body,
    });
    return { status: answer.status, ...((await answer.json()) as { code: string }) };
  };
  const json = { 'content-type': 'application/json' };

  it('400: a number that stands twice is refused, and not seen by the parser', async () => {
    const body =
      `{"mountToken":"${vault.mountToken()}","parents":"${vault.parents()}","number":"4242424242424242",` +
      '"number":"4000000000000002","expiryMonth":1,"expiryYear":2040,"cvc":"123"}';
    expect(await raw(body, json)).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('400, 413, 415: not JSON, too large, another type', async () => {
    expect(await raw('{', json)).toMatchObject({ status: 400, code: 'invalid_body' });
    const large = JSON.stringify({ name: 'x'.repeat(5000) });
    expect(await raw(large, json)).toMatchObject({ status: 413, code: 'body_too_large' });
    const text = { 'content-type': 'text/plain' };
    expect(await raw('{}', text)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('429 rate_limited: the 21st card of a session within an hour, with the time to wait', async () => {
    const mountToken = vault.mountToken();
    for (let i = 0; i < 20; i++) expect((await postCard(vault, { mountToken })).status).toBe(200);
    const { status, body, headers } = await postCard(vault, { mountToken });
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500);
    await database.query(
      `update vault.session_attempts set window_started_at = now() - interval '61 minutes'`,
    );
    expect((await postCard(vault, { mountToken })).status).toBe(200);
  });

  const fault = (fields: Record<string, unknown>) =>
    fetch(`${vault.sandbox.url}/_control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ match: { path: '/v1/payment_methods' }, ...fields }),
    });

  it.each(['drop_reply', 'drop_request', 'error_500', 'error_503_unrecorded', 'truncated'])(
    '503 provider_unavailable, retryable: provider with %s',
    async (action) => {
      expect((await fault({ action })).ok).toBe(true);
      const { status, body, headers } = await postCard(vault);
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'provider_unavailable' });
      expect(body.retryable).toBe(true);
      expect(headers.get('retry-after')).toBe('1');
    },
  );

  it('a provider that takes no more calls at the moment is asked again, with the same key', async () => {
    expect((await fault({ action: 'error_429', count: 2 })).ok).toBe(true);
    expect((await postCard(vault)).status).toBe(200);
    const answer = await fetch(`${vault.sandbox.url}/_control/requests`);
    const { requests } = (await answer.json()) as {
      requests: { path: string; status: number; idempotencyKey: string }[];
    };
    const sends = requests.filter(({ path }) => path === '/v1/payment_methods').slice(-3);
    expect(sends.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(new Set(sends.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it("422 expiry_past: the provider's calendar is ahead of ours", async () => {
    const advanced = await fetch(`${vault.sandbox.url}/_control/clock/advance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seconds: 62 * 86_400 }),
    });
    expect(advanced.ok).toBe(true);
    const now = new Date();
    const expiry = { expiryMonth: now.getUTCMonth() + 1, expiryYear: now.getUTCFullYear() };
    const { status, body } = await postCard(vault, expiry);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'expiry_past' });
  });

  it('502 provider_misconfigured: the provider does not know the publishable key', async () => {
    const mountToken = vault.mountToken({ ...vault.claims(), publishableKey: 'pk_test_nobody' });
    const { status, body } = await postCard(vault, { mountToken });
    expect(body).toMatchObject({ code: 'provider_misconfigured', retryable: false });
    expect(status).toBe(502);
  });
});

describe('POST /internal/card-tokens/redeem', () => {
  it('200: the card of the token, without its number', async () => {
    const { status, body } = await redeem(vault, operation(await newToken()));
    expect(status).toBe(200);
    expect(body.providerPaymentMethodId).toMatch(/^pm_/);
    expect(body).toEqual({
      providerPaymentMethodId: body.providerPaymentMethodId,
      brand: 'visa',
      lastFour: '4242',
      expiryMonth: 12,
      expiryYear: 2040,
      postalCode: '12345',
    });
  });

  it('200: the same operation gets it again, also after its time', async () => {
    const input = operation(await newToken());
    const first = await redeem(vault, input);
    await expireAll();
    const again = await redeem(vault, input);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(first.body);
  });

  it('409 card_token_used: another operation', async () => {
    const input = operation(await newToken());
    await redeem(vault, input);
    const other = await redeem(vault, { ...input, operationId: randomUUID() });
    expect(other).toMatchObject({ status: 409, body: { code: 'card_token_used' } });
  });

  it('one of ten operations at once gets the card', async () => {
    const token = await newToken();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => redeem(vault, operation(token))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.every(({ body }) => body.code === 'card_token_used')).toBe(true);
  });

  it('409 card_token_expired: after fifteen minutes', async () => {
    const token = await newToken();
    await expireAll();
    expect(await redeem(vault, operation(token))).toMatchObject({
      status: 409,
      body: { code: 'card_token_expired' },
    });
  });

  it('409 card_token_unknown: another session, another client, another token alike', async () => {
    const input = operation(await newToken());
    const answers = [];
    for (const change of ['sessionId', 'clientId', 'tokenSha256']) {
      const value = change === 'tokenSha256' ? sha256('x') : randomUUID();
      const { status, body } = await redeem(vault, { ...input, [change]: value });
      answers.push({ status, body });
    }
    const unknown = { status: 409, body: { code: 'card_token_unknown' } };
    expect(answers).toEqual([unknown, unknown, unknown]);
    expect((await redeem(vault, input)).status).toBe(200);
  });

  it('401: unsigned, wrong key, other body, over 30 s old', async () => {
    const input = operation(await newToken());
    const call = {
      method: 'POST',
      path: '/internal/card-tokens/redeem',
      body: JSON.stringify(input),
    };
    const old = signInternalCall(call, vault.sharedKey, Date.now() - 31_000);
    const otherKey = signInternalCall(call, Buffer.alloc(32), Date.now());
    const otherBody = signInternalCall({ ...call, body: '{}' }, vault.sharedKey, Date.now());
    for (const header of ['', old, otherKey, otherBody]) {
      const { status, body } = await redeem(vault, input, header);
      expect({ status, code: body.code }).toEqual({
        status: 401,
        code: 'authentication_required',
      });
    }
    const empty = await fetch(`${vault.internalUrl}${call.path}`, { method: 'POST' });
    expect(empty.status).toBe(401);
  });

  it('400: a signed body of another shape', async () => {
    const { status } = await redeem(vault, { ...operation(await newToken()), more: 1 });
    expect(status).toBe(400);
  });

  it('404: the public port does not redeem', async () => {
    const answer = await fetch(`${vault.url}/internal/card-tokens/redeem`, { method: 'POST' });
    expect(answer.status).toBe(404);
  });
});

describe('the listeners', () => {
  it('tell that they live and that the database answers', async () => {
    for (const base of [vault.url, vault.internalUrl]) {
      expect((await fetch(`${base}/healthz`)).status).toBe(200);
      expect((await fetch(`${base}/readyz`)).status).toBe(200);
    }
  });

  it('404 and 405 with Allow', async () => {
    expect((await fetch(`${vault.url}/nothing`)).status).toBe(404);
    const answer = await fetch(`${vault.url}/form/1`, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });

  it('send the security headers with every answer', async () => {
    for (const path of ['/healthz', '/nothing', '/form/tokens']) {
      const { headers } = await fetch(vault.url + path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('strict-transport-security')).toContain('max-age=63072000');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('set-cookie')).toBe(null);
      expect(headers.get('server')).toBe(null);
    }
  });

  it('refuse to share a port, in one line', async () => {
    const settings = { ...vault.settings, port: Number(new URL(vault.url).port) };
    await expect(startVault(settings)).rejects.toThrow(/^127\.0\.0\.1:\d+ is in use already\.$/);
  });
});

describe('sweep', () => {
  it('removes tokens that are over for more than a day, and no others', async () => {
    const [old, recent] = [await newToken(), await newToken()];
    const setExpiry = (token: typeof old, interval: string) =>
      database.query(
        'update vault.card_tokens set expires_at = now() - $2::interval where token_sha256 = $1',
        [Buffer.from(token.tokenSha256, 'hex'), interval],
      );
    await setExpiry(old, '25 hours');
    await setExpiry(recent, '23 hours');
    const pool = new pg.Pool({ connectionString: vault.database.url, max: 1 });
    expect(await sweep(pool)).toBe(1);
    await pool.end();
    expect((await redeem(vault, operation(old))).body.code).toBe('card_token_unknown');
    expect((await redeem(vault, operation(recent))).body.code).toBe('card_token_expired');
  });
});

describe('card data', () => {
  it('never stands in database, logs or answers', async () => {
    // Digits that occur nowhere else; the last four are meant to be seen.
    const number = '4917614735918253';
    const cvc = '739';
    const good = await postCard(vault, { number: luhn(number), cvc, name: 'Canary Person' });
    expect(good.status).toBe(200);
    const bad = await postCard(vault, { number: luhn(number), cvc: `${cvc}1` });
    const broken = await postCard(vault, { number: luhn(number), cvc, surprise: luhn(number) });
    const { rows } = await database.query<{ row: object }>(
      `select to_jsonb(t) as row from vault.card_tokens t
       union all select to_jsonb(a) from vault.session_attempts a`,
    );
    const lines = vault.lines.map((line) => JSON.parse(line) as object);
    const everything = [...rows, ...lines, good, bad, broken];
    const text = JSON.stringify(everything);
    expect(text).toContain(luhn(number).slice(-4));
    for (const form of spellings(luhn(number))) expect(text).not.toContain(form);
    // Three digits stand in many an instant, id and port by chance: those are left out.
    const byChance = /^(id|token|time|ms|.*(_id|_at|Id)|token_sha256|fingerprint|headers)$/;
    const steady = JSON.stringify(everything, (name, value: unknown) =>
      byChance.test(name) ? undefined : value,
    ).replace(/127\.0\.0\.1:\d+/g, '');
    expect(steady).not.toContain(cvc);
    expect(vault.lines.join('')).not.toMatch(/Canary|svcm_|svct_|pk_test_/);
    const names = new Set(lines.flatMap((line) => Object.keys(line)));
    const allowed = ['level', 'time', 'requestId', 'route', 'status', 'ms', 'code', 'count', 'msg'];
    allowed.push('providerStatus', 'providerRequestId', 'said');
    expect([...names].filter((name) => !allowed.includes(name))).toEqual([]);
    expect(vault.lines.length).toBeGreaterThan(3);
  });
});

/** The number with its last digit made right. */
const luhn = (number: string): string =>
  [...'0123456789'].map((digit) => number.slice(0, -1) + digit).find(hasLuhnDigit) ?? '';

function spellings(number: string): string[] {
  const bytes = Buffer.from(number);
  const spaced = number.replace(/(.{4})(?=.)/g, '$1 ');
  const backwards = [...number].reverse().join('');
  const middle = number.slice(2, 12);
  return [number, spaced, backwards, middle, bytes.toString('hex'), bytes.toString('base64')];
}
