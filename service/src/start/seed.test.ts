import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aToken, freshDatabase, newId, type TestDatabase } from '../../test/harness.ts';
import { newApiToken } from '../domain/people/api-token.ts';
import { verifyPassword } from '../engine/steps/people/password-hash.ts';
import { openSealed } from '../storage/database/sealed.ts';
import { findGateway, openNoticeSecret, openSecretKey } from '../storage/gateways/gateways.ts';
import { webhookSecretPlace } from '../storage/webhooks/webhook-endpoints.ts';
import { type DemoInput, demoOwnerEmail, seedDemo, seedOwnerPassword } from './seed.ts';

const kek = randomBytes(32);
const input: DemoInput = {
  accountId: 'acct_1',
  publishableKey: 'pk_test_1',
  secretKey: 'sk_test_1',
  noticeSecret: 'whsec_1',
  webhookUrl: 'http://127.0.0.1:4300/webhooks',
  allowedOrigins: ['http://127.0.0.1:4300'],
  apiToken: null,
  webhookSecret: null,
  wallet: null,
};

let db: TestDatabase;
let owner: pg.Client;

beforeAll(async () => {
  db = await freshDatabase();
  owner = new pg.Client({ connectionString: db.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await db.close();
});

const sealedOf = (database = db.database) => openSealed({ database, kek, randomBytes });
const seedWith = (given: Partial<DemoInput> = {}) =>
  seedDemo(
    { database: db.database, sealed: sealedOf(), newId, randomBytes },
    { ...input, ...given },
  );
const rows = async (text: string, values: unknown[] = []) =>
  (await owner.query<Record<string, unknown>>(text, values)).rows;
const tables = [
  'clients',
  'users',
  'memberships',
  'gateways',
  'customers',
  'products',
  'coupons',
  'product_prices',
  'webhook_endpoints',
  'client_keys',
  'api_tokens',
];
const counts = async () => {
  const found: [table: string, rows: number][] = [];
  for (const table of tables) found.push([table, (await rows(`select 1 from ${table}`)).length]);
  return found;
};

describe('seedDemo', () => {
  test('seeds at the same time make one merchant', async () => {
    const all = await Promise.all([seedWith(), seedWith(), seedWith(), seedWith()]);
    const [first] = all;
    for (const { apiToken, webhookSecret, ...ids } of all) {
      expect(ids).toEqual({
        clientId: first.clientId,
        userId: first.userId,
        ownerUserId: first.ownerUserId,
        gatewayId: first.gatewayId,
        walletGatewayId: null,
        productCode: 'coffee-beans',
      });
      expect([apiToken.slice(0, 4), webhookSecret.slice(0, 10)]).toEqual(['svc_', 'svc_whsec_']);
    }
    expect(Object.fromEntries(await counts())).toMatchObject({
      clients: 1,
      users: 1,
      memberships: 1,
      gateways: 1,
      customers: 1,
      products: 4,
      product_prices: 8,
      coupons: 1,
      webhook_endpoints: 1,
      client_keys: 1,
      api_tokens: 4,
    });
  });

  test('a second run keeps ids and saved secrets, and adds no row', async () => {
    const first = await seedWith();
    const { apiToken, webhookSecret } = first;
    const before = await counts();
    expect(await seedWith({ apiToken, webhookSecret })).toEqual(first);
    expect(await counts()).toEqual(before);
    // Without the saved file the stored secret is printed again; a token's value cannot be.
    const again = await seedWith();
    expect({ ...again, apiToken }).toEqual(first);
    expect(again.apiToken).not.toBe(apiToken);
  });

  test('what it wrote opens the gateway, verifies webhooks and authenticates', async () => {
    const merchant = await seedWith();
    const gateway = await findGateway(db.database, merchant.clientId, merchant.gatewayId);
    expect(gateway).toMatchObject({
      accountId: 'acct_1',
      publishableKey: 'pk_test_1',
      isLive: false,
    });
    if (!gateway) return;
    expect(await openSecretKey(sealedOf(), gateway)).toBe('sk_test_1');
    expect(await openNoticeSecret(sealedOf(), gateway)).toBe('whsec_1');

    const [endpoint] = await rows('select * from webhook_endpoints');
    expect(endpoint).toMatchObject({ url: input.webhookUrl, is_enabled: true, event_types: null });
    const place = webhookSecretPlace(merchant.clientId, endpoint?.id as string);
    const secret = await sealedOf().open(place, endpoint?.secret_sealed as Buffer);
    expect(secret).toBe(merchant.webhookSecret);
    expect(Buffer.from(secret.slice('svc_whsec_'.length), 'base64')).toHaveLength(32);

    const digest = createHash('sha256').update(merchant.apiToken).digest();
    expect(
      await rows(
        `select m.role, u.email from api_tokens t
         join memberships m on m.client_id = t.client_id and m.user_id = t.user_id
         join users u on u.id = t.user_id
       where t.token_sha256 = $1 and t.revoked_at is null and t.client_id = $2`,
        [digest, merchant.clientId],
      ),
    ).toEqual([{ role: 'owner', email: demoOwnerEmail }]);
    expect(await rows('select is_active from gateways')).toEqual([{ is_active: true }]);
  });

  test('with a wallet: a second gateway, once, with its own secrets and the newest webhook', async () => {
    const wallet = {
      clientId: 'APP1',
      clientSecret: 'SECRET1',
      merchantId: 'MERCHANT1',
      webhookId: 'HOOK1',
    };
    const both = await Promise.all([seedWith({ wallet }), seedWith({ wallet })]);
    const [{ clientId, gatewayId, walletGatewayId }] = both;
    expect(both[1].walletGatewayId).toBe(walletGatewayId);
    expect(walletGatewayId).not.toBe(gatewayId);
    await seedWith({ wallet: { ...wallet, clientSecret: 'SECRET2', webhookId: 'HOOK2' } });
    const gateway = await findGateway(db.database, clientId, walletGatewayId ?? '');
    expect(gateway).toMatchObject({
      provider: 'wallet',
      accountId: 'MERCHANT1',
      publishableKey: 'APP1',
    });
    if (!gateway) return;
    expect(await openSecretKey(sealedOf(), gateway)).toBe('SECRET2');
    expect(await openNoticeSecret(sealedOf(), gateway)).toBe('HOOK2');
    const card = await findGateway(db.database, clientId, gatewayId);
    expect(card).toMatchObject({ provider: 'cardprovider', accountId: 'acct_1' });
    expect(await rows('select provider, is_active from gateways order by provider')).toEqual([
      { provider: 'cardprovider', is_active: true },
      { provider: 'wallet', is_active: true },
    ]);
    // A start without the setting changes nothing.
    expect(await seedWith()).toMatchObject({ walletGatewayId: null });
    expect(await rows('select is_active from gateways')).toHaveLength(2);
  });

  test('the catalog has its prices in minor units', async () => {
    await seedWith();
    const found = await rows(
      `select p.code, p.kind, p.interval_unit,
         (select json_object_agg(currency, amount_minor) from product_prices r
          where r.product_code = p.code) as prices
       from products p order by p.code`,
    );
    const item = { kind: 'item', interval_unit: null };
    expect(found).toEqual([
      { code: 'coffee-beans', ...item, prices: { EUR: 1490, USD: 1690 } },
      { code: 'grinder', ...item, prices: { EUR: 8900, USD: 9500 } },
      { code: 'mug', ...item, prices: { EUR: 1990, USD: 2190 } },
      { code: 'poster', ...item, prices: { JPY: 2500, EUR: 1200 } },
    ]);
  });

  test('new keys, addresses and secrets replace the old; what the merchant changed stays', async () => {
    const first = await seedWith();
    await owner.query("update products set name = 'My mug' where code = 'mug'");
    await owner.query("delete from product_prices where product_code = 'mug' and currency = 'USD'");
    await owner.query(
      "update webhook_endpoints set is_enabled = false, disabled_reason = 'gone', failing_since = now()",
    );
    await owner.query("update clients set allowed_origins = '{https://own.example}'");
    const webhookSecret = `svc_whsec_${randomBytes(32).toString('base64')}`;
    const webhookUrl = 'http://127.0.0.1:5300/webhooks';
    const second = await seedWith({
      secretKey: 'sk_test_2',
      webhookUrl,
      webhookSecret,
      allowedOrigins: ['HTTP://127.0.0.1:5300', 'https://own.example'],
    });
    expect({ ...second, apiToken: '' }).toEqual({ ...first, apiToken: '', webhookSecret });
    const gateway = await findGateway(db.database, second.clientId, second.gatewayId);
    expect(gateway && (await openSecretKey(sealedOf(), gateway))).toBe('sk_test_2');
    expect(await rows('select name from products where code = $1', ['mug'])).toEqual([
      { name: 'My mug' },
    ]);
    expect(await rows("select currency from product_prices where product_code = 'mug'")).toEqual([
      { currency: 'EUR' },
    ]);
    expect(await rows('select allowed_origins from clients')).toEqual([
      { allowed_origins: ['https://own.example', 'http://127.0.0.1:5300'] },
    ]);
    expect(
      await rows('select url, is_enabled, disabled_reason, failing_since from webhook_endpoints'),
    ).toEqual([{ url: webhookUrl, is_enabled: true, disabled_reason: null, failing_since: null }]);
  });

  test('a saved token is put into an empty database, but never taken from another merchant', async () => {
    const saved = newApiToken(randomBytes(32));
    expect((await seedWith({ apiToken: saved })).apiToken).toBe(saved);
    await owner.query('update api_tokens set revoked_at = now() where token_sha256 = $1', [
      createHash('sha256').update(saved).digest(),
    ]);
    const elsewhere = await aToken(db.database, await aForeignClient());
    for (const apiToken of [saved, elsewhere.token, 'svc_nonsense', '']) {
      const fresh = await seedWith({ apiToken });
      expect(fresh.apiToken).not.toBe(apiToken);
      expect((await seedWith({ apiToken: fresh.apiToken })).apiToken).toBe(fresh.apiToken);
    }
  });

  test('never more than ten tokens: lost ones make room, those of another name last', async () => {
    const { clientId, ownerUserId } = await seedWith();
    const user = { id: ownerUserId };
    const own = await aToken(db.database, { id: clientId }, { user });
    let last = '';
    for (let i = 0; i < 12; i++) last = (await seedWith()).apiToken;
    const active = await rows(
      'select token_sha256 from api_tokens where client_id = $1 and revoked_at is null',
      [clientId],
    );
    const digests = active.map((row) => (row.token_sha256 as Buffer).toString('hex'));
    const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');
    expect(digests).toHaveLength(10);
    expect(digests).toContain(digestOf(last));
    expect(digests).toContain(digestOf(own.token));
  });

  test('an origin that may not be allowed is refused before anything is written', async () => {
    const before = await counts();
    await expect(seedWith({ allowedOrigins: ['http://shop.example'] })).rejects.toThrow(
      'The origin http://shop.example cannot be allowed.',
    );
    expect(await counts()).toEqual(before);
  });

  test('everything that a person may delete or switch off is there again; endpoints of their own stay', async () => {
    const first = await seedWith();
    const { clientId, ownerUserId } = first;
    const of = [clientId];
    await owner.query(
      `update webhook_endpoints set is_enabled = false, deleted_at = now(), secret_sealed = ''
       where client_id = $1`,
      of,
    );
    const ownUrl = 'http://127.0.0.1:9/own';
    await owner.query(
      `insert into webhook_endpoints (id, client_id, url, secret_sealed, api_version, is_enabled,
         created_at, updated_at) values ($2, $1, $3, 'own', '2026-01-01', false, now(), now())`,
      [clientId, newId(), ownUrl],
    );
    for (const change of [
      "update gateways set is_active = false, countries = '{DE}' where client_id = $1",
      'update products set is_active = false where client_id = $1',
      'delete from product_prices where client_id = $1',
      "update clients set allowed_origins = '{}' where id = $1",
      'update api_tokens set revoked_at = now() where client_id = $1',
    ]) {
      await owner.query(change, of);
    }
    await owner.query('update users set disabled_at = now() where id = $1', [ownerUserId]);

    const again = await seedWith(first);
    expect({ ...again, apiToken: first.apiToken }).toEqual(first);
    expect(again.apiToken).not.toBe(first.apiToken);
    expect(
      await rows(
        `select url, is_enabled, event_types, secret_sealed = 'own' as is_own
         from webhook_endpoints where client_id = $1 and deleted_at is null order by url`,
        of,
      ),
    ).toEqual([
      { url: input.webhookUrl, is_enabled: true, event_types: null, is_own: false },
      { url: ownUrl, is_enabled: false, event_types: null, is_own: true },
    ]);
    const [gateway] = await rows('select is_active, countries from gateways where id = $1', [
      first.gatewayId,
    ]);
    expect(gateway).toEqual({ is_active: true, countries: [] });
    expect(
      await rows(
        `select p.code, r.amount_minor::int, r.currency from products p
         join product_prices r on r.client_id = p.client_id and r.product_code = p.code
         where p.client_id = $1 and p.is_active`,
        of,
      ),
    ).toEqual([{ code: 'coffee-beans', amount_minor: 1490, currency: 'EUR' }]);
    expect(await rows('select allowed_origins from clients where id = $1', of)).toEqual([
      { allowed_origins: input.allowedOrigins },
    ]);
    expect(await rows('select from users where disabled_at is not null')).toEqual([]);

    // A filter that withholds the event of the start's payment goes; another stays.
    for (const [given, kept] of [
      [['payment.failed'], null],
      [['item.purchased'], ['item.purchased']],
    ]) {
      await owner.query('update webhook_endpoints set event_types = $2 where client_id = $1', [
        clientId,
        given,
      ]);
      await seedWith(again);
      expect(
        await rows(
          'select event_types from webhook_endpoints where url = $1 and deleted_at is null',
          [input.webhookUrl],
        ),
      ).toEqual([{ event_types: kept }]);
    }
  });
});

async function aForeignClient(): Promise<{ id: string }> {
  const id = newId();
  await owner.query(
    `insert into clients (id, name, api_version, created_at, updated_at)
     values ($1, 'Foreign', '2026-01-01', now(), now())`,
    [id],
  );
  return { id };
}

describe('a database of live mode', () => {
  test('gets no demo merchant', async () => {
    const live = await freshDatabase();
    const admin = new pg.Client({ connectionString: live.ownerUrl });
    await admin.connect();
    try {
      await admin.query('update clock_shift set is_live = true');
      const { database } = live;
      const seeding = { database, sealed: sealedOf(database), newId, randomBytes };
      await expect(seedDemo(seeding, input)).rejects.toThrow('live mode');
      expect((await admin.query('select from clients')).rowCount).toBe(0);
    } finally {
      await admin.end();
      await live.close();
    }
  });
});

describe('seedOwnerPassword', () => {
  const seedOwner = (password: string) =>
    seedOwnerPassword({ database: db.database, randomBytes }, password);
  const readStoredHash = async () =>
    (await rows('select password_hash as hash from users where email = $1', [demoOwnerEmail]))[0]
      ?.hash as string;

  test('sets the first password, which lets the owner in; a second run changes nothing', async () => {
    await seedWith();
    expect(await seedOwner('abcd-efgh-jkmn-pqrs')).toBe('abcd-efgh-jkmn-pqrs');
    const hash = await readStoredHash();
    expect(await verifyPassword('abcd-efgh-jkmn-pqrs', { stored: hash, ports: {} })).toBe(true);
    expect(await seedOwner('abcd-efgh-jkmn-pqrs')).toBe('abcd-efgh-jkmn-pqrs');
    // The owner chose another password, and the start does not change it.
    expect(await seedOwner('another-pass-word')).toBeNull();
    expect(await readStoredHash()).toBe(hash);
  });

  test('refuses a database of live mode', async () => {
    const live = await freshDatabase();
    const admin = new pg.Client({ connectionString: live.ownerUrl });
    await admin.connect();
    await admin.query('update clock_shift set is_live = true');
    await admin.end();
    await expect(
      seedOwnerPassword({ database: live.database, randomBytes }, 'abcd-efgh-jkmn-pqrs'),
    ).rejects.toThrow('live mode');
    await live.close();
  });
});
