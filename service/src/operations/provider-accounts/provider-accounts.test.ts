// What a merchant's people see of its accounts at the provider, and of the way to real money: read from a real sandbox,
// real notices and the database.

import type { GoLive, ProviderAccount } from '@svc/contract/settings/provider-accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aToken,
  callAs,
  moveClock,
  newId,
  type TestToken,
} from '../../../test/harness.ts';
import { aPurchase } from '../../../test/payments/disputes.ts';
import { deliverNotice, signNotice } from '../../../test/payments/notices.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { listLostNotices } from '../../engine/runs/notices/list-lost-notices.ts';
import { changeGateway } from '../../engine/runs/operator/gateways.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let server: TestServer;
let stranger: TestToken;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  stranger = await aToken(world.database, await aClient(world.database));
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

type CheckAnswer = {
  readonly account: ProviderAccount;
  readonly checks: readonly { what: string; result: string; detail: string }[];
};

const event = () => ({
  ...{ object: 'event', id: `evt_${newId()}`, type: 'payment_intent.succeeded', livemode: false },
  created: Math.floor(Date.now() / 1000),
  data: { object: { object: 'payment_intent', id: 'pi_nobody' } },
});
const refuseOne = () => {
  const one = event();
  return deliverNotice(world, one, { signature: signNotice(JSON.stringify(one), 'whsec_other') });
};
const refuseKey = sql('t_accounts_refuse', 'update gateways set key_refused_at = svc_clock()');
const acceptKey = sql('t_accounts_accept', 'update gateways set key_refused_at = null');

async function readAccount(): Promise<ProviderAccount> {
  const answer = await callAs(server.app, world.token, 'GET /v1/provider-accounts');
  expect(answer.statusCode, answer.body).toBe(200);
  const { data } = answer.json() as { data: ProviderAccount[] };
  expect(data).toHaveLength(1);
  return data[0] as ProviderAccount;
}
const noticesNow = async () => (await readAccount()).notices;

async function readSteps(as = world.token): Promise<Record<string, GoLive['steps'][number]>> {
  const answer = await callAs(server.app, as, 'GET /v1/go-live');
  expect(answer.statusCode, answer.body).toBe(200);
  const { steps } = answer.json() as GoLive;
  return Object.fromEntries(steps.map((step) => [step.step, step]));
}

