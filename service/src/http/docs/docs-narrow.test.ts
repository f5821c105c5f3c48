// What `docUrl` of an answer opens, on a telephone.
import { rows } from '@svc/contract';
import { sharedBrowser } from '@svc/tools/browser';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { docsPage } from './docs.ts';
import { docsStyle } from './docs-style.ts';

let context: Awaited<ReturnType<Awaited<ReturnType<typeof sharedBrowser>>['newContext']>>;
beforeAll(async () => {
  const viewport = { width: 360, height: 740 };
  context = await (await sharedBrowser()).newContext({ viewport, javaScriptEnabled: false });
});
afterAll(() => context?.close());

it('the entry of an error: cause and remedy take the width of the page', async () => {
  const page = await context.newPage();
  const given = { rows, baseUrl: 'https://pay.example', mode: 'sandbox' as const };
  await page.setContent(`${docsPage(given)}<style>${docsStyle}</style>`);
  const box = await page.locator('#error-authentication_required td').last().boundingBox();
  expect(box?.width).toBeGreaterThan(300);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
});

// Axe needs more than a minute for a page of this size, so only the two rules that concern wide
// content are checked here.
it.each([360, 1280])(
  'at %i px: nothing scrolls sideways, and links in sentences are underlined',
  async (width) => {
    const page = await context.newPage();
    await page.setViewportSize({ width, height: 740 });
    const given = { rows, baseUrl: 'https://pay.example', mode: 'sandbox' as const };
    await page.setContent(`${docsPage(given)}<style>${docsStyle}</style>`);
    const found = await page.evaluate(`({
      wide: [...document.querySelectorAll('html, pre, .table')]
        .filter((part) => part.scrollWidth > part.clientWidth)
        .map((part) => part.textContent.slice(0, 80)),
      plain: [...document.querySelectorAll('main p a')]
        .filter((link) => getComputedStyle(link).textDecorationLine !== 'underline')
        .map((link) => link.textContent),
    })`);
    expect(found).toEqual({ wide: [], plain: [] });
  },
);
