// A browser, a page and a stub server for each test of a page.

import { sharedBrowser } from '@svc/tools/browser';
import { isNote } from '@svc/tools/firefox';
import { scaled } from '@svc/tools/machine';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { buildPages } from './build.ts';
import { WireStub } from './wire-stub.ts';

type ScreenOptions = { locale?: string; width?: number; dark?: boolean };

export class PageTest {
  wire!: WireStub;
  page!: Page;
  context!: BrowserContext;
  /** Violations of the page's policy and errors of the page: there must be none at each test's end. */
  violations: string[] = [];
  #browser: Browser | undefined;

  async start(): Promise<void> {
    await buildPages();
    this.#browser = await sharedBrowser();
  }

  async open({ locale = 'en-US', width = 1000, dark = false }: ScreenOptions = {}): Promise<Page> {
    const browserNow = this.#browser;
    if (!browserNow) throw new Error('start comes first');
    this.context = await browserNow.newContext({
      locale,
      viewport: { width, height: 800 },
      colorScheme: dark ? 'dark' : 'light',
    });
    this.context.setDefaultTimeout(scaled(30_000));
    this.page = await this.context.newPage();
    this.page.on('console', (message) => {
      const text = message.text();
      if (/Content Security Policy|Trusted/i.test(text)) this.violations.push(text);
    });
    this.page.on('pageerror', ({ message }) => {
      if (!isNote(message)) this.violations.push(message);
    });
    return this.page;
  }

  /**
   * Moves the page's clock, which the test has installed, forward second by second: requests of one second
   * are answered before the next one.
   */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await this.page.clock.fastForward(1_000);
      for (let n = 0; n < 2; n++) {
        await this.page.evaluate(() => fetch(location.pathname).then((page) => page.text()));
      }
    }
  }

  /** Opens the checkout as a buyer who comes from the shop. */
  async visit({
    hasClock = false,
    ...look
  }: ScreenOptions & { hasClock?: boolean } = {}): Promise<Page> {
    const page = await this.open(look);
    if (hasClock) await page.clock.install();
    await page.goto(this.wire.url);
    return page;
  }

  /** Opens the customer's page with the merchant's link. */
  async visitCards(look?: ScreenOptions): Promise<Page> {
    const page = await this.open(look);
    await page.goto(this.wire.customerUrl);
    return page;
  }

  number() {
    return this.page.frameLocator('.card-host iframe').getByLabel('Card number');
  }
  payButton() {
    return this.page.locator('button.pay');
  }
  /** Returns the headline of an outcome. */
  news() {
    return this.page.locator('.outcome h2');
  }
  alert() {
    return this.page.getByRole('alert');
  }
  processCalls() {
    return this.wire.calls(/\/process$/);
  }
  async fillAndPay(): Promise<void> {
    await this.number().fill('4242424242424242');
    await this.payButton().click();
  }
}

/** Sets up one PageTest for a test file. */
export function pageTest(): PageTest {
  const test = new PageTest();
  beforeAll(() => test.start(), scaled(120_000));
  beforeEach(async () => {
    test.violations = [];
    test.wire = await new WireStub().start();
  });
  afterEach(async () => {
    await test.context.close();
    test.wire.stop();
    expect(test.violations).toEqual([]);
  });
  return test;
}
