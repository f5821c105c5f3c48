// The driver `provider-fields` at the wire: its document's headers, and what it takes for a token.
import { randomUUID } from 'node:crypto';
import { scaled } from '@svc/tools/machine';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callSigned, postMethod, redeem, sha256, startTestVault } from '../test/harness.ts';
import { documentHeaders, readProviderForm } from './form-files.ts';

let vault: Awaited<ReturnType<typeof startTestVault>>;
let own: typeof vault;
beforeAll(async () => {
  [vault, own] = await Promise.all([
    startTestVault({ driver: 'provider-fields' }),
    startTestVault(),
  ]);
});
afterAll(async () => {
  await vault?.close();
  await own?.close();
});

const policyOf = (script: string) => {
  const headers = documentHeaders(readProviderForm(script), ['https://shop.example']);
  const directives = (headers['content-security-policy'] ?? '').split('; ');
  const named = directives.map((one) => [one.split(' ')[0], one.split(' ').slice(1).join(' ')]);
  return { headers, policy: Object.fromEntries(named) as Record<string, string> };
};

describe('the document', () => {
  it('lets in the provider’s script, frames and API, and isolates nothing', () => {
    const { headers, policy } = policyOf('https://js.stripe.com/v3/');
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': expect.stringMatching(
        /^'sha384-[^']+' https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com$/,
      ),
      'frame-src': 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
      'connect-src': "'self' https://api.stripe.com",
      'form-action': "'none'",
      'frame-ancestors': 'https://shop.example',
    });
    expect(policy).not.toHaveProperty('require-trusted-types-for');
    expect(headers).not.toHaveProperty('cross-origin-embedder-policy');
  });

  it('of a stand-in lets in its origin alone', () => {
    const { policy } = policyOf('http://127.0.0.1:4002/v3/');
    expect(policy).toMatchObject({
      'script-src': expect.stringMatching(/ http:\/\/127\.0\.0\.1:4002$/),
      'frame-src': 'http://127.0.0.1:4002',
      'connect-src': "'self' http://127.0.0.1:4002",
    });
    expect(JSON.stringify(policy)).not.toContain('stripe');
  });

  it('has the script’s address in it, in each coding, and a tag of its own', async () => {
    const url = vault.formUrl(['https://shop.example']);
    const texts = new Set<string>();
    for (const coding of ['br', 'gzip', 'identity']) {
      const answer = await fetch(url, { headers: { 'accept-encoding': coding } });
      texts.add(await answer.text());
    }
    const [text = ''] = texts;
    expect(texts.size).toBe(1);
    expect(text).toContain(`href="${vault.sandbox.url}/v3/"`);
    expect(text).not.toMatch(/<input id="(number|expiry|cvc)"/);
    expect(readProviderForm('https://a.example/v3/').etag).not.toBe(
      readProviderForm('https://b.example/v3/').etag,
    );
  });
});

