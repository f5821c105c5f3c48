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

/** Buys from the shop's page through the hosted checkout and back. */
async function buyAt(url: string, button: string): Promise<void> {
  await journey.page.goto(url);
  await click(button);
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.typeCard('4242424242424242');
  await journey.payButton().click();
}

/** Creates a session in which everything is free, so that nothing must be typed. */
async function freeSession(successUrl: string): Promise<{ id: string; url: string }> {
  const coupon = { code: `FREE${Date.now()}`, percentOff: 100 };
  await journey.call('/v1/coupons', { method: 'POST', body: coupon });
  const body = {
    clientId: journey.block.clientId,
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    couponCodes: [coupon.code],
    accountData: { userId: coupon.code, email: 'ada@example.com' },
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
  it('hosted-checkout: the buyer pays and is told', async () => {
    const url = await startExample('hosted-checkout');
    await buyAt(url, 'Buy a mug');
    await journey.page.waitForURL(`${url}/thanks**`);
    expect(await journey.page.textContent('p')).toMatch(
      /^Your order is completed, payment [\w-]{36}/,
    );
  });

  it('own-page: the card is typed into the frame of the shop’s own page', async () => {
    await journey.page.goto(await startExample('own-page'));
    await card('#card iframe');
    await click('Pay');
    await journey.page.getByText('succeeded', { exact: true }).waitFor();
    const { text } = await journey.call('/v1/payments?externalId[eq]=1001');
    expect(JSON.parse(text)).toMatchObject({ total: 1, data: [{ status: 'succeeded' }] });
  });

  it.each([
    ['Approve', /^succeeded$/],
    ['Fail', /Nothing was charged/],
  ])('own-page: the bank asks in a dialog over it, and the buyer says %s', async (choice, said) => {
    await journey.page.goto(await startExample('own-page'));
    await card('#card iframe', '4000002500003155');
    await click('Pay');
    const bank = journey.page.frameLocator('dialog iframe');
    await bank.getByRole('button', { name: choice }).click();
    await journey.page.locator('#out', { hasText: said }).waitFor();
  });

  it.each([
    ['Ship and capture', 'The capture: succeeded.', 'capture'],
    ['Cancel', 'The hold: voided.', 'void'],
  ])('hold-and-capture: %s', async (button, said, movement) => {
    const url = await startExample('hold-and-capture');
    await buyAt(url, 'Order a mug');
    await journey.page.waitForURL(`${url}/held**`);
    await click(button);
    await journey.page.getByText(said).waitFor();
    expect((await journey.ledger()).at(-1)?.kind).toBe(movement);
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

  it('webhook-inbox: no endpoint of it stays behind when it ends', async () => {
    const url = await startExample('webhook-inbox');
    const endpoints = async () => (await journey.call('/v1/webhook-endpoints?limit=100')).text;
    expect(await endpoints()).toContain(`"${url}/webhooks"`);
    const [child] = started;
    child?.kill('SIGINT');
    await once(child as ChildProcess, 'exit');
    expect(await endpoints()).not.toContain(`"${url}/webhooks"`);
  });

  it('webhook-inbox: a purchase becomes one parcel, also when it is delivered twice', async () => {
    const url = await startExample('webhook-inbox');
    const shop = await startExample('hosted-checkout');
    await buyAt(shop, 'Buy a mug');
    await journey.page.waitForURL(`${shop}/thanks**`);
    const payment = /payment ([\w-]{36})/.exec((await journey.page.textContent('p')) ?? '')?.[1];
    const parcels = async () => {
      await journey.page.goto(url);
      const text = (await journey.page.textContent('pre')) ?? '[]';
      return JSON.parse(text) as { session: string; payment: string | null; contents: string }[];
    };
    await expect.poll(parcels, { timeout: 15_000 }).toContainEqual({
      session: expect.any(String),
      payment: String(payment),
      contents: '1 mug',
    });
    await deliverAgain(String(payment));
    const ours = (await parcels()).filter((one) => one.payment === payment);
    expect(ours).toHaveLength(1);
  });

  it('webhook-inbox: an order that cost nothing is a parcel too, by its session', async () => {
    const url = await startExample('webhook-inbox');
    const session = await freeSession(url);
    await journey.page.goto(session.url);
    await click('Complete order');
    await journey.page.waitForURL(`${url}/**`);
    const parcels = async () => {
      await journey.page.goto(url);
      return JSON.parse((await journey.page.textContent('pre')) ?? '[]');
    };
    const parcel = { session: session.id, payment: null, contents: '1 mug' };
    await expect.poll(parcels, { timeout: 15_000 }).toContainEqual(parcel);
  });

  it('subscription: a parcel for the first period, and one for each that is renewed', async () => {
    const url = await startExample('subscription');
    await buyAt(url, 'Join the club');
    await journey.page.waitForURL(`${url}/club**`);
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

  it('hold-and-capture: an order that cost nothing is shipped, and nothing is captured', async () => {
    const url = await startExample('hold-and-capture');
    const coupon = { code: `NOUGHT${Date.now()}`, percentOff: 100 };
    await journey.call('/v1/coupons', { method: 'POST', body: coupon });
    await journey.page.goto(url);
    await click('Order a mug');
    await click('Add a discount code');
    await journey.page.getByRole('textbox', { name: 'Discount code' }).fill(coupon.code);
    await click('Apply');
    // Pressed by keyboard: for a moment Chromium sends a click at this place to the card form's
    // frame, which was there until the code was applied.
    await journey.page.getByRole('button', { name: 'Complete order' }).press('Enter');
    await journey.page.waitForURL(`${url}/held**`);
    await click('Ship and capture');
    await journey.page.getByText('nothing is captured').waitFor();
  });

  it('is refused by name, with what there is', async () => {
    await expect(startExample('hosted')).rejects.toThrow(
      'cases: hold-and-capture, hosted-checkout, own-page, saved-card, subscription, webhook-inbox',
    );
  });
});