describe('listProviderAccounts', () => {
  it('a new account: its mode, keys that nobody has used, no notice yet, and no secret', async () => {
    const account = await readAccount();
    expect(account).toMatchObject({
      ...{ id: world.gatewayId, provider: 'cardprovider', accountId: world.account.accountId },
      ...{ mode: 'sandbox', livemode: false, active: true, countries: [] },
      keys: { status: 'untried', refusedAt: null, usedAt: null, checkedAt: null },
      notices: { status: 'none', lastAt: null, refused: 0, refusedSince: null },
    });
    expect(JSON.stringify(account)).not.toMatch(/sk_|whsec_|pk_/);
  });

  it('the first payment shows that the keys are accepted; a refusal stands until it is cleared', async () => {
    await aPurchase(world);
    expect((await readAccount()).keys.status).toBe('accepted');
    await world.database.write(refuseKey, []);
    const { keys } = await readAccount();
    expect(keys).toMatchObject({ status: 'refused', refusedAt: expect.stringMatching(/Z$/) });
    const overview = (await callAs(server.app, world.token, 'GET /v1/overview')).json();
    expect(overview.refusedKeys).toEqual({
      total: 1,
      data: [
        {
          ...{ gatewayId: world.gatewayId, provider: 'cardprovider' },
          ...{ accountId: world.account.accountId, refusedAt: keys.refusedAt },
        },
      ],
    });
    await world.database.write(acceptKey, []);
    expect((await readAccount()).keys.status).toBe('accepted');
  });

  it('notices: lost ones, arriving ones to the minute, refused ones, and arriving ones again', async () => {
    const onError = (_: unknown, error: unknown) => expect.fail(String(error));
    const { intent } = await aPurchase(world);
    await world.control('POST', '/_control/fraud-warnings', { intent, fraudType: 'misc' });
    expect(await listLostNotices(world.ports, { onError })).toBeGreaterThan(0);
    expect(await noticesNow()).toMatchObject({ status: 'missing', lastAt: null });
    expect((await readAccount()).keys.usedAt).not.toBeNull();

    expect(await deliverNotice(world, event())).toBe('stored');
    const first = await noticesNow();
    expect(first).toMatchObject({ status: 'arriving', lastAt: expect.stringMatching(/Z$/) });
    await moveClock(world.database, 30_000);
    await deliverNotice(world, event());
    expect((await noticesNow()).lastAt).toBe(first.lastAt);
    await moveClock(world.database, 31_000);
    await deliverNotice(world, event());
    expect(Date.parse((await noticesNow()).lastAt ?? '')).toBeGreaterThan(
      Date.parse(first.lastAt ?? '') + 60_000,
    );

    expect(await refuseOne()).toBe('refused');
    expect(await noticesNow()).toMatchObject({ status: 'refused', refused: 1 });
    await deliverNotice(world, event());
    expect(await noticesNow()).toMatchObject({ status: 'arriving', refused: 0 });
  });

  it('another merchant sees nothing of it', async () => {
    const answer = await callAs(server.app, stranger, 'GET /v1/provider-accounts');
    expect(answer.json()).toEqual({ data: [] });
  });

  it('403 insufficient_scope: without payments:read', async () => {
    const other = await aToken(world.database, world.client, { scopes: ['customers:read'] });
    const answer = await callAs(server.app, other, 'GET /v1/provider-accounts');
    expect(answer.json().code).toBe('insufficient_scope');
  });
});

describe('checkProviderAccount', () => {
  const check = (as = world.token, id = world.gatewayId) =>
    callAs(server.app, as, `POST /v1/provider-accounts/${id}/check`);
  const storeKey = (key: string) =>
    changeGateway({ id: world.gatewayId, keys: { secretKey: key } }, world.ports);

  it('tells each right in words, marks a key that the provider refuses, and clears the mark of one that works', async () => {
    await moveClock(world.database, 11_000);
    const well = await check();
    expect(well.statusCode, well.body).toBe(200);
    const { account, checks } = well.json() as CheckAnswer;
    expect(account.keys).toMatchObject({ status: 'accepted', checkedAt: expect.any(String) });
    expect(checks).toContainEqual({ what: 'right refunds.write', result: 'good', detail: 'given' });

    await storeKey('sk_test_revoked');
    await moveClock(world.database, 11_000);
    const refused = (await check()).json() as CheckAnswer;
    expect(refused.account.keys.status).toBe('refused');
    expect(Date.parse(refused.account.keys.checkedAt ?? '')).toBeGreaterThan(
      Date.parse(account.keys.checkedAt ?? ''),
    );
    expect(refused.checks[0]).toMatchObject({
      ...{ what: 'account', result: 'wrong' },
      detail: expect.stringContaining('refuses the secret key'),
    });
    const overview = (await callAs(server.app, world.token, 'GET /v1/overview')).json();
    expect(overview.refusedKeys.total).toBe(1);

    // Not by the new key, which clears the mark by itself: by the check.
    await storeKey(world.account.secretKey);
    await world.database.write(refuseKey, []);
    await moveClock(world.database, 11_000);
    expect(((await check()).json() as CheckAnswer).account.keys.status).toBe('accepted');
  });

  it('429 rate_limited: within ten seconds of the last one', async () => {
    await moveClock(world.database, 11_000);
    expect((await check()).statusCode).toBe(200);
    const again = await check();
    expect([again.statusCode, again.json().code]).toEqual([429, 'rate_limited']);
  });

  it("404 provider_account_not_found: another merchant's", async () => {
    expect((await check(stranger)).json().code).toBe('provider_account_not_found');
    expect((await check(world.token, newId())).json().code).toBe('provider_account_not_found');
  });

  it('403 merchant_role_required: a member; 403 insufficient_scope: without catalog:write', async () => {
    const member = await aToken(world.database, world.client, { role: 'member' });
    expect((await check(member)).json().code).toBe('merchant_role_required');
    const narrow = await aToken(world.database, world.client, { scopes: ['payments:read'] });
    expect((await check(narrow)).json().code).toBe('insufficient_scope');
  });
});

