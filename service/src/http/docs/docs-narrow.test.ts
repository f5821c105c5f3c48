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
