// The main use of the product, as a person does it: `npm start`, a real browser, the demo shop, the
// hosted checkout page, the card form on its own origin, and REST with the printed credentials.

import { randomUUID } from 'node:crypto';
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
  it('with 4242…: paid, and fulfilled by one verified item.purchased', async () => {
    await journey.shoot('shop');
    await journey.goToCheckout('automatic');
    await journey.shoot('checkout');
    await journey.typeCard('4242424242424242');
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

  it('with a declined card: told honestly, and another card works on the same page', async () => {
    await journey.goToCheckout('automatic');
    await journey.typeCard('4000000000000002');
    await journey.payButton().click();
    await expect.poll(() => journey.page.locator('main').textContent()).toMatch(/declined/i);
    await journey.shoot('declined');
    await journey.typeCard('5555555555554444');
    await journey.payButton().click();
    await journey.arriveAtShop();
  });

  it('with manual capture: held, then captured by REST, replayed byte for byte', async () => {
    await journey.goToCheckout('manual');
    await journey.typeCard('4242424242424242');
    await journey.shoot('checkout-manual');
    await journey.payButton().click();
    await journey.arriveAtShop();
    const paymentId = await journey.shownPayment();
    const held = await journey.call(`/v1/payments/${paymentId}`);
    expect(JSON.parse(held.text)).toMatchObject({ status: 'authorized', amountCaptured: 0 });

    const key = { 'idempotency-key': randomUUID() };
    const first = await journey.call(`/v1/payments/${paymentId}/capture`, {
      method: 'PUT',
      headers: key,
    });
    expect([first.status, JSON.parse(first.text).status]).toEqual([200, 'succeeded']);
    const second = await journey.call(`/v1/payments/${paymentId}/capture`, {
      method: 'PUT',
      headers: key,
    });
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(await waitForDelivery('item.purchased', paymentId)).toHaveLength(1);
  });

  it('the checkout page cannot read the card form, and stores nothing of it', async () => {
    await journey.goToCheckout('automatic');
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
  });

  it('on a phone, in the dark: everything is in reach', async () => {
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
    await journey.typeCard('378282246310005'.slice(0, 15));
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
  const challenged = '4000002760003184';

  async function openChallenge(): Promise<void> {
    await journey.goToCheckout('automatic');
    await journey.typeCard(challenged);
    await journey.payButton().click();
    await journey
      .bank()
      .getByRole('button', { name: /approve/i })
      .waitFor();
  }

  const answer = (name: RegExp) => journey.bank().getByRole('button', { name }).click();
  const waitForAlert = (text: string) => journey.page.getByRole('alert').getByText(text).waitFor();

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

  /** Checks that the typed card is still there, and pays with another one. */
  async function payAnotherWay(): Promise<void> {
    expect(await journey.page.locator('dialog').count()).toBe(0);
    expect(await journey.cardForm().getByLabel('Card number').inputValue()).not.toBe('');
    await journey.typeCard('4242424242424242');
    await journey.payButton().click();
    await journey.arriveAtShop();
  }

  it('approved: paid, without leaving the page', async () => {
    await openChallenge();
    await journey.shoot('challenge');
    expect(journey.page.url()).toContain(journey.block.apiUrl);
    await answer(/approve/i);
    await journey.arriveAtShop();
  });

  it('given up by the buyer: that attempt alone ends, and another card pays', async () => {
    await openChallenge();
    await journey.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await journey.shoot('challenge-cancel');
    await journey.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await waitForAlert('The confirmation was cancelled.');
    await payAnotherWay();
  });

  it('timed out at the bank: told as the provider tells it, the session open; another card pays', async () => {
    await openChallenge();
    const { status, paymentId, latestTransactionAttempt: asked } = await readSession();
    expect([status, asked?.result]).toEqual(['requires_action', 'REQUIRES_ACTION']);
    await answer(/time out/i);
    // The provider reports every end without an approval in the same way. docs/decisions/card-provider.md.
    await waitForAlert('Your bank could not confirm that it is you.');
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
    await payAnotherWay();
    const paid = await journey.shownPayment();
    expect(paid).not.toBe(paymentId);
    const stands = await journey.call(`/v1/payments/${paid}`);
    expect(JSON.parse(stands.text)).toMatchObject({ status: 'succeeded', declineCode: null });
  });
});

describe('a checkout that was left alone for a day', () => {
  it('takes no payment any more, and says what to do', async () => {
    await journey.goToCheckout('automatic');
    await journey.typeCard('4242424242424242');
    await journey.advance(25 * 3_600);
    await journey.payButton().click();
    await journey.page.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
    await journey.page.getByText('Nothing was charged.').waitFor();
    await journey.shoot('expired');
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
    expect(succeeded.length).toBeGreaterThan(4);
  });
});