describe('getGoLive', () => {
  it('of a merchant without anything: each step is to do, or not needed by everybody', async () => {
    const steps = await readSteps(stranger);
    expect(Object.entries(steps).map(([step, { state }]) => [step, state])).toEqual([
      ['provider_keys', 'open'],
      ['provider_notices', 'open'],
      ['product', 'open'],
      ['test_purchase', 'open'],
      ['test_refund', 'open'],
      ['business_details', 'open'],
      ['webhook_endpoint', 'optional'],
      ['two_step', 'open'],
      ['second_owner', 'optional'],
      ['mail_server', 'open'],
      ['live_account', 'open'],
    ]);
    expect(steps.business_details?.missing).toEqual([
      ...['businessName', 'businessAddress', 'supportEmail', 'termsUrl'],
    ]);
  });

  it('each step follows what is done', async () => {
    const call = (path: Parameters<typeof callAs>[2], body: object) =>
      callAs(server.app, world.token, path, { body, headers: { 'idempotency-key': newId() } });
    const { paymentId } = await aPurchase(world);
    const before = await readSteps();
    expect(before).toMatchObject({
      provider_keys: { state: 'done' },
      provider_notices: { state: 'done' },
      product: { state: 'done' },
      test_purchase: { state: 'done', since: expect.stringMatching(/Z$/) },
      test_refund: { state: 'open' },
      two_step: { state: 'open' },
    });
    const refunded = await call(`POST /v1/payments/${paymentId}/refunds`, { amount: 1 });
    expect(refunded.statusCode, refunded.body).toBe(201);
    await call('PATCH /v1/client', {
      businessName: 'Beans',
      businessAddress: '1 Bean Street',
      supportEmail: 'help@beans.example',
    });
    expect(await readSteps()).toMatchObject({
      test_refund: { state: 'done' },
      business_details: { state: 'open', missing: ['termsUrl'] },
    });
    await call('PATCH /v1/client', { termsUrl: 'https://beans.example/terms' });
    await world.database.write(refuseKey, []);
    expect(await readSteps()).toMatchObject({
      provider_keys: { state: 'failing' },
      business_details: { state: 'done', missing: [] },
    });
    await world.database.write(acceptKey, []);
  });

  it('two steps: whoever refunds or changes settings counts, with an authenticator or without', async () => {
    const client = await aClient(world.database);
    const token = await aToken(world.database, client);
    const finance = await aMemberOf(world.ports, client, { role: 'finance' });
    await aMemberOf(world.ports, client, { role: 'viewer' });
    const confirm = sql(
      't_accounts_totp',
      `update users set totp_secret_sealed = '\\x00', totp_confirmed_at = svc_clock() where id = $1`,
    );
    await world.database.write(confirm, [token.userId]);
    expect((await readSteps(token)).two_step).toMatchObject({
      ...{ state: 'open', missing: [finance.email] },
    });
    await world.database.write(confirm, [finance.id]);
    expect((await readSteps(token)).two_step).toMatchObject({ state: 'done', missing: [] });
  });

  it('403 merchant_role_required: a member', async () => {
    const other = await aToken(world.database, world.client, { role: 'member' });
    const answer = await callAs(server.app, other, 'GET /v1/go-live');
    expect(answer.json().code).toBe('merchant_role_required');
  });
});
