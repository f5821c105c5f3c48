import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { type Answer, attempt, nonce, sessionId, success } from '../test/stub-answers.ts';

const test = pageTest();

/** Replaces the no-break spaces that Intl writes. */
const plainSpaces = (text: string | null) => (text ?? '').replaceAll('\u00a0', ' ');

describe('arriving', () => {
  it('strips the nonce from the address and works again after a reload', async () => {
    const page = await test.visit();
    await test.number().waitFor();
    expect(page.url()).toBe(`${test.wire.pageOrigin}/c/${sessionId}`);
    await page.reload();
    await test.number().waitFor();
    expect(test.wire.received.every(({ url }) => !url.includes(nonce))).toBe(true);
    expect(test.wire.received[0]?.headers['x-checkout-session-token']).toBe(nonce);
  });

  it('shows lines, discount and total in the way the buyer writes money', async () => {
    test.wire.session = {
      couponCodes: ['SPRING'],
      totals: { subtotal: 1049.7, discount: 4.97, total: 1044.73, currency: 'EUR' },
    };
    const page = await test.visit({ locale: 'de-DE' });
    await test.number().waitFor();
    const summary = plainSpaces(await page.locator('.summary').textContent());
    for (const text of ['Coffee beans', '29,80 €', '1.049,70 €', 'SPRING', '-4,97 €']) {
      expect(summary).toContain(text);
    }
    const label = plainSpaces(await test.payButton().textContent());
    expect(label).toContain('1.044,73 € bezahlen');
    expect(await page.getAttribute('html', 'lang')).toBe('de');
  });

  it('a long order: the rest of it on demand, and the keyboard goes on from the list', async () => {
    const line = { overrideAmount: null, currency: 'EUR', interval: null, quantity: 1 };
    const products = ['Ink', 'Pen', 'Nib', 'Pad', 'Cap', 'Box'].map((name) => ({
      ...{ code: name, name, totalAmount: 5 },
      ...line,
    }));
    test.wire.session = { products };
    const page = await test.visit();
    await page.getByRole('button', { name: 'Show all 6 articles' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Box', { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('lines');
  });

  it('a link without its nonce, or unknown to the service, says so', async () => {
    const page = await test.open();
    await page.goto(`${test.wire.pageOrigin}/c/${sessionId}`);
    expect(await test.news().textContent()).toBe('This payment link does not work');
    expect(test.wire.received).toEqual([]);
    await page.goto(`${test.wire.pageOrigin}/c/${sessionId}#another-nonce`);
    await expect.poll(() => test.wire.received.length).toBe(1);
    expect(await test.news().textContent()).toBe('This payment link does not work');
  });

  it.each(['payment_intent=pi_1', 'setup_intent=seti_1', 'token=O-1&PayerID=P-1'])(
    'back with %s in a tab that has no nonce: no word of a link, and where the result is',
    async (query) => {
      const page = await test.open();
      await page.goto(`${test.wire.pageOrigin}/c/${sessionId}?${query}`);
      expect(await test.news().textContent()).toBe('You can close this page');
      expect(await page.locator('.outcome').textContent()).toMatch(/where you began/);
      expect(page.url()).toBe(`${test.wire.pageOrigin}/c/${sessionId}`);
    },
  );

  it('the shop’s link followed again in the same tab opens it, and its nonce is stripped', async () => {
    const page = await test.open();
    await page.goto(`${test.wire.pageOrigin}/c/${sessionId}`);
    expect(await test.news().textContent()).toBe('This payment link does not work');
    await page.goto(test.wire.url);
    await test.number().waitFor();
    expect(page.url()).toBe(`${test.wire.pageOrigin}/c/${sessionId}`);
  });

  it.each([
    ['expired', 'This payment link has expired'],
    ['canceled', 'This payment was cancelled'],
    ['completed', 'Payment complete'],
  ] as const)('a session that is %s: %s', async (status, text) => {
    test.wire.standings = [{ status }];
    const page = await test.visit();
    expect(await test.news().textContent()).toBe(text);
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it('a hold that is looked at later: when it was made, and not a word of what it is now', async () => {
    const made = { ...attempt('AUTHORIZED'), createdAt: '2026-01-09T12:00:00.000Z' };
    const authorizationExpiresAt = '2026-02-01T09:30:00.000Z';
    test.wire.standings = [{ status: 'authorized', authorizationExpiresAt, attempt: made }];
    const page = await test.visit();
    await page.getByText('€49.70 was reserved on your card on January 9, 2026.').waitFor();
    const panel = (await page.locator('.outcome').textContent()) ?? '';
    expect(panel).not.toMatch(/is reserved|not charged|can charge|February/);
    await page.reload();
    await page.getByText('was reserved on your card').waitFor();
  });

  it('a session without buyer is not offered for payment', async () => {
    test.wire.session = { accountData: null };
    await test.visit();
    expect(await test.news().textContent()).toBe('This payment cannot be made here');
  });

  it('a service out of reach: a retry goes on from there', async () => {
    test.wire.sessionAnswer = 'break off';
    const page = await test.visit();
    expect(await test.news().textContent()).toBe('We cannot reach the payment service');
    test.wire.sessionAnswer = null;
    await page.getByRole('button', { name: 'Try again' }).click();
    await test.number().waitFor();
  });

  it('a session that ends while the page is open is shown as expired', async () => {
    test.wire.session = { expiresAt: new Date(Date.now() + 60_000).toISOString() };
    const page = await test.visit({ hasClock: true });
    await test.number().waitFor();
    test.wire.standings = [{ status: 'expired' }];
    await page.clock.fastForward(62_000);
    expect(await test.news().textContent()).toBe('This payment link has expired');
  });
});

describe('the page', () => {
  it('sets no cookie and asks nobody but its own origin and the card form', async () => {
    const page = await test.open();
    const foreign: string[] = [];
    page.on('request', (request) => {
      const { origin } = new URL(request.url());
      if (![test.wire.pageOrigin, test.wire.formOrigin, 'null'].includes(origin))
        foreign.push(request.url());
    });
    await page.goto(test.wire.url);
    await test.fillAndPay();
    await page.waitForURL(/\/thanks/);
    expect(foreign).toEqual([]);
    expect(await test.context.cookies()).toEqual([]);
  });

  it('shows hostile names as text and links only to web addresses', async () => {
    const [line] = [
      {
        code: 'x',
        quantity: 1,
        totalAmount: 1,
        overrideAmount: null,
        currency: 'EUR',
        interval: null,
      },
    ];
    test.wire.session = {
      products: [{ ...line, name: '<img src=x onerror=alert(1)>' }],
      successUrl: 'javascript:alert(1)',
      cancelUrl: 'https://user:pass@shop.example/',
    };
    const page = await test.visit();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('.back').count()).toBe(0);
    await test.fillAndPay();
    await test.news().waitFor();
    expect(await page.locator('.outcome a').count()).toBe(0);
  });

  it('leads back to the shop with session_id', async () => {
    const page = await test.visit();
    const link = page.locator('.back');
    expect(await link.getAttribute('href')).toBe(
      `${test.wire.formOrigin}/cart?session_id=${sessionId}`,
    );
  });

  it('says SANDBOX for a test key and not for a live one', async () => {
    const page = await test.visit();
    await page.getByRole('complementary').getByText('Sandbox').waitFor();
    test.wire.session = {
      gateways: { cardprovider: { publishableKey: 'pk_live_1', accountId: 'a' } },
    };
    await page.reload();
    await test.number().waitFor();
    expect(await page.getByRole('complementary').count()).toBe(0);
  });

  it('says TEST MODE where the service marks its document so', async () => {
    const page = await test.open({ locale: 'de-DE' });
    await page.route('**/c/*', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('<html', '<html data-mode="test"');
      await route.fulfill({ response, body });
    });
    await page.goto(test.wire.url);
    await page.getByRole('complementary', { name: 'Testmodus' }).waitFor();
    expect(await page.getByText('Sandbox').count()).toBe(0);
  });

  it.each([false, true])('fits 360 px without scrolling sideways (dark: %s)', async (dark) => {
    const page = await test.visit({ width: 360, dark });
    await test.number().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    const box = await test.payButton().boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
  });

  it('tells a screen reader each change of state', async () => {
    const held = Promise.withResolvers<Answer>();
    test.wire.process = [() => held.promise];
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByRole('status').getByText('Paying…').waitFor({ state: 'attached' });
    held.resolve(success('succeeded'));
    await page.getByRole('status').getByText('Payment complete').waitFor({ state: 'attached' });
  });
});
