// A shell: the card field before the cart. Contract §3, Claim; §4, vault charge.

import { beforeEach, describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { attempt, refusal, savedCard, success } from '../test/stub-answers.ts';

const test = pageTest();

const listCharges = () => test.wire.calls(/\/vault-charge$/);
const claim = () => {
  test.wire.session = {};
  test.wire.standings = [{ status: 'open' }];
};

beforeEach(() => {
  test.wire.session = { accountData: null, products: [], totals: null };
  test.wire.standings = [{ status: 'unclaimed' }];
});

describe('a shell', () => {
  it('has a card field and says that the order is still to come', async () => {
    const page = await test.visit();
    await test.number().fill('4242424242424242');
    expect(await page.locator('.amount').textContent()).toBe('Waiting for your order');
    await page.getByText('nothing is charged before that').waitFor();
    expect(await test.payButton().textContent()).toBe('Pay');
  });

  it('claimed: order and amount appear, what is typed stays, and it is paid by process', async () => {
    const page = await test.visit();
    await test.number().fill('4242424242424242');
    claim();
    await page.getByText('Coffee beans').waitFor();
    await test.payButton().getByText('€49.70').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(listCharges()).toEqual([]);
    expect(test.processCalls()).toHaveLength(1);
  });

  it.each([
    [1280, true],
    [1280, false],
    [390, true],
    [390, false],
  ])(
    'claimed, %i wide, with a wallet %s: the button stays where it is',
    async (width, hasWallet) => {
      const page = await test.visit({ width });
      await test.number().fill('4242424242424242');
      const before = await test.payButton().boundingBox();
      const cardprovider = { publishableKey: 'pk_test_1', accountId: 'acct_1' };
      const wallet = { clientId: 'wallet_1', orderId: 'O-1' };
      const price = { totalAmount: 49.7, overrideAmount: null, currency: 'EUR', interval: null };
      const mug = { code: 'mug', name: 'Mug', quantity: 1, ...price };
      claim();
      // On a phone the order is above the form, and there is room for one line.
      test.wire.session = {
        ...(width < 1000 ? { products: [mug] } : {}),
        gateways: { cardprovider, ...(hasWallet ? { wallet } : {}) },
      };
      await test.payButton().getByText('€49.70').waitFor();
      expect(await page.getByRole('button', { name: /wallet/ }).count()).toBe(hasWallet ? 1 : 0);
      const after = await test.payButton().boundingBox();
      expect(Math.abs((after?.y ?? 0) - (before?.y ?? 999))).toBeLessThan(2);
    },
  );

  it('claimed for a buyer who has saved cards: the card that was typed stays the one that pays', async () => {
    await test.visit();
    await test.number().fill('4242424242424242');
    claim();
    test.wire.session = { buyerVerified: true };
    test.wire.cards = () => ({ status: 200, body: { data: [savedCard('4444')] } });
    await test.payButton().getByText('€49.70').waitFor();
    const choice = (name: string) => test.page.getByRole('radio', { name });
    await choice('4444').waitFor();
    expect(await choice('4444').isChecked()).toBe(false);
    expect(await test.number().isVisible()).toBe(true);
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(test.processCalls()[0]?.body?.tokenizedData).toMatchObject({ token: 'svct_1' });
  });

  it('paid before the claim: the same token again until it is there, then once charged', async () => {
    test.wire.process = [
      refusal('checkout_session_claim_pending'),
      () => {
        claim();
        return success('succeeded');
      },
    ];
    await test.visit();
    await test.fillAndPay();
    await test.payButton().getByText('Waiting for your order').waitFor();
    await expect.poll(() => test.page.title()).toBe('Waiting for your order · Bean Shop');
    expect(await test.news().textContent()).toBe('Payment complete');
    // No total has been shown that could be charged.
    const unshown = { token: 'svct_1', expectedTotal: 0 };
    expect(listCharges().map(({ body }) => body)).toEqual([unshown, unshown]);
    expect(test.processCalls()).toEqual([]);
  });

  it('paid before the claim, which comes while the charge is held: shown first, then charged at that', async () => {
    let seen: string | null = null;
    const page = await test.visit();
    test.wire.process = [
      () => {
        claim();
        return refusal('checkout_session_total_changed');
      },
      async () => {
        seen = await page.locator('.amount').textContent();
        return success('succeeded');
      },
    ];
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(listCharges().map(({ body }) => body?.expectedTotal)).toEqual([0, 49.7]);
    expect(seen).toContain('€49.70');
  });

  it('paid before the claim, and the order cannot be read: nothing is charged that was not shown', async () => {
    test.wire.process = [
      () => {
        test.wire.sessionAnswer = refusal('service_unavailable');
        claim();
        return refusal('checkout_session_total_changed');
      },
      success('succeeded'),
    ];
    await test.visit();
    await test.fillAndPay();
    await test.page.getByRole('heading', { name: 'We cannot reach the payment service' }).waitFor();
    expect(listCharges()).toHaveLength(1);
    test.wire.sessionAnswer = null;
    await test.page.getByRole('button', { name: 'Try again' }).click();
    await test.payButton().getByText('€49.70').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });

  it('claimed, and the order cannot be read for a moment: what is typed stays', async () => {
    await test.visit();
    await test.number().fill('4242424242424242');
    const read = test.page.waitForResponse(/sessions\/[^/]+$/);
    test.wire.sessionAnswer = refusal('service_unavailable');
    claim();
    await read;
    expect(await test.number().inputValue()).toBe('4242424242424242');
    test.wire.sessionAnswer = null;
    await test.payButton().getByText('€49.70').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });

  it('paid, and the order is out of reach: names no amount that is not known', async () => {
    test.wire.process = [
      () => {
        test.wire.sessionAnswer = refusal('service_unavailable');
        claim();
        return success('succeeded');
      },
    ];
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(await page.locator('.outcome').textContent()).not.toMatch(/0\.00/);
  });

  it('claimed as the wait for it ends: the order is read before anything is said of it', async () => {
    const read = Promise.withResolvers<void>();
    test.wire.process = [
      () => {
        claim();
        test.wire.beforeSession = () => read.promise;
        // A refusal that states nothing about the payment.
        return refusal('service_unavailable');
      },
    ];
    const page = await test.visit({ hasClock: true });
    await test.fillAndPay();
    await expect.poll(() => listCharges().length).toBe(1);
    await test.pass(3);
    expect(await page.getByText('incomplete request').count()).toBe(0);
    read.resolve();
    await test.alert().getByText('The payment service is busy. Nothing was charged').waitFor();
    await test.payButton().getByText('€49.70').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });

  it('declined, its answer lost, and the order read meanwhile: says that it was declined', async () => {
    const page = await test.visit();
    test.wire.process = [
      async () => {
        const read = page.waitForResponse(/sessions\/[^/]+$/);
        test.wire.session = {};
        test.wire.standings = [{ status: 'open', attempt: attempt('DECLINED', 'lost_card') }];
        await read;
        return 'break off';
      },
    ];
    await test.fillAndPay();
    await test.alert().getByText('The bank does not accept this card.').waitFor();
  });

  it('declined, its answer lost, and paid while the order was being read: says that it was declined', async () => {
    const read = Promise.withResolvers<void>();
    const page = await test.visit();
    await test.number().fill('4242424242424242');
    test.wire.beforeSession = () => read.promise;
    const asked = page.waitForRequest(/sessions\/[^/]+$/);
    claim();
    await asked;
    test.wire.process = [
      async () => {
        test.wire.standings = [{ status: 'open', attempt: attempt('DECLINED', 'lost_card') }];
        const late = page.waitForResponse(/sessions\/[^/]+$/);
        read.resolve();
        await (await late).finished();
        return 'break off';
      },
    ];
    await test.payButton().click();
    await test
      .alert()
      .getByText(/does not accept|did not reach us/)
      .waitFor();
    expect(await test.alert().textContent()).toContain('The bank does not accept this card.');
  });

  it('declined, and the order could not be read meanwhile: read again, and its amount appears', async () => {
    const page = await test.visit();
    test.wire.process = [
      async () => {
        const read = page.waitForResponse(/sessions\/[^/]+$/);
        test.wire.sessionAnswer = refusal('service_unavailable');
        claim();
        await read;
        test.wire.sessionAnswer = null;
        return refusal('card_declined', { declineCode: 'lost_card' });
      },
    ];
    await test.fillAndPay();
    await test.alert().getByText('The bank does not accept this card.').waitFor();
    await test.payButton().getByText('€49.70').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });

  it('never claimed: after twelve seconds it says that nothing was charged', async () => {
    test.wire.process = [refusal('checkout_session_claim_pending')];
    const page = await test.open();
    await page.clock.install();
    await page.goto(test.wire.url);
    await test.fillAndPay();
    for (let asked = 1; asked <= 6; asked += 1) {
      // When the jump comes before the page's timer, the timer still takes its second.
      await expect
        .poll(() => listCharges().length, { timeout: 5_000 })
        .toBeGreaterThanOrEqual(asked);
      await page.clock.fastForward(1_000);
    }
    await page.clock.fastForward(10_000);
    await test
      .alert()
      .getByText('The shop has not completed your order yet. Nothing was charged')
      .waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
  });

  it('gone when its order is read: says that the link does not work', async () => {
    await test.visit();
    await test.number().waitFor();
    test.wire.sessionAnswer = refusal('checkout_session_not_found');
    claim();
    expect(await test.news().textContent()).toBe('This payment link does not work');
  });

  it('run out unclaimed: expired', async () => {
    await test.visit();
    await test.number().waitFor();
    test.wire.standings = [{ status: 'expired' }];
    expect(await test.news().textContent()).toBe('This payment link has expired');
  });

  const runOut = () => {
    test.wire.session = { ...test.wire.session, vault: null };
    test.wire.standings = [{ status: 'expired' }];
  };

  it('run out while it is being paid: expired, and no form without a card field', async () => {
    const paid = Promise.withResolvers<void>();
    test.wire.process = [
      async () => {
        runOut();
        await paid.promise;
        return refusal('invalid_request');
      },
    ];
    const page = await test.visit();
    await test.fillAndPay();
    // The page has found by itself that the session has ended.
    await expect.poll(() => page.locator('iframe').count(), { timeout: 10_000 }).toBe(0);
    paid.resolve();
    await page.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
  });

  it('run out, and read only after the payment was refused: expired as well', async () => {
    const read = Promise.withResolvers<void>();
    test.wire.process = [
      async () => {
        runOut();
        const isAsked = Promise.withResolvers<void>();
        test.wire.beforeSession = () => {
          isAsked.resolve();
          return read.promise;
        };
        await isAsked.promise;
        return refusal('invalid_request');
      },
    ];
    const page = await test.visit();
    await test.fillAndPay();
    await test.alert().waitFor();
    read.resolve();
    await page.getByRole('heading', { name: 'This payment link has expired' }).waitFor();
  });
});
