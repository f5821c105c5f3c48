// The seller's logo, links and colour; the customer's page shows the same.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';

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

describe('the checkout page', () => {
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
});
