// Runs each example as its readers start it, on a product that `npm start` started, with a browser
// that a person uses.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@svc/tools/free-port';
import { scaled } from '@svc/tools/machine';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLibrary } from '../../libraries/browser/build.ts';
import { expectErrors, journey } from './fixture.ts';

// The bank's frame returns to a page that no shop may embed, which Chromium reports as an error.
expectErrors(/status of (402|409)|Unrecognized feature|frame-ancestors/);
const runner = join(import.meta.dirname, '../../examples/cases/src/run.ts');
const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'));
const started: ChildProcess[] = [];

beforeAll(() => buildLibrary(), scaled(60_000));
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts an example; resolves with its address once it listens. */
async function startExample(name: string): Promise<string> {
  const running = join(folder, 'running.json');
  writeFileSync(running, JSON.stringify(journey.block));
  const env = { ...process.env, SVC_RUNNING: running, PORT: String(await freePort()) };
  const child = spawn(process.execPath, [runner, name], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const line = once(child.stdout, 'data').then(([chunk]) => String(chunk).trim());
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name}: ${said}`)));
  ended.catch(() => undefined);
  return await Promise.race([line, ended]);
}

const { card, click } = {
  card: async (frame: string, number = '4242424242424242') => {
    const form = journey.page.frameLocator(frame);
    await form.getByLabel('Card number').pressSequentially(number);
    await form.getByLabel('Expiry date').fill('12/34');
    await form.getByLabel('Security code').fill('123');
  },
  click: (name: string) => journey.page.getByRole('button', { name }).click(),
};

/** Buys from the shop's page through the hosted checkout, and comes back to `end`. */
async function buyAt(url: string, button: string, end: string): Promise<void> {
  await journey.page.goto(url);
  await click(button);
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.typeCard('4242424242424242');
  await journey.payButton().click();
  await journey.arriveAt(`${url}${end}**`);
}

async function aFreeCoupon(): Promise<string> {
  const body = { code: `FREE${Date.now()}`, percentOff: 100 };
  expect((await journey.call('/v1/coupons', { method: 'POST', body })).status).toBe(201);
  return body.code;
}

/** Creates a session in which everything is free, so that nothing must be typed. */
async function freeSession(successUrl: string): Promise<{ id: string; url: string }> {
  const coupon = await aFreeCoupon();
  const body = {
    clientId: journey.block.clientId,
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    couponCodes: [coupon],
    accountData: { userId: coupon, email: 'ada@example.com' },
    successUrl,
  };
  return JSON.parse((await journey.call('/v1/checkouts/sessions', { method: 'POST', body })).text);
}

/**
 * Delivers the purchase event of the payment to every endpoint again; resolves when it has arrived.
 */
async function deliverAgain(payment: string): Promise<void> {
  const query = `resourceId[eq]=${payment}&type[eq]=item.purchased`;
  const { text } = await journey.call(`/v1/events?${query}`);
  const id = (JSON.parse(text) as { data: { id: string }[] }).data[0]?.id;
  const again = { method: 'POST', body: {} };
  expect((await journey.call(`/v1/events/${id}/redeliver`, again)).status).toBeLessThan(300);
  const outcomes = async () => {
    const { text: attempts } = await journey.call(`/v1/events/${id}/attempts?limit=100`);
    const { data } = JSON.parse(attempts) as { data: { isRedelivery: boolean; outcome: string }[] };
    return data.filter(({ isRedelivery }) => isRedelivery).map(({ outcome }) => outcome);
  };
  await expect.poll(outcomes, { timeout: 15_000 }).toContain('delivered');
}

describe('an example', () => {
  it('own-page: typed into a frame of the shop’s page; the bank asks in a dialog over it, failed, then approved', async () => {
    await journey.page.goto(await startExample('own-page'));
    await card('#card iframe', '4000002500003155');
    for (const [choice, said] of [
      ['Fail', /Nothing was charged/],
      ['Approve', /^succeeded$/],
    ] as const) {
      await click('Pay');
      await journey.bank().getByRole('button', { name: choice }).click();
      await journey.page.locator('#out', { hasText: said }).waitFor();
    }
    const { text } = await journey.call('/v1/payments?externalId[eq]=1001&status[eq]=succeeded');
    expect(JSON.parse(text)).toMatchObject({ total: 1 });
  });

  it('hold-and-capture: shipped and captured, cancelled, and an order that cost nothing', async () => {
    const url = await startExample('hold-and-capture');
    for (const [button, said, movement] of [
      ['Ship and capture', 'The capture: succeeded.', 'capture'],
      ['Cancel', 'The hold: voided.', 'void'],
    ] as const) {
      await buyAt(url, 'Order a mug', '/held');
      await click(button);
      await journey.page.getByText(said).waitFor();
      expect((await journey.ledger()).at(-1)?.kind).toBe(movement);
    }
    const coupon = await aFreeCoupon();
    await journey.page.goto(url);
    await click('Order a mug');
    await click('Add a discount code');
    await journey.page.getByRole('textbox', { name: 'Discount code' }).fill(coupon);
    await click('Apply');
    // Pressed by keyboard: for a moment Chromium sends a click at this place to the card form's
    // frame, which was there until the code was applied.
    await journey.page.getByRole('button', { name: 'Complete order' }).press('Enter');
    await journey.arriveAt(`${url}/held**`);
    await click('Ship and capture');
    await journey.page.getByText('nothing is captured').waitFor();
  });

  it('saved-card: a card is saved, listed and removed', async () => {
    const url = await startExample('saved-card');
    await journey.page.goto(url);
    await card('#card iframe');
    await click('Save card');
    await journey.page.waitForURL(`${url}/cards`);
    await journey.page.getByText('visa 4242').waitFor();
    await click('Remove');
    await journey.page.getByText('visa 4242').waitFor({ state: 'detached' });
  });

  it('hosted-checkout and webhook-inbox: a purchase is told and becomes one parcel, also delivered twice; a free order too; no endpoint stays behind', async () => {
    const url = await startExample('webhook-inbox');
    const [inbox] = started;
    const endpoints = async () => (await journey.call('/v1/webhook-endpoints?limit=100')).text;
    expect(await endpoints()).toContain(`"${url}/webhooks"`);
    const shop = await startExample('hosted-checkout');
    await buyAt(shop, 'Buy a mug', '/thanks');
    const thanks = (await journey.page.textContent('p')) ?? '';
    expect(thanks).toMatch(/^Your order is completed, payment [\w-]{36}/);
    const payment = /payment ([\w-]{36})/.exec(thanks)?.[1];
    const parcels = async () => {
      await journey.page.goto(url);
      const text = (await journey.page.textContent('pre')) ?? '[]';
      return JSON.parse(text) as { session: string; payment: string | null; contents: string }[];
    };
    const parcel = { session: expect.any(String), payment: String(payment), contents: '1 mug' };
    await expect.poll(parcels, { timeout: 15_000 }).toContainEqual(parcel);
    await deliverAgain(String(payment));
    const ours = (await parcels()).filter((one) => one.payment === payment);
    expect(ours).toHaveLength(1);

    const session = await freeSession(url);
    await journey.page.goto(session.url);
    await click('Complete order');
    await journey.arriveAt(`${url}/**`);
    const free = { session: session.id, payment: null, contents: '1 mug' };
    await expect.poll(parcels, { timeout: 15_000 }).toContainEqual(free);

    inbox?.kill('SIGINT');
    await once(inbox as ChildProcess, 'exit');
    expect(await endpoints()).not.toContain(`"${url}/webhooks"`);
  });

  it('subscription: a parcel for the first period, and one for each that is renewed', async () => {
    const url = await startExample('subscription');
    await buyAt(url, 'Join the club', '/club');
    // The inbox also contains the merchant's other subscriptions.
    const query = '/v1/subscriptions?productCode[eq]=coffee-club';
    const { text } = await journey.call(query);
    const [{ id = '' } = {}] = (JSON.parse(text) as { data: { id: string }[] }).data;
    type Line = { subscription: string; status?: string; contents?: string };
    type Club = { members: Line[]; parcels: Line[] };
    const readClub = async (what: keyof Club) => {
      await journey.page.goto(`${url}/club`);
      const club = JSON.parse((await journey.page.textContent('pre')) ?? '{}') as Club;
      return club[what].filter(({ subscription }) => subscription === id);
    };
    const periods = async () => (await readClub('parcels')).length;
    await expect.poll(periods, { timeout: 15_000 }).toBe(1);
    await journey.advance(31 * 86_400);
    await expect.poll(periods, { timeout: 30_000 }).toBe(2);
    expect((await readClub('parcels'))[1]).toMatchObject({ contents: '1 coffee-club' });
    expect(await readClub('members')).toMatchObject([{ status: 'active' }]);
  });

  it('is refused by name, with what there is', async () => {
    await expect(startExample('hosted')).rejects.toThrow(
      'cases: hold-and-capture, hosted-checkout, own-page, saved-card, subscription, webhook-inbox',
    );
  });
});
