// Contract §13: the wallet's vault, its access tokens and its pages.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  approvedOrder,
  capturesOf,
  openWalletBench,
  orderBody,
  type WalletBench,
} from '../../test/wallet.ts';

let bench: WalletBench;
beforeAll(async () => {
  bench = await openWalletBench();
});
afterEach(() => expect(bench.complaints()).toEqual([]));
afterAll(() => bench.sandbox.close());

const tokens = '/v3/vault/payment-tokens';
const setups = '/v3/vault/setup-tokens';
const setupBody = (more: object = {}) => ({
  customer: { id: 'customer_1' },
  payment_source: {
    paypal: {
      usage_type: 'MERCHANT',
      experience_context: { return_url: 'http://a/r', cancel_url: 'http://a/c' },
      ...more,
    },
  },
});
const tokenBody = (id: string) => ({ payment_source: { token: { id, type: 'SETUP_TOKEN' } } });

const savedToken = async (key: string, behaviour = 'completes') => {
  const setup = await bench.call('POST', setups, { key: `s-${key}`, body: setupBody() });
  const id = String(setup.body.id);
  await bench.control.post(`/wallet/setup-tokens/${id}/approve`, { behaviour });
  const made = await bench.call('POST', tokens, { key: `t-${key}`, body: tokenBody(id) });
  expect(made.status).toBe(201);
  return { setup: id, token: String(made.body.id) };
};

describe('the vault', () => {
  it('a setup token is approved by its payer, then given for a payment token once', async () => {
    const setup = await bench.call('POST', setups, { key: 's1', body: setupBody() });
    expect(setup).toMatchObject({ status: 201, body: { status: 'PAYER_ACTION_REQUIRED' } });
    const id = String(setup.body.id);
    const early = await bench.call('POST', tokens, { key: 't1', body: tokenBody(id) });
    expect(early.status).toBe(422);
    await bench.control.post(`/wallet/setup-tokens/${id}/approve`);
    expect(await bench.call('GET', `${setups}/${id}`)).toMatchObject({
      body: { status: 'APPROVED' },
    });
    const made = await bench.call('POST', tokens, { key: 't1', body: tokenBody(id) });
    expect(made).toMatchObject({ status: 201, body: { customer: { id: 'customer_1' } } });
    const again = await bench.call('POST', tokens, { key: 't1', body: tokenBody(id) });
    expect(again).toEqual({ ...made, status: 200 });
    const other = await bench.call('POST', tokens, { key: 't2', body: tokenBody(id) });
    expect(other.status).toBe(422);
  });

  it('lists a customer and deletes; a second deletion changes nothing', async () => {
    const { token } = await savedToken('list');
    const path = `${tokens}?customer_id=customer_1&page_size=20&total_required=true`;
    const ids = async () =>
      ((await bench.call('GET', path)).body.payment_tokens as { id: string }[]).map(({ id }) => id);
    expect(await ids()).toContain(token);
    for (const _ of [1, 2]) {
      expect(await bench.call('DELETE', `${tokens}/${token}`)).toMatchObject({ status: 204 });
    }
    expect(await ids()).not.toContain(token);
    expect(await bench.call('GET', `${tokens}/${token}`)).toMatchObject({ status: 404 });
  });

  it('a payment token pays an order without a page', async () => {
    const { token } = await savedToken('pay');
    const order = await bench.call('POST', '/v2/checkout/orders', { key: 'o', body: orderBody() });
    const path = `/v2/checkout/orders/${String(order.body.id)}/capture`;
    const body = { payment_source: { paypal: { vault_id: token } } };
    const paid = await bench.call('POST', path, { key: 'p', body });
    expect(paid).toMatchObject({ status: 201, body: { status: 'COMPLETED' } });
    expect(capturesOf(paid.body)).toMatchObject([{ status: 'COMPLETED' }]);
  });

  it('an order keeps its payer for later, once it is paid', async () => {
    const source = {
      paypal: {
        attributes: {
          customer: { id: 'customer_2' },
          vault: { store_in_vault: 'ON_SUCCESS', usage_type: 'MERCHANT' },
        },
      },
    };
    const body = orderBody({}, { payment_source: source });
    const order = await bench.call('POST', '/v2/checkout/orders', { key: 'keep', body });
    const id = String(order.body.id);
    await bench.control.post(`/wallet/orders/${id}/approve`);
    const path = `/v2/checkout/orders/${id}/capture`;
    const paid = await bench.call('POST', path, { key: 'keep-c', body: {} });
    expect(paid.body).toMatchObject({
      payment_source: { paypal: { attributes: { vault: { status: 'VAULTED' } } } },
    });
    const listed = await bench.call('GET', `${tokens}?customer_id=customer_2`);
    expect(listed.body.payment_tokens).toHaveLength(1);
  });
});

