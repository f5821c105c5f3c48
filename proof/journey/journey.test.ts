// The main job, end to end, as a person does it: what `npm start` starts, a real browser, the demo
// shop, the hosted checkout page, the card form on its own origin, REST with the printed credentials.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browser } from '@svc/tools/browser';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const shots = process.env.SVC_SHOTS;

type Block = {
  apiUrl: string;
  cardFormUrl: string;
  demoShopUrl: string;
  sandboxUrl: string;
  clientId: string;
  apiToken: string;
  providerSecretKey: string;
  readyMs: number;
};

let folder: string;
let starter: ChildProcess;
let block: Block;
let chromium: Browser;
let context: BrowserContext;
let page: Page;
let troubles: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-journey-'));
  // The database's account must be able to enter, else it lives elsewhere.
  chmodSync(folder, 0o755);
  starter = spawn(
    process.execPath,
    [join(root, 'tools/src/start/main.ts'), '--json', '--port', '14700', '--data', folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  [block, chromium] = await Promise.all([readBlock(starter), browser()]);
}, 120_000);

afterAll(async () => {
  await chromium?.close();
  if (starter && starter.exitCode === null) {
    const ended = new Promise((resolve) => starter.once('exit', resolve));
    starter.kill('SIGINT');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

beforeEach(async () => {
  context = await chromium.newContext({ viewport: { width: 1100, height: 800 }, locale: 'en-GB' });
  page = await context.newPage();
  troubles = [];
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A declined card is a 402, an ended session a 409: the browser reports both as failed resources.
    const isExpected = /status of (402|409)|Unrecognized feature/.test(message.text());
    if (message.type() === 'error' && !isExpected) troubles.push(message.text());
  });
});

afterEach(async () => {
  await context.close();
  expect(troubles).toEqual([]);
});

function readBlock(child: ChildProcess): Promise<Block> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text) as Block);
    });
    child.once('exit', (code) => reject(new Error(`the start ended with ${code}`)));
  });
}

