// A browser, a page and a stub server for each test of a page.

import { sharedBrowser } from '@svc/tools/browser';
import { scaled } from '@svc/tools/machine';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { buildPages } from '../build.ts';
import { openWatchedPage, type ScreenOptions } from './watched-page.ts';
import { WireStub } from './wire-stub.ts';

export class PageTest {
  wire!: WireStub;
  page!: Page;
  context!: BrowserContext;
  /** Violations of the page's policy and errors of the page: there must be none at each test's end. */
  violations: string[] = [];

  async start(): Promise<void> {
    await buildPages();
    await sharedBrowser();
  }

  async open(look: ScreenOptions = {}): Promise<Page> {
    this.page = await openWatchedPage({
      locale: 'en-US',
      ...look,
      report: (violation) => this.violations.push(violation),
    });
    this.context = this.page.context();
    return this.page;
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
