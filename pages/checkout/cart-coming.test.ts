// A shell: the card field before the cart. Contract §3, Claim; §4, vault charge.

import { beforeEach, describe, expect, it } from 'vitest';
import { checkoutTest } from '../test/checkout-test.ts';
import { type Answer, attempt, refusal, savedCard, success } from '../test/stub-answers.ts';

const test = checkoutTest();

const charges = () => test.service.calls(/\/vault-charge$/).map(({ body }) => body);
const claim = () => {
  test.service.session = {};
  test.service.standings = [{ status: 'open' }];
};
const order = () => test.checkout.session.value?.products.map(({ name }) => name);
const expired = 'This payment link has expired';

beforeEach(() => {
  test.service.session = { accountData: null, products: [], totals: null };
  test.service.standings = [{ status: 'unclaimed' }];
});

describe('a shell', () => {
  it('claimed: order and amount appear, what is typed stays, and it is paid by process', async () => {
    await test.visit();
    expect(test.button()).toMatchObject({ label: 'Pay', isBlocked: false });
    test.form.typed = '4242424242424242';
    claim();
    await test.pass(2);
    expect(order()).toEqual(['Coffee beans', 'Mug']);
    expect(test.button().label).toBe('Pay €49.70');
    expect(test.form.typed).toBe('4242424242424242');
    await test.press();
    expect(test.news()).toBe('Payment complete');
    expect(charges()).toEqual([]);
    expect(test.processCalls()).toHaveLength(1);
  });

  it('claimed for a buyer who has saved cards: the card that was typed stays the one that pays', async () => {
    await test.visit();
    test.form.typed = '4242424242424242';
    claim();
    test.service.session = { buyerVerified: true };
    test.service.cards = () => ({ status: 200, body: { data: [savedCard('4444')] } });
    await test.pass(2);
    const { cards } = test.checkout;
    expect(cards.cards.value).toHaveLength(1);
    expect(cards.choice.value).toBeNull();
    await test.press();
    expect(test.news()).toBe('Payment complete');
    expect(test.processCalls()[0]?.body?.tokenizedData).toMatchObject({ token: 'svct_1' });
  });

  it('paid before the claim: the same token again until it is there, then once charged', async () => {
    test.service.process = [
      refusal('checkout_session_claim_pending'),
      () => {
        claim();
        return success('succeeded');
      },
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.button().label).toBe('Waiting for your order');
    expect(test.title()).toBe('Waiting for your order · Bean Shop');
    await test.pass(1);
    expect(test.news()).toBe('Payment complete');
    // No total has been shown that could be charged.
    const unshown = { token: 'svct_1', expectedTotal: 0 };
    expect(charges()).toEqual([unshown, unshown]);
    expect(test.processCalls()).toEqual([]);
  });

  it('paid before the claim, which comes while the charge is held: shown first, then charged at that', async () => {
    let seen: number | undefined;
    await test.visit();
    test.service.process = [
      () => {
        claim();
        return refusal('checkout_session_total_changed');
      },
      () => {
        seen = test.checkout.session.value?.totals?.total;
        return success('succeeded');
      },
    ];
    await test.fillAndPay();
    expect(test.news()).toBe('Payment complete');
    expect(charges().map((body) => body?.expectedTotal)).toEqual([0, 49.7]);
    expect(seen).toBe(49.7);
  });

  it('paid before the claim, and the order cannot be read: nothing is charged that was not shown', async () => {
    test.service.process = [
      () => {
        test.service.sessionAnswer = refusal('service_unavailable');
        claim();
        return refusal('checkout_session_total_changed');
      },
      success('succeeded'),
    ];
    await test.visit();
    await test.fillAndPay();
    await test.pass(3);
    expect(test.news()).toBe('We cannot reach the payment service');
    expect(charges()).toHaveLength(1);
    test.service.sessionAnswer = null;
    await test.checkout.load();
    expect(test.button().label).toBe('Pay €49.70');
    expect(test.form.typed).toBe('4242424242424242');
  });

  it('claimed, and the order cannot be read for a moment: what is typed stays', async () => {
    await test.visit();
    test.form.typed = '4242424242424242';
    test.service.sessionAnswer = refusal('service_unavailable');
    claim();
    await test.pass(2);
    expect(test.form.typed).toBe('4242424242424242');
    test.service.sessionAnswer = null;
    await test.pass(3);
    expect(test.button().label).toBe('Pay €49.70');
    expect(test.form.typed).toBe('4242424242424242');
  });

  it('paid, and the order is out of reach: names no amount that is not known', async () => {
    test.service.process = [
      () => {
        test.service.sessionAnswer = refusal('service_unavailable');
        claim();
        return success('succeeded');
      },
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.outcome()).toBe('Payment complete');
  });

  it('claimed as the wait for it ends: the order is read before anything is said of it', async () => {
    const read = Promise.withResolvers<void>();
    test.service.process = [
      () => {
        claim();
        test.service.beforeSession = () => read.promise;
        // A refusal that states nothing about the payment.
        return refusal('service_unavailable');
      },
    ];
    await test.visit();
    await test.fillAndPay();
    await test.pass(3);
    expect(test.shown.map(({ name }) => name)).not.toContain('unusable');
    read.resolve();
    await test.settle();
    expect(test.notice()).toContain('The payment service is busy. Nothing was charged');
    expect(test.button().label).toBe('Pay €49.70');
    expect(test.form.typed).toBe('4242424242424242');
  });

  it.each(['read meanwhile', 'being read meanwhile'])(
    'declined, its answer lost, and the order %s: says that it was declined',
    async (when) => {
      const read = Promise.withResolvers<void>();
      const lost = Promise.withResolvers<Answer>();
      await test.visit();
      test.form.typed = '4242424242424242';
      if (when === 'being read meanwhile') {
        test.service.beforeSession = () => read.promise;
        claim();
        await test.pass(2);
      }
      test.service.process = [
        () => {
          test.service.session = {};
          const declined = attempt('DECLINED', 'lost_card');
          test.service.standings = [{ status: 'open', attempt: declined }];
          return lost.promise;
        },
      ];
      await test.press();
      read.resolve();
      await test.pass(2);
      lost.resolve('break off');
      await test.pass(8);
      expect(test.notice()).toContain('The bank does not accept this card.');
    },
  );

  it('declined, and the order could not be read meanwhile: read again, and its amount appears', async () => {
    const lost = Promise.withResolvers<Answer>();
    test.service.process = [() => lost.promise];
    await test.visit();
    await test.fillAndPay();
    test.service.sessionAnswer = refusal('service_unavailable');
    claim();
    await test.pass(2);
    test.service.sessionAnswer = null;
    lost.resolve(refusal('card_declined', { declineCode: 'lost_card' }));
    await test.pass(3);
    expect(test.notice()).toContain('The bank does not accept this card.');
    expect(test.button().label).toBe('Pay €49.70');
    expect(test.form.typed).toBe('4242424242424242');
  });

  it('never claimed: after twelve seconds it says that nothing was charged', async () => {
    test.service.process = [refusal('checkout_session_claim_pending')];
    await test.visit();
    await test.fillAndPay();
    await test.pass(11);
    expect(charges()).toHaveLength(12);
    expect(test.checkout.view.value.name).toBe('paying');
    await test.pass(1);
    expect(test.notice()).toContain(
      'The shop has not completed your order yet. Nothing was charged',
    );
    expect(test.form.typed).toBe('4242424242424242');
  });

  it('gone when its order is read: says that the link does not work', async () => {
    await test.visit();
    test.service.sessionAnswer = refusal('checkout_session_not_found');
    claim();
    await test.pass(2);
    expect(test.news()).toBe('This payment link does not work');
  });

  it('run out unclaimed: expired', async () => {
    await test.visit();
    test.service.standings = [{ status: 'expired' }];
    await test.pass(2);
    expect(test.news()).toBe(expired);
  });

  const runOut = () => {
    test.service.session = { ...test.service.session, vault: null };
    test.service.standings = [{ status: 'expired' }];
  };

  it('run out while it is being paid: expired, and no form without a card field', async () => {
    const paid = Promise.withResolvers<Answer>();
    test.service.process = [() => paid.promise];
    await test.visit();
    await test.fillAndPay();
    runOut();
    // The page has found by itself that the session has ended.
    await test.pass(2);
    expect(test.hasForm()).toBe(false);
    paid.resolve(refusal('invalid_request'));
    await test.settle();
    expect(test.news()).toBe(expired);
  });

  it('run out, and read only after the payment was refused: expired as well', async () => {
    const read = Promise.withResolvers<void>();
    const paid = Promise.withResolvers<Answer>();
    test.service.process = [() => paid.promise];
    await test.visit();
    await test.fillAndPay();
    runOut();
    test.service.beforeSession = () => read.promise;
    await test.pass(2);
    paid.resolve(refusal('invalid_request'));
    await test.settle();
    expect(test.notice()).not.toBe('');
    read.resolve();
    await test.settle();
    expect(test.news()).toBe(expired);
  });
});
