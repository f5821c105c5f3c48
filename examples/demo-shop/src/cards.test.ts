import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startShop } from '../test/running-shop.ts';
import { userId } from '../test/stub-service.ts';

let shop: Awaited<ReturnType<typeof startShop>>;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.stop());

describe('POST /cards', () => {
  const cards = () => shop.submit('/cards', {});

  it('303 to the buyer’s own page, by a link made for this visit', async () => {
    expect(await shop.page('/')).toContain('action="/cards"');
    const answers = [await cards(), await cards()];
    for (const answer of answers) {
      expect(answer.status).toBe(303);
      expect(answer.headers.get('location')).toBe('http://checkout.example:4000/m#link');
    }
    const links = shop.stub.asked.filter(({ call }) => call.endsWith('/page-links'));
    expect(links).toHaveLength(2);
    expect(links[0]).toMatchObject({
      call: `POST /v1/customers/${userId}/page-links`,
      body: { returnUrl: `${shop.url}/` },
    });
    expect(links[0]?.key).not.toBe(links[1]?.key);
  });

  it('502 with the code when the service refuses; 403 from a foreign page', async () => {
    const call = `POST /v1/customers/${userId}/page-links`;
    shop.stub.state.refuse.set(call, { status: 404, code: 'customer_not_found', message: 'No.' });
    const answer = await cards();
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('customer_not_found');
    const foreign = await shop.submit('/cards', {}, { origin: 'http://evil.example' });
    expect(foreign.status).toBe(403);
  });
});
