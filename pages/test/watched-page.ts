// A page in a browser profile of its own, whose troubles are reported to the test.

import { sharedBrowser } from '@svc/tools/browser';
import { isNote } from '@svc/tools/firefox';
import { scaled } from '@svc/tools/machine';
import type { Page } from 'playwright-core';

export type ScreenOptions = {
  readonly width?: number;
  readonly dark?: boolean;
  readonly locale?: string;
  readonly zone?: string;
};

type WatchedOptions = ScreenOptions & {
  readonly baseUrl?: string;
  /** Called for each violation of the page's policy and each error of the page. */
  readonly report: (violation: string) => void;
};

export async function openWatchedPage({
  width = 1000,
  dark = false,
  locale,
  zone,
  baseUrl,
  report,
}: WatchedOptions): Promise<Page> {
  // Asked for each time: a browser that has ended since the last test is started again.
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    ...(baseUrl ? { baseURL: baseUrl } : {}),
    ...(locale ? { locale } : {}),
    ...(zone ? { timezoneId: zone } : {}),
  });
  context.setDefaultTimeout(scaled(30_000));
  const page = await context.newPage();
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|Trusted/i.test(text)) report(text);
  });
  page.on('pageerror', ({ message }) => {
    if (!isNote(message)) report(message);
  });
  return page;
}