describe('keeping the payer of an order', () => {
  let count = 0;
  const keepingBody = (customer: string) =>
    orderBody(
      {},
      {
        payment_source: {
          paypal: {
            attributes: {
              customer: { id: customer },
              vault: { store_in_vault: 'ON_SUCCESS', usage_type: 'MERCHANT' },
            },
          },
        },
      },
    );
  const create = (key: string, customer = key) =>
    bench.call('POST', '/v2/checkout/orders', { key, body: keepingBody(customer) });
  const payAndKeep = async (behaviour: string) => {
    count += 1;
    const customer = `keeps_${count}`;
    const id = String((await create(customer)).body.id);
    await bench.control.post(`/wallet/orders/${id}/approve`, { behaviour });
    const key = `keeps-${count}`;
    const { body } = await bench.call('POST', `/v2/checkout/orders/${id}/capture`, {
      key,
      body: {},
    });
    return { id, customer, vault: vaultOf(body) };
  };
  const vaultOf = (order: Record<string, unknown>) =>
    (order.payment_source as { paypal: { attributes?: { vault: object } } }).paypal.attributes
      ?.vault;
  const listKept = async (customer: string) => {
    const { body } = await bench.call('GET', `${tokens}?customer_id=${customer}`);
    return (body.payment_tokens as { id: string }[]).map(({ id }) => id);
  };
  const charge = async (token: string, key: string) => {
    const order = await bench.call('POST', '/v2/checkout/orders', { key, body: keepingBody(key) });
    const id = String(order.body.id);
    const body = { payment_source: { paypal: { vault_id: token } } };
    const path = `/v2/checkout/orders/${id}/capture`;
    return { id, path, answer: await bench.call('POST', path, { key: `${key}-c`, body }) };
  };

  it('saved_later: agreed to at the capture, kept three seconds after it', async () => {
    const { id, customer, vault } = await payAndKeep('saved_later');
    expect(vault).toEqual({ status: 'APPROVED', customer: { id: customer } });
    expect(await listKept(customer)).toEqual([]);
    await bench.control.advance(4);
    const [token, ...more] = await listKept(customer);
    expect(more).toEqual([]);
    const { body } = await bench.call('GET', `/v2/checkout/orders/${id}`);
    expect(vaultOf(body)).toMatchObject({ id: token, status: 'VAULTED' });
  });

  it('not_saved: paid, and never kept', async () => {
    const { customer, vault } = await payAndKeep('not_saved');
    expect(vault).toBeUndefined();
    await bench.control.advance(4);
    expect(await listKept(customer)).toEqual([]);
  });

  it('declined_later: kept, and declined when it is charged', async () => {
    const { customer } = await payAndKeep('declined_later');
    const [token = ''] = await listKept(customer);
    const { answer } = await charge(token, 'declines');
    expect(answer).toMatchObject({ status: 422, issue: 'INSTRUMENT_DECLINED' });
  });

  it('needs_payer: charged once its payer agrees, under the same key', async () => {
    const { customer } = await payAndKeep('needs_payer');
    const [token = ''] = await listKept(customer);
    const { id, path, answer } = await charge(token, 'needs');
    expect(answer).toMatchObject({ status: 422, issue: 'PAYER_ACTION_REQUIRED' });
    expect(answer.body.links).toEqual([
      { href: expect.stringContaining(id), rel: 'payer-action', method: 'GET' },
    ]);
    await bench.control.post(`/wallet/orders/${id}/approve`);
    const again = await bench.call('POST', path, { key: 'needs-c', body: {} });
    expect(again).toMatchObject({ status: 201, body: { status: 'COMPLETED' } });
  });

  it('an account that may keep nothing is told so when the order is made', async () => {
    const match = { method: 'POST', path: '/v2/checkout/orders' };
    await bench.control.post('/faults', { match, action: 'decline' });
    expect(await create('never')).toMatchObject({
      status: 422,
      issue: 'NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE',
    });
    await fetch(`${bench.sandbox.url}/_control/faults`, { method: 'DELETE' });
  });
});

