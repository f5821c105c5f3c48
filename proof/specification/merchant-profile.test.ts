// Contract §3, Merchant: how buyers know a merchant, over HTTP.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../service/test/harness.ts';
import { openShop, refusal, type Shop } from './buyer.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop?.close());

const profile = {
  businessName: 'Bean Shop',
  logoUrl: 'https://cdn.shop.example/logo.svg',
  supportEmail: 'help@shop.example',
  termsUrl: 'https://shop.example/terms',
  brandColor: '#0a7d4f',
};
const changeProfile = (body: object) => shop.ask('PATCH /v1/client', { body });
const merchantOf = async () => (await shop.get(await shop.open())).body.merchant;

describe('Contract §3, merchant', () => {
  it('Contract §3 merchant: the session tells its page who sells, by name where nothing is set', async () => {
    const { name } = (await shop.ask('GET /v1/client')).body;
    const { businessName, ...rest } = profile;
    const nothing = { logoUrl: null, supportEmail: null, termsUrl: null, brandColor: null };
    expect(await merchantOf()).toEqual({ name, ...nothing });
    expect(await changeProfile(profile)).toMatchObject({ status: 200, body: { name, ...profile } });
    expect(await merchantOf()).toEqual({ name: businessName, ...rest });
    expect((await shop.open()).body.merchant).toBeNull();
    const setup = await shop.aSetup();
    expect((await shop.get(setup)).body.merchant).toEqual({ name: businessName, ...rest });
    await changeProfile({ businessName: null, logoUrl: null });
    expect(await merchantOf()).toEqual({ ...rest, name, logoUrl: null });
  });

  it('Contract §3 merchant: 400 invalid_request names every field that may not be set', async () => {
    const { body: before } = await shop.ask('GET /v1/client');
    const refused = await changeProfile({
      businessName: ' ',
      logoUrl: 'https://shop.example/',
      supportEmail: 'help',
      termsUrl: 'http://shop.example/terms',
      brandColor: 'green',
      allowedOrigins: ['*'],
    });
    const codes = [
      ['allowedOrigins[0]', 'origin_invalid'],
      ['businessName', 'business_name_invalid'],
      ['logoUrl', 'logo_url_invalid'],
      ['supportEmail', 'support_email_invalid'],
      ['termsUrl', 'terms_url_invalid'],
      ['brandColor', 'brand_color_invalid'],
    ].map(([path, code]) => expect.objectContaining({ path, code }));
    expect(refused).toMatchObject(refusal(400, 'invalid_request', { errors: codes }));
    for (const businessName of ['Bean\u202epohS', 'Bean\u001b[31m', 'Bean\nShop', 'Be\u2066an']) {
      const told = refusal(400, 'invalid_request', { param: 'businessName' });
      expect(await changeProfile({ businessName })).toMatchObject(told);
    }
    expect(await changeProfile({ color: '#000000' })).toMatchObject(
      refusal(400, 'invalid_request'),
    );
    expect((await shop.ask('GET /v1/client')).body).toEqual(before);
  });

  it('Contract §3 merchant: an opened customer page carries the same', async () => {
    await changeProfile(profile);
    const id = newId();
    const email = 'grace@example.test';
    await shop.ask('POST /v1/customers', { body: { id, email } });
    const made = await shop.ask(`POST /v1/customers/${id}/page-links`, { body: {} });
    const url = new URL(String(made.body.url));
    expect(url.pathname).toBe(`/m/${shop.client.id}`);
    const opened = await shop.call(null, 'POST /v1/customer-page/open', {
      body: { link: url.hash.slice(1) },
    });
    const { businessName, ...rest } = profile;
    expect(opened).toMatchObject({
      status: 200,
      body: { merchantName: businessName, merchant: { name: businessName, ...rest } },
    });
  });
});
