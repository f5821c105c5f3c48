// The fixture of a journey: the product as `npm start` starts it, a real browser, the demo shop,
// the hosted checkout page, the card form on its own origin, and REST with the printed credentials.

import { join } from 'node:path';
import { sharedBrowser } from '@svc/tools/browser';
import { isNote } from '@svc/tools/firefox';
import { scaled } from '@svc/tools/machine';
import type { Block } from '@svc/tools/start/block';
import { type StartedProduct, startProduct } from '@svc/tools/start/start-product';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';

const shots = process.env.SVC_SHOTS;

type ContextOptions = Parameters<Browser['newContext']>[0];
const desktop: ContextOptions = { viewport: { width: 1100, height: 800 }, locale: 'en-GB' };

export type ApiRequest = { method?: string; headers?: Record<string, string>; body?: unknown };

export class Journey {
  block!: Block;
  page!: Page;
  context!: BrowserContext;
  /** Errors that a browser reports although the page expects them, by their text. */
  expected = /status of (402|409)|Unrecognized feature/;
  #troubles: string[] = [];
  #product: StartedProduct | undefined;
  #chromium: Browser | undefined;

  async start(port: number, more: readonly string[] = []): Promise<void> {
    const product = startProduct(['--no-demo-data', '--port', String(port), ...more]);
    this.#product = product;
    [this.block, this.#chromium] = await Promise.all([product.ready, sharedBrowser()]);
  }

  /** The folder of the product's logs and settings. */
  get folder(): string {
    return this.#product?.folder ?? '';
  }

  async stop(): Promise<void> {
    await this.#product?.stop();
  }

  /** Opens a tab with an empty profile, and records every error in it. */
  async open(look: ContextOptions = desktop): Promise<void> {
    if (!this.#chromium) throw new Error('start comes first');
    this.context = await this.#chromium.newContext(look);
    this.page = await this.context.newPage();
    this.#troubles = [];
    this.page.on('pageerror', ({ message }) => {
      if (!isNote(message)) this.#troubles.push(`error: ${message}`);
    });
    this.page.on('console', (message) => {
      if (message.type() === 'error' && !this.expected.test(message.text())) {
        this.#troubles.push(message.text());
      }
    });
  }

  async close(): Promise<void> {
    await this.context.close();
    expect(this.#troubles).toEqual([]);
  }

  async shoot(name: string): Promise<void> {
    if (shots) await this.page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  }

  cardForm(): FrameLocator {
    return this.page.frameLocator('.card-host iframe');
  }

  bank(): FrameLocator {
    return this.page.frameLocator('dialog iframe');
  }

  payButton() {
    return this.page.locator('button.pay');
  }

  async goToCheckout(captureMethod: 'automatic' | 'manual' = 'automatic'): Promise<void> {
    await this.page.goto(`${this.block.demoShopUrl}/?qty-mug=1`);
    await this.page.locator(`input[name=captureMethod][value=${captureMethod}]`).check();
    await this.page.getByRole('button', { name: 'Go to checkout' }).click();
    await this.page.waitForURL(/\/c\/[0-9a-f-]{36}$/);
    await this.cardForm().getByLabel('Card number').waitFor();
  }

  async typeCard(number: string): Promise<void> {
    const field = this.cardForm().getByLabel('Card number');
    await field.fill('');
    await field.pressSequentially(number);
    await this.cardForm().getByLabel('Expiry date').fill('12/34');
    await this.cardForm().getByLabel('Security code').fill('123');
  }

  arriveAtShop(): Promise<void> {
    return this.arriveAt(`${this.block.demoShopUrl}/thanks**`);
  }

  /** Leaves the receipt by its link where the page has not led on by itself. */
  async arriveAt(url: string): Promise<void> {
    const link = this.page.locator('.outcome.good a.pay');
    await link.click({ timeout: 3000 }).catch(() => undefined);
    await this.page.waitForURL(url);
  }

  /** Calls as the merchant's server, unless `headers` contain another credential. */
  async call(path: string, { method = 'GET', headers = {}, body }: ApiRequest = {}) {
    const { apiUrl, clientId, apiToken } = this.block;
    const basic = `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`;
    const response = await fetch(apiUrl + path, {
      method,
      headers: {
        ...('x-checkout-session-token' in headers ? {} : { authorization: basic }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Moves the sandbox's clock, which the service's clock follows. */
  async advance(seconds: number): Promise<void> {
    const response = await fetch(`${this.block.sandboxUrl}/_control/clock/advance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ seconds }),
    });
    expect(response.status).toBe(200);
  }

  /** Returns every movement of money that the provider recorded. */
  async ledger(): Promise<{ kind: string; charge: string; amount: number }[]> {
    const response = await fetch(`${this.block.sandboxUrl}/_control/ledger`);
    const { entries } = (await response.json()) as { entries: never[] };
    return entries;
  }

  /** Returns the id of the payment on the shop's page after a purchase. */
  async shownPayment(): Promise<string> {
    const text = (await this.page.locator('main').textContent()) ?? '';
    return /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
  }
}

/** The only journey of a run: a start takes as long as several tests. */
export const journey = new Journey();

/** Sets up the journey for all tests of the calling file. */
export function startJourneyOn(port: number, more: readonly string[] = []): void {
  beforeAll(() => journey.start(port, more), scaled(120_000));
  afterAll(() => journey.stop(), scaled(60_000));
  beforeEach(() => journey.open());
  afterEach(() => journey.close());
}

/** Sets the texts of errors that the browser may report in the calling suite. */
export function expectErrors(errors: RegExp): void {
  const usual = journey.expected;
  beforeAll(() => {
    journey.expected = errors;
  });
  afterAll(() => {
    journey.expected = usual;
  });
}
