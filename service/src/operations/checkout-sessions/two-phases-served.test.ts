// The two phases over HTTP, as a page speaks them: statuses, headers, CORS. Contract §1, §3, §4.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { aClient, aToken, callAs, newId } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, cards, startWorld, type World } from '../../../test/world.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  const limits = {
    processPerMinute: 6,
    processPerHour: 20,
    processPauseMinutes: 30,
    sessionDeclines: 5,
    setupsPerHour: 10,
    tokensPerHour: 60,
  };
  const settings = { ...world.ports.settings, attemptLimits: limits };
  server = await aServer({ ...world.ports, settings });
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const sessions = '/v1/checkouts/sessions';

async function aShell() {
  const body = { clientId: world.client.id, currency: 'EUR', deferDataAttachment: true };
  const response = await callAs(server.app, null, `POST ${sessions}`, { body });
  const { id, nonce, vault } = response.json();
  expect([response.statusCode, response.json().status]).toEqual([201, 'unclaimed']);
  return { sessionId: id, nonce, mountToken: vault.mountToken, userId: newId() };
}
type Shell = Awaited<ReturnType<typeof aShell>>;

const claimText = ({ userId }: Shell) =>
  `{"currency":"EUR","products":[{"code":"mug","quantity":1}],` +
  `"accountData":{"userId":"${userId}","email":"ada@example.test"}}`;
const claim = (shell: Shell, body: string) =>
  callAs(server.app, shell, `PATCH ${sessions}/${shell.sessionId}/claim`, {
    body,
    headers: { origin: 'http://localhost:3000' },
  });
const charge = (shell: Shell, token: string) =>
  callAs(server.app, shell, `POST ${sessions}/${shell.sessionId}/vault-charge`, {
    body: { token },
  });

