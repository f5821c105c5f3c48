import { describe, expect, it } from 'vitest';
import { checkoutTest } from '../test/checkout-test.ts';
import {
  type Answer,
  attempt,
  paymentId,
  refusal,
  sessionId,
  success,
} from '../test/stub-answers.ts';

const test = checkoutTest();
const checking = 'We are checking your payment';
const processing = { status: 202, body: { type: 'processing', sessionId, paymentId } };
const readsOfStatus = () => test.service.calls(/status/).length;

describe('a payment in doubt', () => {
  it.each([
    ['a connection that breaks', 'break off' as const],
    ['502 gateway_outcome_unknown', refusal('gateway_outcome_unknown')],
    ['an answer that is no JSON', { status: 200, body: undefined }],
  ])('%s is never shown as failed, and the outcome is found', async (_, answer) => {
    test.service.process = [answer];
    test.service.standings = [
      { status: 'open' },
      { status: 'processing' },
      { status: 'completed' },
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.outcome()).toBe(
      `${checking} This can take a moment. Please do not pay again; the result appears here by itself.`,
    );
    await test.pass(5);
    expect(test.news()).toBe('Payment complete');
    expect(test.shown.filter(({ name }) => name === 'form')).toHaveLength(1);
    expect(test.processCalls()).toHaveLength(1);
  });

  it('one that never arrived is offered again, with what was typed', async () => {
    test.service.process = ['break off', success('succeeded')];
    await test.visit();
    await test.fillAndPay();
    expect(test.news()).toBe(checking);
    await test.pass(5);
    expect(test.news()).toBe(checking);
    await test.pass(4);
    expect(test.notice()).toContain('The payment did not reach us.');
    await test.press();
    expect(test.news()).toBe('Payment complete');
  });

  it('one that was declined says so; the decline before it does not count', async () => {
    test.service.process = [refusal('card_declined', { declineCode: 'expired_card' }), 'break off'];
    test.service.standings = [{ status: 'open', attempt: attempt('DECLINED', 'expired_card') }];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('The card has expired.');
    expect(readsOfStatus()).toBe(1);
    await test.press();
    const before = readsOfStatus();
    await test.pass(3);
    expect(readsOfStatus()).toBeGreaterThan(before);
    expect(test.news()).toBe(checking);
    test.service.standings = [{ status: 'open', attempt: attempt('DECLINED', 'lost_card', 'a2') }];
    await test.pass(2);
    expect(test.notice()).toContain('The bank does not accept this card.');
  });

  it.each([
    ['that the provider could not take', null, 'cannot be reached. Nothing was charged'],
    [
      'whose card token was no good any more',
      'card_token_used',
      'Please enter your card again. Nothing was charged.',
    ],
  ])('one %s says so within two seconds', async (_, declineCode, text) => {
    test.service.process = ['break off'];
    await test.visit();
    await test.fillAndPay();
    expect(test.news()).toBe(checking);
    test.service.standings = [{ status: 'open', attempt: attempt('ERROR', declineCode, 'a2') }];
    await test.pass(2);
    expect(test.notice()).toContain(text);
    expect(test.button().label).toBe('Pay €49.70');
  });

  it('one that was declined says so, also where the read after the one before it is late', async () => {
    const told = Promise.withResolvers<void>();
    const lost = Promise.withResolvers<Answer>();
    let reads = 0;
    test.service.beforeStatus = async () => {
      reads += 1;
      if (reads === 1) await told.promise;
    };
    test.service.process = [
      refusal('card_declined', { declineCode: 'expired_card' }),
      () => {
        test.service.standings = [
          { status: 'open', attempt: attempt('DECLINED', 'lost_card', 'a2') },
        ];
        told.resolve();
        return lost.promise;
      },
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('The card has expired.');
    expect(reads).toBe(1);
    // The late read is answered before the payment's answer is lost.
    await test.press();
    lost.resolve('break off');
    await test.pass(8);
    expect(test.notice()).toContain('The bank does not accept this card.');
  });

  it('is not settled by the decline before it, also where the read after that one is late', async () => {
    const told = Promise.withResolvers<void>();
    let reads = 0;
    test.service.beforeStatus = async () => {
      reads += 1;
      if (reads === 1) await told.promise;
    };
    test.service.process = [
      () => {
        test.service.standings = [{ status: 'open', attempt: attempt('DECLINED', 'expired_card') }];
        return refusal('card_declined', { declineCode: 'expired_card' });
      },
      'break off',
    ];
    await test.visit();
    await test.fillAndPay();
    expect(test.notice()).toContain('The card has expired.');
    expect(reads).toBe(1);
    await test.press();
    expect(test.processCalls()).toHaveLength(2);
    told.resolve();
    await test.pass(3);
    expect(reads).toBeGreaterThan(2);
    // The payment may still be in progress.
    expect(test.news()).toBe(checking);
    test.service.standings = [{ status: 'completed' }];
    await test.pass(2);
    expect(test.news()).toBe('Payment complete');
  });

  it('says when the connection is down, and goes on by itself', async () => {
    test.service.process = ['break off'];
    await test.visit();
    test.service.beforeStatus = () => Promise.reject(new TypeError('Failed to fetch'));
    await test.fillAndPay();
    expect(test.outcome()).toContain('The connection is down.');
    test.service.standings = [{ status: 'completed' }];
    test.service.beforeStatus = async () => {};
    await test.pass(4);
    expect(test.news()).toBe('Payment complete');
  });

  it('says after half a minute that the page need not stay open', async () => {
    test.service.process = [processing];
    test.service.standings = [{ status: 'processing' }];
    await test.visit();
    await test.fillAndPay();
    await test.pass(29);
    expect(test.outcome()).not.toContain('You may close this page');
    await test.pass(3);
    expect(test.outcome()).toContain('You may close this page');
  });

  it('a change between two reads is not slept through', async () => {
    const changed = Promise.withResolvers<void>();
    let waits = 0;
    test.service.beforeStatus = async (url) => {
      if (!url.includes('wait=')) return;
      waits += 1;
      await changed.promise;
    };
    test.service.process = [processing];
    test.service.standings = [{ status: 'processing' }];
    await test.visit();
    // The clock stands still: a pause between the first read and the wait would miss a change in it.
    await test.fillAndPay();
    expect(waits).toBe(1);
    test.service.standings = [{ status: 'completed' }];
    changed.resolve();
    await test.settle();
    expect(test.news()).toBe('Payment complete');
  });

  it('202 processing waits for the outcome', async () => {
    test.service.process = [processing];
    test.service.standings = [
      { status: 'open' },
      { status: 'processing' },
      { status: 'authorized' },
    ];
    await test.visit();
    await test.fillAndPay();
    await test.pass(4);
    expect(test.news()).toBe('Payment authorised');
    expect(test.service.calls(/status\?wait=25/).length).toBeGreaterThan(0);
  });
});
