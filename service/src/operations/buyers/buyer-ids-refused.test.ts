// Which ids a merchant may give a buyer, which buyers are the same, and whom a UUID names. Contract
// §3, Buyer.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credential, callAs, newId } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { readBuyer } from '../../engine/steps/customers/read-buyer.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const email = 'ada@example.test';
const sessions = '/v1/checkouts/sessions';

async function call(what: Parameters<typeof callAs>[2], as: Credential, body?: unknown) {
  const response = await callAs(server.app, as, what, body === undefined ? {} : { body });
  return { status: response.statusCode, body: response.json() };
}

const cart = { currency: 'EUR', products: [{ code: 'mug', quantity: 1 }] };
const createSessionWith = (body: object, as: Credential = world.token) =>
  call(`POST ${sessions}`, as, { clientId: world.client.id, ...cart, ...body });
const create = (accountData: object, as: Credential = world.token) =>
  createSessionWith({ accountData: { email, ...accountData } }, as);
const idOf = (text: string) => readBuyer(world.client.id, { userId: text }).userId;

async function aShell(): Promise<{ id: string; nonce: string }> {
  const { clientId, currency } = { clientId: world.client.id, ...cart };
  return (await call(`POST ${sessions}`, null, { clientId, currency, deferDataAttachment: true }))
    .body;
}

async function claim(
  { id, nonce }: { id: string; nonce: string },
  accountData: object,
  isVouched = false,
) {
  const response = await callAs(server.app, { nonce }, `PATCH ${sessions}/${id}/claim`, {
    body: { ...cart, accountData: { email, ...accountData } },
    headers: isVouched ? { authorization: world.token.authorization } : {},
  });
  return { status: response.statusCode, body: response.json() };
}

describe('Contract §3 Buyer: what an id may be', () => {
  it.each([
    ['empty', { userId: '' }, 'accountData.userId'],
    ['256 characters', { userId: 'x'.repeat(256) }, 'accountData.userId'],
    ['a number', { userId: 42 }, 'accountData.userId'],
    ['a line break', { userId: 'a\nb' }, 'accountData.userId'],
    ['a control character', { userId: 'a\u0007b' }, 'accountData.userId'],
    ['a turn of the direction', { userId: 'a\u202eb' }, 'accountData.userId'],
    ['null', { userId: null }, 'accountData.userId'],
    [
      'another buyer’s UUID beside it',
      { userId: newId(), externalId: '42' },
      'accountData.externalId',
    ],
    [
      'a UUID as the id beside a UUID',
      { userId: newId(), externalId: newId() },
      'accountData.externalId',
    ],
  ])('400 invalid_request: %s, on create and claim', async (_what, accountData, param) => {
    const refused = { status: 400, body: { code: 'invalid_request', param } };
    expect(await create(accountData)).toMatchObject(refused);
    const shell = await aShell();
    expect(await claim(shell, accountData)).toMatchObject(refused);
    expect(await claim(shell, { userId: '42' })).toMatchObject({ status: 200 });
  });

  it('400 raw_card_data_forbidden: a card number is no id', async () => {
    expect(await create({ userId: '4242424242424242' })).toMatchObject({
      status: 400,
      body: { code: 'raw_card_data_forbidden' },
    });
  });

  it('account and accountData name one buyer, in either field', async () => {
    const accountData = { userId: '42', email };
    for (const account of [
      { userId: '42', country: 'DE' },
      { userId: idOf('42'), externalId: '42' },
      { externalId: '42', email },
      { country: 'DE' },
    ]) {
      expect(await createSessionWith({ accountData, account })).toMatchObject({
        status: 201,
        body: { accountData: { userId: idOf('42'), externalId: '42' } },
      });
    }
    const alone = await createSessionWith({ account: { userId: '42', email } });
    expect(alone.body.accountData).toEqual({ userId: idOf('42'), externalId: '42', email });
    for (const account of [{ userId: '43' }, { userId: idOf('42') }, { userId: ' 42' }]) {
      expect(await createSessionWith({ accountData, account })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', param: 'account' },
      });
    }
  });
});

