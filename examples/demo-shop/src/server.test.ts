import { request as rawRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startShop } from '../test/running-shop.ts';
import { nonce, paymentId, sessionId, startStub, userId } from '../test/stub-service.ts';

let shop: Awaited<ReturnType<typeof startShop>>;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.stop());

const orderId = '0199a1b2-0000-4000-8000-00000000000d';
const cart = { order: orderId, currency: 'EUR', 'qty-mug': '2', 'qty-coffee-beans': '1' };
const purchased = (more: object = {}, id = 'evt_1') => ({
  id,
  object: 'event',
  type: 'item.purchased',
  created: 1,
  data: { object: { paymentId, sessionId, amount: 54.7, currency: 'EUR', ...more } },
});
const paymentEvent = (type: string, id = 'evt_2') => ({
  id,
  type,
  created: 1,
  data: { object: { id: paymentId, sessionId } },
});
const buy = (fields: Record<string, string> = {}) => shop.submit('/buy', { ...cart, ...fields });
const thanks = () => shop.page(`/thanks?order=${orderId}`);
const creates = () => shop.stub.asked.filter(({ call }) => call === 'POST /v1/checkouts/sessions');

describe('GET /', () => {
  it('shows active items with prices of the currency, and nothing else of the catalog', async () => {
    const euros = await shop.page('/');
    expect(euros).toContain('Stoneware mug');
    expect(euros).toContain('€19.90');
    expect(euros).toContain('4242 4242 4242 4242');
    expect(euros).not.toMatch(/Coffee club|Old thing/);
    expect(await shop.page('/?currency=USD')).toContain('$21.00');
    expect(shop.stub.asked[0]?.authorization).toMatch(/^Basic /);
  });

  it('keeps the cart in the address, with exact totals', async () => {
    const page = await shop.page('/?qty-mug=3&qty-coffee-beans=1&captureMethod=manual');
    expect(page).toContain('<strong>€74.60</strong>');
    expect(page).toMatch(/value="manual" checked/);
    expect(page).toContain('href="/?qty-coffee-beans=1&amp;captureMethod=manual#cart"');
    expect(await shop.page('/?qty-mug=-1&qty-grinder=x&qty-none=2')).toContain('Nothing here yet');
  });

  it('303 from the cart form to the address of the cart', async () => {
    const answer = await shop.ask(`/?order=${orderId}&currency=USD&qty-mug=3&qty-grinder=0`);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/?qty-mug=3&currency=USD#cart',
    ]);
  });

  it('escapes what the catalog and the address say', async () => {
    const [first] = shop.stub.state.products;
    Object.assign(first ?? {}, {
      name: '<img src=x onerror=alert(1)>"',
      code: '"><script>1</script>',
    });
    const page = await shop.page('/?qty-%22%3E%3Cscript%3E1%3C/script%3E=1');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;');
    expect(page).not.toMatch(/<script|<img src=x/);
  });

  it('carries a tight policy, no cookie and no script', async () => {
    const answer = await shop.ask('/');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' http://checkout.example:4000");
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('referrer-policy')).toBe('same-origin');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).not.toMatch(/<script|style=|\son[a-z]+=/);
  });

  it('says so when the service is down, naming no secret', async () => {
    await shop.stop();
    const stub = await startStub();
    await stub.stop();
    shop = await startShop({}, stub);
    const answer = await shop.ask('/');
    expect(answer.status).toBe(502);
    expect(await answer.text()).toContain('ConnectionFailed');
    expect(shop.log.join()).not.toMatch(/svc_shop|sk_test/);
  });
});

