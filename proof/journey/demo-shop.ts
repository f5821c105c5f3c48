// The main use of the product, as a person does it: `npm start`, a real browser, the demo shop, the
// hosted checkout page, the card form on its own origin, and REST with the printed credentials.

import { describe, expect, it } from 'vitest';
import { journey } from './fixture.ts';

async function waitForDelivery(type: string, paymentId: string): Promise<object[]> {
  const readReceived = async () => {
    const { data } = (await (await fetch(`${journey.block.demoShopUrl}/webhooks.json`)).json()) as {
      data: { type: string; paymentId: string; verified: boolean }[];
    };
    return data.filter((one) => one.type === type && one.paymentId === paymentId);
  };
  await expect.poll(readReceived).not.toEqual([]);
  return readReceived();
}

describe('a person buys in the demo shop', () => {
  it('with 4242…: paid, fulfilled by one verified item.purchased; the page reads and stores no card', async () => {
    await journey.shoot('shop');
    await journey.goToCheckout('automatic');
    await journey.shoot('checkout');
    await journey.typeCard('4242424242424242');
    // Passed as text: the code runs in the page, and Node's types have no document.
    const seen = await journey.page.evaluate(`(() => {
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
      origin: journey.block.cardFormUrl,
      page: journey.block.apiUrl,
    });
    expect(journey.page.url()).not.toContain('#');
    expect(await journey.context.cookies()).toEqual([]);
    const stored = await journey.page.evaluate(
      'JSON.stringify({ ...sessionStorage, ...localStorage })',
    );
    // Not within an id, which may have these digits by chance.
    expect(stored).not.toMatch(/(?<![\w-])4242(?![\w-])/);
    await journey.payButton().click();
    await journey.arriveAtShop();
    await expect
      .poll(async () => {
        await journey.page.reload();
        return journey.page.locator('main').textContent();
      })
      .toContain('item.purchased was verified');
    await journey.shoot('thanks');
    const paymentId = await journey.shownPayment();
    expect(await waitForDelivery('item.purchased', paymentId)).toMatchObject([{ verified: true }]);
    await journey.page.goto(`${journey.block.demoShopUrl}/webhooks`);
    await journey.shoot('webhooks');
  });

  it('on a phone, in the dark: a declined card is told, and another one works on the same page', async () => {
    await journey.close();
    await journey.open({
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
      locale: 'en-GB',
      hasTouch: true,
    });
    await journey.goToCheckout('automatic');
    await journey.shoot('checkout-phone-dark');
    const width = await journey.page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await journey.typeCard('4000000000000002');
    await journey.payButton().click();
    await expect.poll(() => journey.page.locator('main').textContent()).toMatch(/declined/i);
    await journey.shoot('declined-phone-dark');
    await journey.typeCard('378282246310005');
    await journey.cardForm().getByLabel('Security code').fill('1234');
    // On a phone the button is outside the view: a click in the frame of the scroll would reach the
    // card form at its earlier position.
    await journey.payButton().scrollIntoViewIfNeeded();
    await journey.page.evaluate('new Promise((on) => requestAnimationFrame(() => setTimeout(on)))');
    await journey.payButton().click();
    await journey.arriveAtShop();
    await journey.shoot('thanks-phone-dark');
  });
});

describe('3-D Secure, in a dialog of the checkout page', () => {
  async function openChallenge(): Promise<void> {
    await journey.typeCard('4000002760003184');
    await journey.payButton().click();
    await journey
      .bank()
      .getByRole('button', { name: /approve/i })
      .waitFor();
  }

  const answer = (name: RegExp) => journey.bank().getByRole('button', { name }).click();

  /** Checks that the dialog is gone, and that the form has kept the card. */
  async function isAskedAgain(alert: string): Promise<void> {
    await journey.page.getByRole('alert').getByText(alert).waitFor();
    expect(await journey.page.locator('dialog').count()).toBe(0);
    expect(await journey.cardForm().getByLabel('Card number').inputValue()).not.toBe('');
  }

  type SessionState = {
    status: string;
    paymentId: string | null;
    latestTransactionAttempt: { id: string; result: string; declineCode: string | null } | null;
  };

  /** Reads the session of the page with the page's own token. */
  async function readSession(): Promise<SessionState> {
    const id = new URL(journey.page.url()).pathname.split('/').pop();
    const nonce = await journey.page.evaluate(`sessionStorage.getItem('svc:nonce:${id}')`);
    const headers = { 'x-checkout-session-token': String(nonce) };
    const { text } = await journey.call(`/v1/checkouts/sessions/${id}/status`, { headers });
    return (JSON.parse(text) as { data: SessionState }).data;
  }

  it('given up by the buyer, then timed out at the bank: each attempt alone ends; approved: paid once', async () => {
    await journey.goToCheckout('automatic');
    await openChallenge();
    await journey.shoot('challenge');
    await journey.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await journey.shoot('challenge-cancel');
    await journey.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await isAskedAgain('The confirmation was cancelled.');

    await openChallenge();
    const { status, paymentId, latestTransactionAttempt: asked } = await readSession();
    expect([status, asked?.result]).toEqual(['requires_action', 'REQUIRES_ACTION']);
    await answer(/time out/i);
    // The provider reports every end without an approval in the same way. docs/decisions/card-provider.md.
    await isAskedAgain('Your bank could not confirm that it is you.');
    await journey.shoot('challenge-timed-out');
    expect(await journey.page.getByRole('alert').textContent()).not.toMatch(/cancelled/);
    expect(await readSession()).toMatchObject({
      status: 'open',
      latestTransactionAttempt: {
        id: asked?.id,
        result: 'DECLINED',
        declineCode: 'authentication_failed',
      },
    });
    const timedOut = await journey.call(`/v1/payments/${paymentId}`);
    expect(JSON.parse(timedOut.text)).toMatchObject({
      status: 'failed',
      failureCode: 'authentication_failed',
      declineCode: 'authentication_failed',
      amountCaptured: 0,
    });

    await openChallenge();
    expect(journey.page.url()).toContain(journey.block.apiUrl);
    await answer(/approve/i);
    await journey.arriveAtShop();
    const paid = await journey.shownPayment();
    expect(paid).not.toBe(paymentId);
    const stands = await journey.call(`/v1/payments/${paid}`);
    expect(JSON.parse(stands.text)).toMatchObject({ status: 'succeeded', declineCode: null });
  });
});

describe('what the provider has on record', () => {
  it('one capture per payment, and nothing that the service does not know', async () => {
    const { data } = JSON.parse((await journey.call('/v1/payments?limit=100')).text) as {
      data: { id: string; status: string; gatewayChargeId: string | null; amountMinor: number }[];
    };
    const entries = await journey.ledger();
    const captured = entries.filter((entry) => entry.kind === 'capture');
    const succeeded = data.filter((payment) => payment.status === 'succeeded');
    expect(captured.map((entry) => entry.charge).sort()).toEqual(
      succeeded.map((payment) => payment.gatewayChargeId).sort(),
    );
    expect(succeeded.length).toBeGreaterThan(3);
  });
});
