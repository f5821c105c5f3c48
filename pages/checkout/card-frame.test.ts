import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';

const test = pageTest();

describe('the card form on the page', () => {
  it('is a frame that the page cannot read, described as it must be', async () => {
    const page = await test.visit();
    await test.number().fill('4242424242424242');
    const seen = await page.evaluate(() => {
      const frame = document.querySelector('iframe');
      let name = '';
      try {
        void frame?.contentWindow?.document;
      } catch (error) {
        name = (error as Error).name;
      }
      return { document: frame?.contentDocument, name, text: document.body.innerHTML };
    });
    expect(seen.document).toBeNull();
    expect(seen.name).toBe('SecurityError');
    expect(seen.text).not.toContain('4242424242424242');
    const frame = page.locator('iframe');
    expect(await frame.getAttribute('title')).toBe('Card number, expiry date and security code');
    expect(await frame.getAttribute('sandbox')).toBeNull();
    expect(await frame.getAttribute('referrerpolicy')).toBe('origin');
    expect(await frame.getAttribute('allow')).toContain('payment');
  });

  it('one that tells a reason not to load: the reason and a retry that works', async () => {
    test.wire.form = 'loaderror=session_expired';
    const page = await test.visit();
    await test.alert().getByText('The form was open for too long.').waitFor();
    expect(await test.payButton().getAttribute('aria-disabled')).toBe('true');
    test.wire.form = '';
    await page.getByRole('button', { name: 'Try again' }).click();
    await test.number().waitFor();
    await test.fillAndPay();
    await test.news().waitFor();
  });

  it('one that the policy of the page blocks is told apart', async () => {
    test.wire.frameSource = "'none'";
    await test.visit();
    await test.alert().getByText('A security rule of this page blocks it.').waitFor();
    expect(test.violations.join()).toContain('frame-src');
    test.violations = [];
  });

  it('follows the colours of the page when they change', async () => {
    const page = await test.visit();
    await test.number().waitFor();
    const colour = () => test.number().evaluate((field) => getComputedStyle(field).backgroundColor);
    expect(await colour()).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(colour).toBe('rgb(28, 33, 42)');
  });

  it('shows the background of the page through', async () => {
    // A frame that is not transparent is white.
    const page = await test.visit({ dark: true });
    await test.number().waitFor();
    await page.locator('.card-host:not(.waiting)').waitFor();
    const picture = (await page.locator('iframe').screenshot()).toString('base64');
    const reader = await test.context.newPage();
    const corner = await reader.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      canvas?.drawImage(bitmap, 0, 0);
      return [...(canvas?.getImageData(bitmap.width - 3, 3, 1, 1).data ?? [])].slice(0, 3);
    }, picture);
    expect(corner).toEqual([23, 27, 34]);
  });
});