describe('POST /buy', () => {
  it('303 to the hosted page, after a session for cart, buyer and way back', async () => {
    const answer = await buy({ captureMethod: 'manual' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(
      `http://checkout.example:4000/c/${sessionId}#${nonce}`,
    );
    expect(creates()[0]).toMatchObject({
      key: `order-${orderId}-session`,
      body: {
        clientId: expect.any(String),
        currency: 'EUR',
        captureMethod: 'manual',
        products: [
          { code: 'coffee-beans', quantity: 1 },
          { code: 'mug', quantity: 2 },
        ],
        account: { userId, email: 'ada@example.com' },
        successUrl: `${shop.url}/thanks?order=${orderId}`,
        cancelUrl: `${shop.url}/?qty-mug=2&qty-coffee-beans=1&captureMethod=manual`,
      },
    });
  });

  it('the same form twice, even at once, is one order; a changed cart is another', async () => {
    const answers = await Promise.all([buy(), buy()]);
    expect((await buy()).status).toBe(303);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(creates()).toHaveLength(1);
    expect((await buy({ 'qty-mug': '1' })).status).toBe(303);
    expect(new Set(creates().map(({ key }) => key)).size).toBe(2);
    expect((await shop.page('/orders')).match(/class="panel order"/g)).toHaveLength(2);
  });

  it('422 for an empty cart, 502 with the code when the service refuses', async () => {
    const empty = await shop.submit('/buy', { order: orderId });
    expect([empty.status, await empty.text()]).toEqual([
      422,
      expect.stringContaining('The cart is empty'),
    ]);
    const refusal = {
      status: 422,
      code: 'invalid_catalog_data',
      message: 'No <b>such</b> product.',
    };
    shop.stub.state.refuse.set('POST /v1/checkouts/sessions', refusal);
    const refused = await buy();
    expect(refused.status).toBe(502);
    const text = await refused.text();
    expect(text).toContain('invalid_catalog_data');
    expect(text).toContain('No &lt;b&gt;such&lt;/b&gt; product.');
    expect(await shop.page('/orders')).toContain('No orders yet');
  });

  it.each([undefined, 'null', 'http://evil.example', 'https://127.0.0.1'])(
    '403 for a form from the origin %s',
    async (origin) => {
      const headers: Record<string, string> = origin === undefined ? {} : { origin };
      const body = new URLSearchParams(cart);
      const answer = await shop.ask('/buy', { method: 'POST', body, headers });
      expect([answer.status, creates().length]).toEqual([403, 0]);
    },
  );

  it('421 under a foreign host name, 413 for a form that is too large', async () => {
    const status = await new Promise((resolve) => {
      const headers = { host: 'evil.example', origin: 'http://evil.example' };
      rawRequest(`${shop.url}/buy`, { method: 'POST', headers }, ({ statusCode }) =>
        resolve(statusCode),
      ).end('a=b');
    });
    expect(status).toBe(421);
    expect((await buy({ more: 'x'.repeat(20_000) })).status).toBe(413);
    expect(creates()).toHaveLength(0);
  });
});

describe('GET /thanks', () => {
  it('waits for the webhook though the payment succeeded, and looks again a limited number of times', async () => {
    await buy();
    Object.assign(shop.stub.state, { session: 'completed', payment: 'succeeded' });
    const page = await thanks();
    expect(page).toContain('Waiting for the webhook');
    expect(page).toContain(`content="1;url=/thanks?order=${orderId}&amp;look=1"`);
    expect(await shop.page(`/thanks?order=${orderId}&look=15`)).not.toContain('http-equiv');
  });

  it('says of a buyer who is asked to confirm that a bank or a wallet may be asking', async () => {
    await buy();
    Object.assign(shop.stub.state, { session: 'requires_action', payment: 'pending' });
    expect(await thanks()).toContain('asked to confirm the payment, by the bank or in the wallet');
  });

  it('says paid only after item.purchased was verified', async () => {
    await buy();
    expect(await thanks()).toContain('Not paid yet');
    expect((await shop.deliver(purchased())).status).toBe(200);
    const page = await thanks();
    expect(page).toContain('Paid, packing');
    expect(page).toContain('evt_1');
    expect(page).not.toContain('http-equiv');
  });

  it('offers the way back to the hosted page after a decline, and shows the nonce nowhere else', async () => {
    await buy();
    Object.assign(shop.stub.state, { session: 'open', payment: 'failed' });
    const page = await thanks();
    expect(page).toContain('Declined');
    expect(page).toContain('Continue to payment');
    expect(await shop.page('/orders')).not.toContain(nonce);
  });

  it('keeps the last known state when the service is silent; 404 for a foreign order', async () => {
    await buy({ captureMethod: 'manual' });
    Object.assign(shop.stub.state, { session: 'authorized', payment: 'authorized' });
    expect(await thanks()).toContain('On hold');
    const down = { status: 400, code: 'x', message: 'x' };
    shop.stub.state.refuse.set(`GET /v1/checkouts/sessions/${sessionId}/status`, down);
    const page = await thanks();
    expect(page).toContain('On hold');
    expect(page).toContain('does not answer');
    expect((await shop.ask('/thanks?order=other')).status).toBe(404);
  });
});

describe('orders', () => {
  const held = async () => {
    await buy({ captureMethod: 'manual' });
    Object.assign(shop.stub.state, { session: 'authorized', payment: 'authorized' });
    return shop.page('/orders');
  };
  const keys = (operation: string) =>
    shop.stub.asked.filter(({ call }) => call.endsWith(operation)).map(({ key }) => key);

  it('a hold can be captured: key of order and operation, then waiting for the webhook', async () => {
    expect(await held()).toContain(`action="/orders/${orderId}/capture"`);
    const answer = await shop.submit(`/orders/${orderId}/capture`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/orders#o-${orderId}`]);
    expect(keys('capture')).toEqual([`order-${orderId}-capture`]);
    const page = await shop.page('/orders');
    expect(page).toContain('Waiting for the webhook');
    expect(page).not.toContain('/capture"');
    await shop.submit(`/orders/${orderId}/capture`);
    expect(keys('capture')).toHaveLength(1);
    await shop.deliver(purchased());
    expect(await shop.page('/orders')).toContain('Paid, packing');
  });

  it('a hold can be cancelled', async () => {
    await held();
    await shop.submit(`/orders/${orderId}/cancel`);
    expect(keys('cancel')).toEqual([`order-${orderId}-cancel`]);
    expect(await shop.page('/orders')).toContain('The hold was released');
  });

  it('a failed capture is shown by code and asked again with the same key', async () => {
    await held();
    const refusal = { status: 409, code: 'authorization_expired', message: 'It expired.' };
    shop.stub.state.refuse.set(`PUT /v1/payments/${paymentId}/capture`, refusal);
    await shop.submit(`/orders/${orderId}/capture`);
    const page = await shop.page('/orders');
    expect(page).toContain('Capture failed: <code>authorization_expired</code>');
    expect(page).toContain('req_refused');
    shop.stub.state.refuse.clear();
    await shop.submit(`/orders/${orderId}/capture`);
    expect(new Set(keys('capture'))).toEqual(new Set([`order-${orderId}-capture`]));
    expect(await shop.page('/orders')).not.toContain('Capture failed');
  });

  it('asks for nothing on an order without a hold, a foreign order or a foreign form', async () => {
    await buy();
    await shop.submit(`/orders/${orderId}/capture`);
    expect((await shop.submit('/orders/none/capture')).status).toBe(404);
    await held();
    expect(
      (await shop.submit(`/orders/${orderId}/capture`, {}, { origin: 'http://evil.example' }))
        .status,
    ).toBe(403);
    expect(keys('capture')).toEqual([]);
  });

  it('an answer that was overtaken does not bring the hold back', async () => {
    shop.stub.state.version = 5;
    await held();
    await shop.submit(`/orders/${orderId}/cancel`);
    Object.assign(shop.stub.state, { payment: 'authorized', version: 5 });
    expect(await thanks()).toContain('The hold was released');
  });
});

describe('POST /webhooks', () => {
  it('200 verified, fulfils once; the same event again is a duplicate', async () => {
    await buy();
    expect(await (await shop.deliver(purchased())).json()).toEqual({
      received: true,
      duplicate: false,
    });
    expect(await (await shop.deliver(purchased())).json()).toEqual({
      received: true,
      duplicate: true,
    });
    const list = await shop.deliveries();
    expect(list).toMatchObject([
      { duplicate: true, effect: 'Taken before, ignored', type: 'item.purchased', paymentId },
      { verified: true, duplicate: false, effect: 'Order released for packing', eventId: 'evt_1' },
    ]);
    expect(JSON.parse(String(list[0]?.raw))).toEqual(purchased());
  });

  it('400 forged: recorded as not verified, nothing fulfilled', async () => {
    await buy();
    const answer = await shop.deliver(
      purchased(),
      `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
    );
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        code: 'SignatureVerificationFailed',
        message: expect.stringMatching(/No signature matches/),
      },
    ]);
    expect((await shop.ask('/webhooks', { method: 'POST', body: '{}' })).status).toBe(400);
    expect(await shop.deliveries()).toMatchObject([
      { verified: false, eventId: null },
      { verified: false },
    ]);
    expect(await thanks()).toContain('Not paid yet');
    expect(await shop.page('/webhooks')).toContain('Not verified');
    // A forged id does not use up the real event.
    await shop.deliver(purchased());
    expect(await thanks()).toContain('Paid, packing');
  });

  it.each(['payment.authorized', 'payment.succeeded', 'checkout.session.completed'])(
    '%s alone fulfils nothing',
    async (type) => {
      await buy();
      await shop.deliver(paymentEvent(type));
      expect(await shop.deliveries()).toMatchObject([{ verified: true, type, effect: 'Noted' }]);
      expect(await thanks()).not.toContain('Paid, packing');
    },
  );

  it('another amount or currency is not fulfilled and asks for a person', async () => {
    await buy();
    await shop.deliver(purchased({ amount: 0.01 }));
    const page = await thanks();
    expect(page).toContain('Needs a person');
    expect(page).not.toContain('Paid, packing');
  });

  it('shows bodies escaped and indented, newest first, and refused ones cannot push real ones out', async () => {
    await shop.deliver({ ...purchased(), note: '</pre><script>alert(1)</script>' });
    for (let i = 0; i < 60; i++) await shop.deliver('<script>', 'none');
    const list = await shop.deliveries();
    expect([list.length, list.at(-1)?.verified]).toEqual([51, true]);
    const page = await shop.page('/webhooks');
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;/pre&gt;&lt;script&gt;');
  });

  it('413 over 256 kB', async () => {
    expect((await shop.deliver('x'.repeat(300_000))).status).toBe(413);
  });
});

describe('routes', () => {
  it.each<[string, string, number]>([
    ['GET', '/none', 404],
    ['POST', '/', 405],
    ['GET', '/buy', 405],
    ['PUT', '/webhooks', 405],
    ['HEAD', '/', 200],
    ['GET', '/shop.css', 200],
    ['GET', '/favicon.svg', 200],
    ['GET', '//evil.example/', 404],
  ])('%s %s is %i', async (method, path, status) => {
    const answer = await new Promise<number | undefined>((resolve) => {
      rawRequest({ host: '127.0.0.1', port: new URL(shop.url).port, path, method }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(answer).toBe(status);
  });
});
