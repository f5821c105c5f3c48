// The seller's name and links on the checkout page and on the customer's page.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { paymentId, savedCard, sessionId, sessionWithoutBrand } from '../test/stub-answers.ts';

const test = pageTest();

const logoUrl = 'https://cdn.bean.example/logo.svg';
const whole = {
  name: 'Bean & Söhne',
  logoUrl,
  supportEmail: 'help+eu@bean.example',
  termsUrl: 'https://bean.example/terms',
  brandColor: '#ffd400',
};
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="60">
  <rect width="240" height="60" fill="#7a3b00"/></svg>`;

/** Opens a page in a browser in which the logo's server answers. */
async function open(url: string, answer: 'image' | 'missing' = 'image') {
  test.wire.logoSource = logoUrl;
  const page = await test.open();
  const asked: Record<string, string>[] = [];
  await page.route('https://cdn.bean.example/**', (route) => {
    asked.push(route.request().headers());
    return answer === 'image'
      ? route.fulfill({ contentType: 'image/svg+xml', body: svg })
      : route.fulfill({ status: 404, body: '' });
  });
  await page.goto(url);
  return { page, asked };
}

const link = (name: string | RegExp) => test.page.getByRole('link', { name });
const isLoopback = /127\.0\.0\.1|localhost/;

describe('the checkout page', () => {
  it('names the merchant in title, way back and way on, and no host', async () => {
    const page = await test.visit();
    await page.getByText('Bean Shop', { exact: true }).waitFor();
    expect(await page.title()).toBe('Checkout · Bean Shop');
    expect(await link('Back to Bean Shop').getAttribute('href')).toContain('/cart');
    expect(await page.locator('.seller-foot').count()).toBe(0);
    await test.fillAndPay();
    await link('Continue to Bean Shop').waitFor();
    await expect.poll(() => page.title()).toBe('Payment complete · Bean Shop');
    expect(await page.locator('main').textContent()).not.toMatch(isLoopback);
  });

  it('names it where a card is saved, and where the session is over', async () => {
    test.wire.session = { checkoutMode: 'setup', products: [], totals: null, currency: null };
    const page = await test.visit();
    await page.locator('.side .seller').getByText('Bean Shop').waitFor();
    await expect.poll(() => page.title()).toBe('Save a card · Bean Shop');
    test.wire.standings = [{ status: 'expired' }];
    await page.reload();
    await test.news().waitFor();
    expect(await link('Back to Bean Shop').count()).toBeGreaterThan(0);
    await expect.poll(() => page.title()).toBe('This link has expired · Bean Shop');
    expect(await page.locator('main').textContent()).not.toMatch(isLoopback);
  });

  it('a session without a merchant, as a version before this one answers it, names the shop', async () => {
    test.wire.session = { merchant: null };
    const page = await test.visit();
    await link('Back to the shop').waitFor();
    expect(await page.title()).toBe('Checkout');
    expect(await page.locator('main').textContent()).not.toMatch(isLoopback);
  });

  it('logo, support address, terms and colour, and the logo’s server hears of no page', async () => {
    test.wire.session = { merchant: whole };
    const { page, asked } = await open(test.wire.url);
    await page.locator('.logo.shown img').waitFor();
    const image = page.locator('.logo img');
    expect(await image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(240);
    expect(asked).toHaveLength(1);
    expect(Object.keys(asked[0] ?? {})).not.toContain('referer');
    expect(await link('help+eu@bean.example').getAttribute('href')).toBe(
      'mailto:help%2Beu@bean.example',
    );
    const terms = link('Terms of Bean & Söhne');
    expect(await terms.getAttribute('href')).toBe('https://bean.example/terms');
    expect(await terms.getAttribute('target')).toBe('_blank');
    expect(await terms.getAttribute('rel')).toContain('noopener');
    await page.locator('.card-host:not(.waiting)').waitFor();
    const colors = () =>
      test.payButton().evaluate((button) => {
        const { backgroundColor, color } = getComputedStyle(button);
        return { backgroundColor, color };
      });
    // The button's colour fades in once the button is enabled.
    const wanted = { backgroundColor: 'rgb(255, 212, 0)', color: 'rgb(0, 0, 0)' };
    await expect.poll(colors).toEqual(wanted);
  });

  it('a logo that does not come leaves the name alone', async () => {
    test.wire.session = { merchant: whole };
    const { page } = await open(test.wire.url, 'missing');
    await page.locator('.seller bdi').waitFor();
    await expect.poll(() => page.locator('.logo').count()).toBe(0);
  });

  it('the policy keeps out every other image, of the logo’s server too', async () => {
    test.wire.session = { merchant: { ...whole, logoUrl: 'https://cdn.bean.example/other.svg' } };
    const { page, asked } = await open(test.wire.url);
    await expect.poll(() => test.violations.length).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.logo').count()).toBe(0);
    expect(asked).toEqual([]);
    expect(test.violations.splice(0).join()).toContain('other.svg');
  });

  it('hostile values are text, and no link', async () => {
    const name = '"><img src=x onerror=alert(1)>';
    const merchant = { ...whole, name, logoUrl: null, termsUrl: 'javascript:alert(1)' };
    test.wire.session = { merchant: { ...merchant, brandColor: 'red;background:url(x)' } };
    const page = await test.visit();
    await page.locator('.seller').getByText(name).waitFor();
    expect(await page.locator('.seller img').count()).toBe(0);
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('main').getAttribute('style')).toBeNull();
  });

  it('the bank’s dialog says who asks for how much', async () => {
    const challenge = { kind: 'redirect', url: `${test.wire.bankOrigin}/question` };
    test.wire.process = [
      { status: 200, body: { type: '3ds_required', sessionId, paymentId, challenge } },
    ];
    test.wire.standings = [{ status: 'open' }, { status: 'requires_action' }];
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByRole('dialog', { name: 'Confirm with your bank Bean Shop · €49.70' }).waitFor();
  });
});

describe('the customer’s page', () => {
  const cards = () => {
    const { customer } = test.wire;
    customer.cards = [savedCard('4242')];
    customer.defaultId = customer.cards[0]?.id ?? null;
  };

  it('names the merchant in title, head and way back, and no host', async () => {
    cards();
    const page = await test.visitCards();
    await page.locator('.seller').getByText('Bean Shop').waitFor();
    await expect.poll(() => page.title()).toBe('Your saved cards · Bean Shop');
    expect(await link('Back to Bean Shop').getAttribute('href')).toBe(
      'https://shop.example/account',
    );
    expect(await page.locator('main').textContent()).not.toContain('shop.example');
  });

  it('logo, support address, terms and colour', async () => {
    cards();
    test.wire.customer.merchant = whole;
    const { page } = await open(test.wire.customerUrl);
    await page.locator('.logo.shown img').waitFor();
    await link('Terms of Bean & Söhne').waitFor();
    await link('help+eu@bean.example').waitFor();
    const button = page.getByRole('button', { name: 'Add a card' });
    expect(await button.evaluate((one) => getComputedStyle(one).color)).toBe('rgb(0, 0, 0)');
  });

  it('what a version before this one has kept in the tab names the merchant alone', async () => {
    cards();
    test.wire.customer.merchant = { name: 'Bean Shop', ...sessionWithoutBrand };
    const page = await test.visitCards();
    await page.locator('.seller').waitFor();
    await page.evaluate(() => {
      const { merchant: _, ...kept } = JSON.parse(sessionStorage['svc:customer-page'] ?? '{}');
      sessionStorage.setItem('svc:customer-page', JSON.stringify(kept));
    });
    await page.reload();
    await link('Back to Bean Shop').waitFor();
  });
});