describe('POST /form/tokens', () => {
  const redeemToken = async (
    token: unknown,
    claims: { sessionId: string; clientId: string },
    operationId = randomUUID(),
  ) =>
    redeem(vault, {
      tokenSha256: sha256(token),
      sessionId: claims.sessionId,
      clientId: claims.clientId,
      operationId,
      claimedBy: claims.clientId,
    });

  it('takes the provider’s method: redeemed by one operation, as often as it asks', async () => {
    const claims = vault.claims();
    const mountToken = vault.mountToken(claims);
    const made = await postMethod(vault, { mountToken, paymentMethodId: 'pm_1AbC' });
    expect([made.status, Object.keys(made.body)]).toEqual([200, ['token']]);
    const operationId = randomUUID();
    for (let n = 0; n < 2; n++) {
      expect((await redeemToken(made.body.token, claims, operationId)).body).toMatchObject({
        providerPaymentMethodId: 'pm_1AbC',
        brand: null,
      });
    }
    expect((await redeemToken(made.body.token, claims)).body).toEqual({ code: 'card_token_used' });
    const other = vault.claims();
    expect((await redeemToken(made.body.token, other)).body).toEqual({
      code: 'card_token_unknown',
    });
  });

  it('Contract §1 provider_method_not_usable: 422 for a method that came with another session', async () => {
    const [first, second] = [vault.claims(), vault.claims()];
    const same = { ...second, clientId: first.clientId };
    const paymentMethodId = 'pm_shared';
    const post = (claims: typeof first) =>
      postMethod(vault, { mountToken: vault.mountToken(claims), paymentMethodId });
    expect((await post(first)).status).toBe(200);
    expect((await post(first)).status).toBe(200);
    expect(await post(same)).toMatchObject({
      status: 422,
      body: { code: 'provider_method_not_usable', param: 'paymentMethodId' },
    });
    // What is forgotten on the service's word is free again.
    const path = '/internal/card-tokens/forget';
    const forgotten = await callSigned(vault, {
      path,
      body: { clientId: first.clientId, providerPaymentMethodId: paymentMethodId },
    });
    expect(forgotten.body).toEqual({ forgotten: 2 });
  });

  it('a method that two sessions bring at once gets one token, and the other hears why', async () => {
    const { clientId } = vault.claims();
    const connect = async () => {
      const client = new pg.Client({ connectionString: vault.database.adminUrl });
      await client.connect();
      return client;
    };
    const [holder, watcher] = await Promise.all([connect(), connect()]);
    // Each insert waits for this lock, after its statement has looked for tokens of others.
    await holder.query('select pg_advisory_lock(4711)');
    await watcher.query(`
      create function vault.wait_for_others() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(4711); return new; end $$;
      create trigger wait_for_others before insert on vault.card_tokens
        for each row execute function vault.wait_for_others()`);
    const races = [0, 1, 2, 3];
    const posts = [...races, ...races].map(async (race) => {
      const mountToken = vault.mountToken({ ...vault.claims(), clientId });
      const paymentMethodId = `pm_race${race}`;
      const { status, body } = await postMethod(vault, { mountToken, paymentMethodId });
      return `${race} ${status} ${body.code ?? 'token'}`;
    });
    const countWaiting = async () =>
      (
        await watcher.query<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows[0]?.n;
    await expect
      .poll(countWaiting, { timeout: scaled(10_000) })
      .toBeGreaterThanOrEqual(8)
      .finally(() => holder.end());
    const said = await Promise.all(posts);
    await watcher.query('drop function vault.wait_for_others cascade');
    await watcher.end();
    expect(said.sort()).toEqual(
      races.flatMap((race) => [`${race} 200 token`, `${race} 422 provider_method_not_usable`]),
    );
  });

  it.each([
    { number: '4242424242424242' },
    { cvc: '123' },
    { number: '4242424242424242', cvc: '123', expiryMonth: 12, expiryYear: 2040 },
    { expiryMonth: 12 },
    { name: 'Ada' },
  ])('400 raw_card_data_forbidden: %o, also beside a method', async (fields) => {
    for (const paymentMethodId of [undefined, 'pm_1']) {
      const answer = await postMethod(vault, { paymentMethodId, ...fields });
      expect(answer).toMatchObject({ status: 400, body: { code: 'raw_card_data_forbidden' } });
    }
  });

  it.each(['', 'pm_', 'src_1', 'pm_1 or 1=1', `pm_${'x'.repeat(201)}`, 4, null])(
    '400 invalid_request: %o is no method',
    async (paymentMethodId) => {
      expect(await postMethod(vault, { paymentMethodId })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', param: 'paymentMethodId' },
      });
    },
  );

  it('429 rate_limited: twenty an hour for one session', async () => {
    const mountToken = vault.mountToken();
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) {
      statuses.push((await postMethod(vault, { mountToken, paymentMethodId: `pm_r${n}` })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
  });

  it('401 session_expired · 403 origin_not_allowed, as with a typed card', async () => {
    expect((await postMethod(vault, { mountToken: 'svcm_x.y' })).status).toBe(401);
    expect((await postMethod(vault, { parents: 'another' })).status).toBe(403);
    expect((await postMethod(vault, {}, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('Contract §1 provider_method_not_accepted: 400 for a method where the form takes the number, alone and beside a card', async () => {
    const card = { number: '4242424242424242', cvc: '123', expiryMonth: 12, expiryYear: 2040 };
    for (const more of [{}, card]) {
      expect(await postMethod(own, more)).toMatchObject({
        status: 400,
        body: { code: 'provider_method_not_accepted', param: 'paymentMethodId' },
      });
    }
  });

  it('no card that is refused stands in log or answer', async () => {
    const answer = await postMethod(vault, { number: '4000056655665556', cvc: '987' });
    const said = JSON.stringify([answer.body, vault.lines, await vault.dump()]);
    expect(said).not.toMatch(/4000056655665556|"987"/);
  });
});