describe('Contract §3 Claim: the buyer’s id', () => {
  it('the same buyer is the same claim: a UUID in any letter case, an id with its UUID beside it', async () => {
    const userId = newId();
    const plain = await aShell();
    expect((await claim(plain, { userId })).status).toBe(200);
    for (const same of [{ userId: userId.toUpperCase() }, { userId, externalId: null }]) {
      expect((await claim(plain, same)).status).toBe(200);
    }
    const named = await aShell();
    const first = await claim(named, { userId: 'Ada' });
    const again = await claim(named, { userId: idOf('Ada').toUpperCase(), externalId: 'Ada' });
    expect(again.status).toBe(200);
    expect(again.body.accountData).toEqual(first.body.accountData);
  });

  it('409 checkout_session_already_claimed: another id, also in letter case or as the UUID alone', async () => {
    const shell = await aShell();
    expect((await claim(shell, { userId: 'Ada' })).status).toBe(200);
    for (const userId of ['ada', 'Ada ', idOf('Ada')]) {
      expect(await claim(shell, { userId })).toMatchObject({
        status: 409,
        body: { code: 'checkout_session_already_claimed' },
      });
    }
  });
});

describe('Contract §3 Buyer: a UUID that was made of another id', () => {
  it('403 buyer_mismatch: it opens nobody’s saved cards, on create and claim; the customer stays', async () => {
    await create({ userId: 'victim' });
    const attacker = { userId: idOf('victim'), email: 'eve@example.test' };
    const refused = {
      status: 403,
      body: { code: 'buyer_mismatch', param: 'accountData.userId' },
    };
    expect(await create(attacker)).toMatchObject(refused);
    const shell = await aShell();
    expect(await claim(shell, attacker, true)).toMatchObject(refused);
    const { body } = await call(`GET /v1/customers/${idOf('victim')}`, world.token);
    expect(body).toMatchObject({ externalId: 'victim', email });
    // Nobody vouches for the buyer: the session belongs to a stranger, and its response states
    // that.
    expect(await claim(shell, attacker)).toMatchObject({
      status: 200,
      body: { buyerVerified: false, accountData: { userId: idOf('victim'), externalId: null } },
    });
  });

  it('403 buyer_mismatch: whoever has taken it before is not joined with whom it was made of', async () => {
    expect((await create({ userId: idOf('late') })).status).toBe(201);
    expect(await create({ userId: 'late' })).toMatchObject({
      status: 403,
      body: { code: 'buyer_mismatch' },
    });
  });

  it('a session of nobody vouched for tells nothing of who is a customer', async () => {
    await create({ userId: 'known' });
    const [known, unknown] = [
      await create({ userId: idOf('known') }, null),
      await create({ userId: idOf('unknown') }, null),
    ];
    expect([known.status, unknown.status]).toEqual([201, 201]);
    expect(known.body.accountData.externalId).toBeNull();
  });
});

describe('POST /v1/customers', () => {
  const add = (body: object) => call('POST /v1/customers', world.token, { email, ...body });

  it('201: takes the merchant’s id, whole or as answers show it, and the same again', async () => {
    const made = await add({ id: '1001', name: 'Ada' });
    const customer = { id: idOf('1001'), externalId: '1001', name: 'Ada' };
    expect(made).toMatchObject({ status: 201, body: customer });
    for (const same of [
      { id: '1001' },
      { externalId: '1001' },
      { id: idOf('1001'), externalId: '1001' },
    ]) {
      expect(await add({ ...same, name: 'Ada' })).toEqual(made);
    }
    const setup = await call(`POST ${sessions}/setup`, world.token, { userId: made.body.id });
    expect(setup.status).toBe(201);
    expect((await create({ userId: '1001' })).body.accountData).toMatchObject({
      userId: made.body.id,
      externalId: '1001',
    });
  });

  it('409 customer_exists: the UUID alone is another customer than the one that it was made of', async () => {
    await add({ id: '1002' });
    expect(await add({ id: idOf('1002') })).toMatchObject({
      status: 409,
      body: { code: 'customer_exists' },
    });
  });

  it('400 invalid_request: an id of another buyer beside it, and one that is no text', async () => {
    for (const [body, param] of [
      [{ id: newId(), externalId: '1' }, 'externalId'],
      [{ id: 7 }, 'id'],
      [{ id: '' }, 'id'],
      [{ id: 'x'.repeat(256) }, 'id'],
    ] as const) {
      expect(await add(body)).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', param },
      });
    }
  });

  it('writes no id of the merchant’s into the audit log: it may have to be forgotten', async () => {
    await add({ id: 'jo@example.test', name: 'Jo' });
    const { body } = await call('GET /v1/audit-entries?action[eq]=customer.created', world.token);
    expect(body.data.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain('jo@example.test');
  });
});
