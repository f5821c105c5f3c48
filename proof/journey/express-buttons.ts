// Express buttons with the driver `provider-fields`, in a merchant's page and on the hosted page. Contract §4,
// docs/decisions/card-form.md. Other ends of the payment sheet: express-ends.test.ts.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  countCaptures,
  declineNext,
  goToButtons,
  lastPayment,
  openSheet,
  pageButtons,
  pressButton,
  pressHosted,
  sheetSays,
} from './express-sheet.ts';
import { journey } from './fixture.ts';
import { merchantPageOn } from './merchant-page.ts';

const shop = merchantPageOn(journey);

describe('mountExpressCheckout in a merchant’s own page', () => {
  const readEvents = () => journey.page.evaluate('heard') as Promise<[string, unknown[]][]>;
  const names = async () => (await readEvents()).map(([name]) => name);

  async function openSession(): Promise<{ id: string; nonce: string }> {
    const userId = randomUUID();
    const { status, text } = await journey.call('/v1/checkouts/sessions', {
      method: 'POST',
      body: {
        clientId: journey.block.clientId,
        currency: 'EUR',
        captureMethod: 'automatic',
        products: [{ code: 'mug', quantity: 1 }],
        accountData: { userId, email: `${userId.slice(0, 8)}@example.com` },
      },
    });
    expect(status).toBe(201);
    return JSON.parse(text) as { id: string; nonce: string };
  }

  it('tells of the methods first; left: nothing is charged; declined: told; then the same buttons pay', async () => {
    const before = await countCaptures();
    const { id, nonce } = await openSession();
    await shop.visit();
    const given = { baseUrl: journey.block.apiUrl, sessionId: id, nonce };
    await journey.page.evaluate(`showExpress(${JSON.stringify(given)})`);
    await expect.poll(readEvents).toEqual([['onReady', [['google_pay', 'link']]]]);
    await pressButton('Google Pay');
    await pressButton('Cancel');
    await declineNext();
    await pressButton('Link');
    await pressButton('Approve with Link');
    await expect.poll(names).toEqual(['onReady', 'onDecline']);
    expect(await countCaptures()).toBe(before);
    await pressButton('Google Pay');
    await pageButtons()
      .getByText(/^Pay €\d+\.\d\d with Google Pay$/)
      .waitFor();
    await journey.shoot('express-sheet');
    await pressButton('Approve with Google Pay');
    await expect.poll(names).toEqual(['onReady', 'onDecline', 'onSuccess']);
    expect((await readEvents())[2]?.[1]).toMatchObject([{ type: 'success', status: 'succeeded' }]);
    expect(await countCaptures()).toBe(before + 1);
    expect(JSON.stringify(await lastPayment())).toContain('google_pay');
  });
});

describe('the hosted page', () => {
  it('pays with one press by a script of its own, for the amount of the session', async () => {
    const asked: string[] = [];
    journey.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const before = await countCaptures();
    await goToButtons();
    await journey.shoot('express-hosted');
    const [file = ''] = asked.filter((path) => /express-[\w-]{8}\.js$/.test(path));
    expect(file).toMatch(/^\/assets\/express-/);
    const link = journey.page.locator(`link[rel=modulepreload][href="${file}"]`);
    expect(await link.getAttribute('integrity')).toMatch(/^sha384-/);
    const frames = journey.page.frames().filter((frame) => /stand-in\/express/.test(frame.url()));
    expect(frames).toHaveLength(1);
    for (let frame = frames[0] ?? null; frame; frame = frame.parentFrame()) {
      expect(
        // Firefox has no such list to ask.
        await frame.evaluate("document.featurePolicy?.allowsFeature('payment') ?? true"),
      ).toBe(true);
    }
    await openSheet();
    await sheetSays(/^Pay €19\.90 with Google Pay$/);
    await pressHosted('Approve with Google Pay');
    await journey.arriveAtShop();
    expect(await countCaptures()).toBe(before + 1);
    const paid = await lastPayment();
    expect(paid).toMatchObject({ amount: 19.9, currency: 'EUR', status: 'succeeded' });
    expect(JSON.stringify(paid)).toContain('google_pay');
  });
});
