import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  aClient,
  aToken,
  callerOf,
  freshDatabase,
  moveClock,
  portsFor,
  type TestDatabase,
  type TestToken,
} from '../../../test/harness.ts';
import type { Refusal } from '../../domain/protocol/refusal.ts';
import { refuse } from '../../engine/implement.ts';
import type { Ports, Role } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';
import { getClient } from './get-client.ts';
import { updateClient } from './update-client.ts';

let db: TestDatabase;
let ports: Ports;
let shop: TestToken;
let rival: TestToken;

beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  const allowedOrigins = ['https://first.example'];
  shop = await aToken(db.database, await aClient(db.database, { allowedOrigins }));
  rival = await aToken(db.database, await aClient(db.database, { allowedOrigins }));
});
afterAll(() => db.close());

const bodyOf = (answer: Awaited<ReturnType<typeof getClient>>) => {
  if (!('body' in answer)) throw new Error('the answer has a body');
  return answer.body;
};
const readClient = async (as: TestToken) =>
  bodyOf(await getClient({}, callerOf(as), ports, refuse));
const update = async (allowedOrigins: string[], role: Role = 'owner') =>
  bodyOf(await updateClient({ body: { allowedOrigins } }, callerOf(shop, { role }), ports, refuse));
const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => Promise.reject(new Error('accepted')),
    (error) => error as Refusal,
  );

describe('updateClient', () => {
  test('200: origins are normalised and stored once, in the order given', async () => {
    const before = await readClient(shop);
    await moveClock(db.database, 1000);
    const given = ['https://B.example:443', 'http://localhost:3000', 'https://b.example'];
    const updated = await update(given);
    expect(updated.allowedOrigins).toEqual(['https://b.example', 'http://localhost:3000']);
    expect(updated.updatedAt > before.updatedAt).toBe(true);
    expect({ ...updated, allowedOrigins: [], updatedAt: '' }).toEqual({
      ...before,
      allowedOrigins: [],
      updatedAt: '',
    });
    expect(await readClient(shop)).toEqual(updated);
    expect((await readClient(rival)).allowedOrigins).toEqual(['https://first.example']);
  });

  test('200: an admin may, and an empty list takes all back', async () => {
    expect((await update([], 'admin')).allowedOrigins).toEqual([]);
  });

  test('400 invalid_request: names every origin that may not be allowed, and keeps the old ones', async () => {
    const before = await update(['https://kept.example']);
    const given = ['https://ok.example', 'http://shop.example', 'https://*.example'];
    const refusal = await refusalOf(update(given));
    expect(refusal.code).toBe('invalid_request');
    expect(refusal.facts.param).toBe('allowedOrigins');
    expect(refusal.facts.message).toMatch(/^allowedOrigins\[1\]: Use https;/);
    expect(refusal.facts.errors?.map(({ path, code }) => [path, code])).toEqual([
      ['allowedOrigins[1]', 'origin_invalid'],
      ['allowedOrigins[2]', 'origin_invalid'],
    ]);
    expect(await readClient(shop)).toEqual(before);
  });

  test('403 merchant_role_required: a member may not, whatever the body says', async () => {
    for (const origins of [['https://ok.example'], ['nonsense'], []]) {
      expect((await refusalOf(update(origins, 'member'))).code).toBe('merchant_role_required');
    }
  });
});