describe('a two-phase checkout over HTTP', () => {
  it('503 with Retry-After 1 before the claim, 200 after it, the same answer ever after', async () => {
    const shell = await aShell();
    const token = await aCardToken(world, shell, cards.approved);
    const early = await charge(shell, token);
    expect(early.json()).toMatchObject({
      status: 503,
      type: 'api_error',
      code: 'checkout_session_claim_pending',
      retryable: true,
    });
    expect(early.headers['retry-after']).toBe('1');
    expect((await claim(shell, claimText(shell))).statusCode).toBe(200);
    const paid = await charge(shell, token);
    expect(paid.json()).toMatchObject({ type: 'success', status: 'succeeded' });
    expect((await charge(shell, token)).json()).toEqual(paid.json());
  });

  it('the same claim in other bytes is the same claim, and a page of the merchant may read it', async () => {
    const shell = await aShell();
    const first = await claim(shell, claimText(shell));
    expect(first.headers['access-control-allow-origin']).toBe('http://localhost:3000');
    const { currency, products, accountData } = JSON.parse(claimText(shell));
    const { userId, email } = accountData;
    const rewritten = JSON.stringify(
      { accountData: { email, userId }, products, currency },
      null,
      2,
    );
    const again = await claim(shell, rewritten);
    const { vault: _, ...facts } = first.json();
    expect(again.json()).toMatchObject(facts);
    const other = await claim(shell, claimText(shell).replace('"quantity":1', '"quantity":2'));
    expect([other.statusCode, other.json().code]).toEqual([
      409,
      'checkout_session_already_claimed',
    ]);
  });

  it('a claim with the merchant’s credential offers the buyer’s saved card, and charges it', async () => {
    const { userId } = await vouchedSession(world);
    const saved = await aSavedCard(world, { userId });
    const listOffered = async (shell: Shell) => {
      const path = `GET ${sessions}/${shell.sessionId}/payment-methods` as const;
      const { code, data } = (await callAs(server.app, shell, path)).json();
      return code ?? data.map(({ id }: { id: string }) => id);
    };
    const unknown = { ...(await aShell()), userId };
    expect((await claim(unknown, claimText(unknown))).statusCode).toBe(200);
    expect(await listOffered(unknown)).toBe('buyer_not_verified');
    const shell = { ...(await aShell()), userId };
    const vouched = await callAs(
      server.app,
      world.token,
      `PATCH ${sessions}/${shell.sessionId}/claim`,
      { body: claimText(shell), headers: { 'x-checkout-session-token': shell.nonce } },
    );
    expect(vouched.json()).toMatchObject({ status: 'open', buyerVerified: true });
    expect(await listOffered(shell)).toEqual([saved.id]);
    const paid = await callAs(server.app, shell, `POST ${sessions}/${shell.sessionId}/process`, {
      headers: { 'x-user-id': userId },
      body: {
        sessionId: shell.sessionId,
        tokenizedData: { provider: 'cardprovider', type: 'card', paymentMethodId: saved.id },
        accountData: { userId, email: 'ada@example.test' },
      },
    });
    expect(paid.json()).toMatchObject({ type: 'success', status: 'succeeded' });
  });

  it('409 gateway_not_configured: not to be repeated, and the log says what the operator does', async () => {
    const other = await aClient(world.database);
    const token = await aToken(world.database, other);
    const body = { clientId: other.id, currency: 'EUR', deferDataAttachment: true };
    const response = await callAs(server.app, token, `POST ${sessions}`, { body });
    expect(response.json()).toMatchObject({
      status: 409,
      code: 'gateway_not_configured',
      retryable: false,
    });
    expect(server.logged).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringContaining('svc gateways create'),
        clientId: other.id,
        requestId: response.headers['request-id'],
      }),
    );
  });

  it('Contract §3 shell · 201: a shell takes the whole create input, whatever stands in what is for the claim', async () => {
    const body = {
      clientId: world.client.id,
      currency: 'EUR',
      deferDataAttachment: true,
      account: { userId: 7, email: 'no address', country: 'DE' },
      accountData: null,
      products: 'none yet',
      couponCodes: [null],
      metadata: { ['k'.repeat(400)]: 'v' },
      captureMethod: 'whenever',
      successUrl: null,
    };
    const response = await callAs(server.app, null, `POST ${sessions}`, { body });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({
      account: { country: 'DE' },
      products: [],
      metadata: {},
    });
    const typo = { ...body, currencyy: 'EUR' };
    const refused = await callAs(server.app, null, `POST ${sessions}`, { body: typo });
    expect(refused.json()).toMatchObject({ code: 'invalid_request', param: 'currencyy' });
  });

  it('null for an optional field is the field left out', async () => {
    const body = {
      clientId: world.client.id,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1, totalAmount: null, currency: null, name: null }],
      accountData: { userId: newId(), email: 'Jürgen@bücher.example' },
      account: null,
      couponCodes: null,
      captureMethod: null,
      successUrl: null,
      expiresAt: null,
      metadata: null,
      deferDataAttachment: null,
    };
    const response = await callAs(server.app, null, `POST ${sessions}`, { body });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({
      captureMethod: 'automatic',
      accountData: { email: 'Jürgen@bücher.example' },
    });
    const missing = { ...body, clientId: null };
    const refused = await callAs(server.app, null, `POST ${sessions}`, { body: missing });
    expect(refused.json()).toMatchObject({ code: 'invalid_request', param: 'clientId' });
  });

  it('400 invalid_request: a whole session without a cart', async () => {
    const shell = { clientId: world.client.id, currency: 'EUR', deferDataAttachment: true };
    for (const [body, param] of [
      [{ ...shell, deferDataAttachment: false }, 'products'],
      [{ clientId: world.client.id, currency: 'EUR' }, 'products'],
    ] as const) {
      const response = await callAs(server.app, null, `POST ${sessions}`, { body });
      const said = response.json();
      expect([response.statusCode, said.code, said.param]).toEqual([400, 'invalid_request', param]);
      // Each error is about one field, and none reports only that no schema matched.
      expect((said.errors ?? []).map(({ path }: { path: string }) => path)).not.toContain('');
    }
  });

  it('429 rate_limited with Retry-After: the seventh charge of a minute', async () => {
    const shell = await aShell();
    await claim(shell, claimText(shell));
    const token = await aCardToken(world, shell, cards.approved);
    for (let n = 0; n < 6; n++) expect((await charge(shell, token)).statusCode).toBe(200);
    const limited = await charge(shell, token);
    expect([limited.statusCode, limited.json().code]).toEqual([429, 'rate_limited']);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect(limited.headers['ratelimit-remaining']).toBe('0');
  });
});