async function shoot(name: string): Promise<void> {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

const cardForm = (): FrameLocator => page.frameLocator('.card-host iframe');
const bank = (): FrameLocator => page.frameLocator('dialog iframe');

async function goToCheckout(captureMethod: 'automatic' | 'manual'): Promise<void> {
  await page.goto(`${block.demoShopUrl}/?qty-mug=1`);
  await page.locator(`input[name=captureMethod][value=${captureMethod}]`).check();
  await page.getByRole('button', { name: 'Go to checkout' }).click();
  await page.waitForURL(/\/c\/[0-9a-f-]{36}$/);
  await cardForm().getByLabel('Card number').waitFor();
}

async function typeCard(number: string): Promise<void> {
  const field = cardForm().getByLabel('Card number');
  await field.fill('');
  await field.pressSequentially(number);
  await cardForm().getByLabel('Expiry date').fill('12/34');
  await cardForm().getByLabel('Security code').fill('123');
}

const payButton = () => page.getByRole('button', { name: /€19\.90/ });

async function call(method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(block.apiUrl + path, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${block.clientId}:${block.apiToken}`).toString('base64')}`,
      ...headers,
    },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function waitForDelivery(type: string, paymentId: string): Promise<object[]> {
  for (let tries = 0; tries < 200; tries++) {
    const { data } = (await (await fetch(`${block.demoShopUrl}/webhooks.json`)).json()) as {
      data: { type: string; paymentId: string; verified: boolean }[];
    };
    const found = data.filter((one) => one.type === type && one.paymentId === paymentId);
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return [];
}

/** Moves the sandbox's clock, and the service's with it. */
async function advance(seconds: number): Promise<void> {
  const response = await fetch(`${block.sandboxUrl}/_control/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ seconds }),
  });
  expect(response.status).toBe(200);
}

const shownPayment = async (): Promise<string> => {
  const text = (await page.locator('main').textContent()) ?? '';
  return /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
};

describe('a person buys in the demo shop', () => {
  it('with 4242…: paid, and fulfilled by one verified item.purchased', async () => {
    await shoot('shop');
    await goToCheckout('automatic');
    await shoot('checkout');
    await typeCard('4242424242424242');
    await payButton().click();
    await page.waitForURL(`${block.demoShopUrl}/thanks**`);
    await expect
      .poll(async () => {
        await page.reload();
        return page.locator('main').textContent();
      })
      .toContain('item.purchased was verified');
    await shoot('thanks');
    const paymentId = await shownPayment();
    expect(await waitForDelivery('item.purchased', paymentId)).toMatchObject([{ verified: true }]);
    await page.goto(`${block.demoShopUrl}/webhooks`);
    await shoot('webhooks');
  });

  it('with a declined card: told honestly, and another card works on the same page', async () => {
    await goToCheckout('automatic');
    await typeCard('4000000000000002');
    await payButton().click();
    await expect.poll(() => page.locator('main').textContent()).toMatch(/declined/i);
    await shoot('declined');
    await typeCard('5555555555554444');
    await payButton().click();
    await page.waitForURL(`${block.demoShopUrl}/thanks**`);
  });

  it('with manual capture: held, then captured by REST, replayed byte for byte', async () => {
    await goToCheckout('manual');
    await typeCard('4242424242424242');
    await shoot('checkout-manual');
    await payButton().click();
    await page.waitForURL(`${block.demoShopUrl}/thanks**`);
    const paymentId = await shownPayment();
    const held = await call('GET', `/v1/payments/${paymentId}`);
    expect(JSON.parse(held.text)).toMatchObject({ status: 'authorized', amountCaptured: 0 });

    const key = { 'idempotency-key': randomUUID() };
    const first = await call('PUT', `/v1/payments/${paymentId}/capture`, key);
    expect([first.status, JSON.parse(first.text).status]).toEqual([200, 'succeeded']);
    const second = await call('PUT', `/v1/payments/${paymentId}/capture`, key);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(await waitForDelivery('item.purchased', paymentId)).toHaveLength(1);
  });

  it('the checkout page cannot read the card form, and stores nothing of it', async () => {
    await goToCheckout('automatic');
    await typeCard('4242424242424242');
    // As text: these run in the page, and Node's types know no document.
    const seen = await page.evaluate(`(() => {
      const frame = document.querySelector('iframe');
      let read;
      try {
        read = String(frame.contentWindow.document.body.innerHTML);
      } catch (error) {
        read = error.name;
      }
      const origin = new URL(frame.src).origin;
      return { read, document: frame.contentDocument, origin, page: location.origin };
    })()`);
    expect(seen).toEqual({
      read: 'SecurityError',
      document: null,
      origin: block.cardFormUrl,
      page: block.apiUrl,
    });
    expect(page.url()).not.toContain('#');
    expect(await context.cookies()).toEqual([]);
    const stored = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })');
    expect(stored).not.toContain('4242');
  });

  it('on a phone, in the dark: everything is in reach', async () => {
    await context.close();
    context = await chromium.newContext({
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
      locale: 'en-GB',
      hasTouch: true,
    });
    page = await context.newPage();
    await goToCheckout('automatic');
    await shoot('checkout-phone-dark');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await typeCard('378282246310005'.slice(0, 15));
    await cardForm().getByLabel('Security code').fill('1234');
    await payButton().click();
    await page.waitForURL(`${block.demoShopUrl}/thanks**`);
    await shoot('thanks-phone-dark');
  });
});

describe('3-D Secure, in a dialog of the checkout page', () => {
  const challenged = '4000002760003184';

  async function meetTheBank(card = challenged): Promise<void> {
    await goToCheckout('automatic');
    await typeCard(card);
    await payButton().click();
    await bank()
      .getByRole('button', { name: /approve/i })
      .waitFor();
  }

  const answer = (name: RegExp) => bank().getByRole('button', { name }).click();
  const says = (text: string) => page.getByRole('alert').getByText(text).waitFor();

  /** The card that was typed is still there, and another one pays. */
  async function payAnotherWay(): Promise<void> {
    expect(await page.locator('dialog').count()).toBe(0);
    expect(await cardForm().getByLabel('Card number').inputValue()).not.toBe('');
    await typeCard('4242424242424242');
    await payButton().click();
    await page.waitForURL(`${block.demoShopUrl}/thanks**`);
  }

  it('approved: paid, without leaving the page', async () => {
    await meetTheBank();
    await shoot('challenge');
    expect(page.url()).toContain(block.apiUrl);
    await answer(/approve/i);
    await page.waitForURL(`${block.demoShopUrl}/thanks**`);
  });

  it('failed: the bank did not recognise the buyer; another card pays', async () => {
    await meetTheBank();
    await answer(/fail/i);
    await says('Your bank could not confirm that it is you.');
    await payAnotherWay();
  });

  it('declined after it: the bank’s reason, and another card pays', async () => {
    await meetTheBank('4000008400001629');
    await answer(/approve/i);
    await says('Try again, or use another card.');
    await payAnotherWay();
  });

  it('given up by the buyer: that attempt alone ends, and another card pays', async () => {
    await meetTheBank();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await shoot('challenge-cancel');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await says('The confirmation was cancelled.');
    await payAnotherWay();
  });

  it('never answered: after an hour it is given up, and another card pays', async () => {
    await meetTheBank();
    await advance(3_700);
    await says('It was not confirmed in time.');
    await payAnotherWay();
  }, 40_000);
});

describe('a checkout that was left alone for a day', () => {
  it('takes no payment any more, and says what to do', async () => {
    await goToCheckout('automatic');
    await typeCard('4242424242424242');
    await advance(25 * 3_600);
    await payButton().click();
    await page.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
    await page.getByText('Nothing was charged.').waitFor();
    await shoot('expired');
  });
});

describe('what the provider has on record', () => {
  it('one capture per payment, and nothing that the service does not know', async () => {
    const { data } = JSON.parse((await call('GET', '/v1/payments?limit=100')).text) as {
      data: { id: string; status: string; gatewayChargeId: string | null; amountMinor: number }[];
    };
    const response = await fetch(`${block.sandboxUrl}/_control/ledger`);
    const { entries } = (await response.json()) as {
      entries: { kind: string; charge: string; amount: number }[];
    };
    const captured = entries.filter((entry) => entry.kind === 'capture');
    const succeeded = data.filter((payment) => payment.status === 'succeeded');
    expect(captured.map((entry) => entry.charge).sort()).toEqual(
      succeeded.map((payment) => payment.gatewayChargeId).sort(),
    );
    expect(succeeded.length).toBeGreaterThan(4);
  });
});