describe('access tokens', () => {
  const request = (authorization: string, body = 'grant_type=client_credentials') =>
    fetch(`${bench.sandbox.url}/v1/oauth2/token`, {
      method: 'POST',
      headers: { authorization },
      body,
    });
  const basicHeader = (id: string, secret: string) =>
    `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

  it('are given for the right id and secret only', async () => {
    const { clientId, clientSecret } = bench.wallet;
    expect((await request(basicHeader(clientId, clientSecret))).status).toBe(200);
    expect((await request(basicHeader(clientId, 'wrong'))).status).toBe(401);
    expect((await request(basicHeader('nobody', clientSecret))).status).toBe(401);
    expect((await request(basicHeader(clientId, clientSecret), 'grant_type=password')).status).toBe(
      400,
    );
  });

  it('run out after nine hours on the sandbox clock', async () => {
    const other = await openWalletBench();
    const id = await approvedOrder(other);
    await other.control.advance(9 * 3600 - 60);
    expect((await other.call('GET', `/v2/checkout/orders/${id}`)).status).toBe(404);
    await other.control.advance(61);
    expect((await other.call('GET', `/v2/checkout/orders/${id}`)).status).toBe(401);
    expect(other.complaints()).toEqual([]);
    await other.sandbox.close();
  });

  it('the same seed and name give the same app, another seed another one', async () => {
    const benches = [];
    for (const seed of ['one', 'one', 'other']) benches.push(await openWalletBench({ seed }));
    const [first, same, other] = benches.map(({ wallet }) => wallet.clientSecret);
    expect(same).toBe(first);
    expect(other).not.toBe(first);
    for (const { sandbox } of benches) await sandbox.close();
  });
});

describe('the payer page', () => {
  const url = (path: string) => bench.sandbox.url + path;
  const send = (path: string, fields: Record<string, string>) =>
    fetch(url(path), { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  const createOrder = async (key: string) => {
    const context = { return_url: 'http://a/back?x=1', cancel_url: 'http://a/cancel' };
    const body = orderBody({}, { payment_source: { paypal: { experience_context: context } } });
    const made = await bench.call('POST', '/v2/checkout/orders', { key, body });
    const links = made.body.links as { rel: string; href: string }[];
    const page = links.find(({ rel }) => rel === 'payer-action')?.href ?? '';
    return { id: String(made.body.id), path: page.slice(bench.sandbox.url.length) };
  };

  it('works without a script: asks, and sends the payer back with the order', async () => {
    const { id, path } = await createOrder('page-1');
    const page = await (await fetch(url(path))).text();
    expect(page).toContain('Confirm your payment of €19.90');
    expect(page).not.toContain('<script');
    const answer = await send(path, { outcome: 'approve', behaviour: 'pends' });
    const to = new URL(answer.headers.get('location') ?? '');
    expect(answer.status).toBe(303);
    expect(to.origin + to.pathname).toBe('http://a/back');
    expect(Object.fromEntries(to.searchParams)).toEqual({
      x: '1',
      token: id,
      PayerID: expect.any(String),
    });
    expect((await fetch(url(path))).status).toBe(409);
  });

  it('cancelled: back to the shop, and the order still waits', async () => {
    const { id, path } = await createOrder('page-2');
    const answer = await send(path, { outcome: 'cancel' });
    expect(answer.headers.get('location')).toBe(`http://a/cancel?token=${id}`);
    expect((await fetch(url(path))).status).toBe(200);
  });

  it('asks for a saved wallet too', async () => {
    const setup = await bench.call('POST', setups, { key: 'page-s', body: setupBody() });
    const path = `/agreements/approve?approval_session_id=${String(setup.body.id)}`;
    expect(await (await fetch(url(path))).text()).toContain('Save your wallet');
    const answer = await send(path, { outcome: 'approve' });
    expect(answer.headers.get('location')).toContain('http://a/r?approval_token_id=');
  });

  it.each([
    ['ar-EG,en;q=0.8', 'lang="ar" dir="rtl"', /أكّد دفعتك البالغة .*١٩/],
    ['de-DE,de;q=0.9', 'lang="de" dir="ltr"', /Bestätigen Sie Ihre Zahlung von 19,90/],
    ['ja', 'lang="ja" dir="ltr"', /19\.90 のお支払いを確認してください/],
  ])('speaks the language of the payer’s browser: %s', async (language, root, title) => {
    const { path } = await createOrder(`page-${language}`);
    const headers = { 'accept-language': language };
    const page = await (await fetch(url(path), { headers })).text();
    expect(page).toContain(`<html ${root}>`);
    expect(page).toMatch(title);
    expect(page).not.toMatch(/stands for|It completes|once approved|>(Approve|Cancel)</);
    await send(path, { outcome: 'approve' });
    expect(await (await fetch(url(path), { headers })).text()).toContain(`<html ${root}>`);
  });

  it.each(['/checkoutnow?token=NONE', '/agreements/approve?approval_session_id=none'])(
    '%s: nothing here',
    async (path) => expect((await fetch(url(path))).status).toBe(404),
  );
});