describe('updateClient, how buyers know the merchant', () => {
  const profile = {
    businessName: 'Bean Shop',
    logoUrl: 'https://cdn.first.example/logo.svg',
    supportEmail: 'help@first.example',
    termsUrl: 'https://first.example/terms',
    brandColor: '#0a7d4f',
    businessAddress: '1 First Street\nFirsttown',
    taxNumber: 'DE123456789',
  };
  const none = {
    businessName: null,
    logoUrl: null,
    supportEmail: null,
    termsUrl: null,
    brandColor: null,
    businessAddress: null,
    taxNumber: null,
  };
  const changeClient = async (
    body: Parameters<typeof updateClient>[0]['body'],
    role: Role = 'owner',
  ) => bodyOf(await updateClient({ body }, callerOf(shop, { role }), ports, refuse));

  test('200: every field is kept as it is stored, and stays when another one changes', async () => {
    await update(['https://kept.example']);
    expect(await readClient(shop)).toMatchObject(none);
    const given = { ...profile, brandColor: '#0A7D4F' };
    expect(await changeClient(given)).toMatchObject({
      ...profile,
      name: 'A shop',
      allowedOrigins: ['https://kept.example'],
    });
    await changeClient({ businessName: 'Beans' });
    await update(['https://other.example']);
    const kept = { ...profile, businessName: 'Beans', allowedOrigins: ['https://other.example'] };
    expect(await readClient(shop)).toMatchObject(kept);
    expect(await readClient(rival)).toMatchObject(none);
  });

  test('200: what the customer’s page does is on until it is switched off, for this merchant alone', async () => {
    expect((await readClient(shop)).customerPage).toEqual({ cancel: true, linkInMails: true });
    const changed = await changeClient({ customerPage: { cancel: false } });
    expect(changed.customerPage).toEqual({ cancel: false, linkInMails: true });
    await changeClient({ businessName: 'Beans' });
    expect((await readClient(shop)).customerPage).toEqual({ cancel: false, linkInMails: true });
    expect((await readClient(rival)).customerPage).toEqual({ cancel: true, linkInMails: true });
    await changeClient({ customerPage: { cancel: true } });
  });

  test('200: null takes a value away, and nothing given changes nothing', async () => {
    await changeClient(profile);
    expect(await changeClient({ logoUrl: null })).toMatchObject({ ...profile, logoUrl: null });
    expect(await changeClient({})).toMatchObject({ ...profile, logoUrl: null });
    expect(await changeClient(none, 'admin')).toMatchObject(none);
  });

  test('400 invalid_request: names every field and origin that may not be, and changes nothing', async () => {
    const before = await changeClient(profile);
    const body = {
      businessName: 'Other',
      logoUrl: 'http://first.example/logo.svg',
      brandColor: 'red',
      allowedOrigins: ['http://first.example'],
    };
    const refusal = await refusalOf(changeClient(body));
    expect([refusal.code, refusal.facts.param]).toEqual(['invalid_request', 'allowedOrigins']);
    expect(refusal.facts.errors?.map(({ path, code }) => [path, code])).toEqual([
      ['allowedOrigins[0]', 'origin_invalid'],
      ['logoUrl', 'logo_url_invalid'],
      ['brandColor', 'brand_color_invalid'],
    ]);
    const one = await refusalOf(changeClient({ termsUrl: 'http://first.example/' }));
    expect([one.facts.param, one.facts.message]).toEqual([
      'termsUrl',
      'termsUrl: Give a whole https address, such as https://shop.example/terms.',
    ]);
    expect(await readClient(shop)).toEqual(before);
  });

  test('403 merchant_role_required: a member may not', async () => {
    const refusal = await refusalOf(changeClient({ businessName: 'Mine' }, 'member'));
    expect(refusal.code).toBe('merchant_role_required');
  });

  test('the database keeps out what the rules keep out', async () => {
    const setColumn = (column: string) =>
      sql(`t_client_${column}`, `update clients set ${column} = $2 where id = $1`);
    for (const [column, value] of [
      ['logo_url', 'http://first.example/logo.svg'],
      ['terms_url', 'javascript:alert(1)'],
      ['brand_color', 'red'],
      ['business_name', ''],
      ['business_address', ''],
      ['tax_number', '1'.repeat(41)],
    ] as const) {
      const work = db.database.write(setColumn(column), [shop.clientId, value]);
      await expect(work, column).rejects.toMatchObject({ code: '23514' });
    }
  });
});

describe('getClient', () => {
  test("200: the caller's own settings, for a member too", async () => {
    const answer = await getClient({}, callerOf(shop, { role: 'member' }), ports, refuse);
    expect(answer).toMatchObject({
      status: 200,
      body: { id: shop.clientId, object: 'client', name: 'A shop', livemode: false },
    });
  });
});
