import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { attempt, paymentId, refusal, sessionId, success } from '../test/stub-answers.ts';

const test = pageTest();

describe('a payment in doubt', () => {
  it.each([
    ['a connection that breaks', 'break off' as const],
    ['502 gateway_outcome_unknown', refusal('gateway_outcome_unknown')],
    ['an answer that is no JSON', { status: 200, body: undefined }],
  ])('%s is never shown as failed, and the outcome is found', async (_, answer) => {
    test.wire.process = [answer];
    test.wire.standings = [{ status: 'open' }, { status: 'processing' }, { status: 'completed' }];
    const page = await test.visit();
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('We are checking your payment');
    await page.getByText('Please do not pay again').waitFor();
    expect(await test.alert().count()).toBe(0);
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
    expect(test.processCalls()).toHaveLength(1);
  });

  it('one that never arrived is offered again, with what was typed', async () => {
    test.wire.process = ['break off', success('succeeded')];
    await test.visit({ hasClock: true });
    await test.fillAndPay();
    expect(await test.news().textContent()).toBe('We are checking your payment');
    await test.pass(3);
    expect(await test.alert().count()).toBe(0);
    await test.pass(6);
    await test.alert().getByText('The payment did not reach us.').waitFor();
    expect(await test.number().inputValue()).toBe('4242424242424242');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
  });

  it('one that was declined says so; the decline before it does not count', async () => {
    test.wire.process = [refusal('card_declined', { declineCode: 'expired_card' }), 'break off'];
    test.wire.standings = [{ status: 'open', attempt: attempt('DECLINED', 'expired_card', 'a1') }];
    await test.visit({ hasClock: true });
    await test.fillAndPay();
    await test.alert().getByText('The card has expired.').waitFor();
    await expect.poll(() => test.wire.calls(/status/).length).toBe(1);
    await test.payButton().click();
    await test.news().waitFor();
    const before = test.wire.calls(/status/).length;
    await test.pass(3);
    expect(test.wire.calls(/status/).length).toBeGreaterThan(before);
    expect(await test.news().textContent()).toBe('We are checking your payment');
    test.wire.standings = [{ status: 'open', attempt: attempt('DECLINED', 'lost_card', 'a2') }];
    await test.alert().getByText('The bank does not accept this card.').waitFor();
  });

  it('one that the provider could not take says so', async () => {
    test.wire.process = ['break off'];
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
    test.wire.standings = [{ status: 'open', attempt: attempt('ERROR', null, 'a2') }];
    await test.payButton().getByText('€49.70').waitFor();
    await test
      .alert()
      .getByText('cannot be reached. Nothing was charged')
      .waitFor({ timeout: 3_000 });
  });

  it('one whose card token was no good any more asks for the card again', async () => {
    test.wire.process = ['break off'];
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
    test.wire.standings = [{ status: 'open', attempt: attempt('ERROR', 'card_token_used', 'a2') }];
    await test.payButton().getByText('€49.70').waitFor();
    await test
      .alert()
      .getByText('Please enter your card again. Nothing was charged.')
      .waitFor({ timeout: 3_000 });
  });

  it('one that was declined says so, also where the read after the one before it is late', async () => {
    const told = Promise.withResolvers<void>();
    const page = await test.visit();
    test.wire.process = [
      refusal('card_declined', { declineCode: 'expired_card' }),
      async () => {
        test.wire.standings = [{ status: 'open', attempt: attempt('DECLINED', 'lost_card', 'a2') }];
        const late = page.waitForResponse(/status$/);
        told.resolve();
        await late;
        return 'break off';
      },
    ];
    let reads = 0;
    test.wire.beforeStatus = async () => {
      reads += 1;
      if (reads === 1) await told.promise;
    };
    await test.fillAndPay();
    await test.alert().getByText('The card has expired.').waitFor();
    await expect.poll(() => reads).toBe(1);
    await test.payButton().click();
    await test.alert().getByText('The bank does not accept this card.').waitFor();
  });

  it('is not settled by the decline before it, also where the read after that one is late', async () => {
    const declined = { declineCode: 'expired_card' };
    test.wire.process = [
      () => {
        test.wire.standings = [{ status: 'open', attempt: attempt('DECLINED', 'expired_card') }];
        return refusal('card_declined', declined);
      },
      'break off',
    ];
    const told = Promise.withResolvers<void>();
    let reads = 0;
    test.wire.beforeStatus = async () => {
      reads += 1;
      if (reads === 1) await told.promise;
    };
    const page = await test.visit({ hasClock: true });
    await test.fillAndPay();
    await test.alert().getByText('The card has expired.').waitFor();
    await expect.poll(() => reads).toBe(1);
    await test.payButton().click();
    await expect.poll(() => test.processCalls().length).toBe(2);
    told.resolve();
    await expect.poll(() => reads).toBeGreaterThan(1);
    await test.pass(3);
    expect(reads).toBeGreaterThan(2);
    // The payment may still be in progress.
    expect(await test.alert().count()).toBe(0);
    expect(await test.news().textContent()).toBe('We are checking your payment');
    test.wire.standings = [{ status: 'completed' }];
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('says when the connection is down, and goes on by itself', async () => {
    test.wire.process = ['break off'];
    const page = await test.visit();
    await page.route('**/status*', (route) => route.abort());
    await test.fillAndPay();
    await page.getByText('The connection is down.').waitFor();
    test.wire.standings = [{ status: 'completed' }];
    await page.unroute('**/status*');
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('a change between two reads is not slept through', async () => {
    const changed = Promise.withResolvers<void>();
    let waits = 0;
    test.wire.beforeStatus = async (url) => {
      if (!url.includes('wait=')) return;
      waits += 1;
      await changed.promise;
    };
    const page = await test.visit({ hasClock: true });
    await test.number().fill('4242424242424242');
    test.wire.process = [{ status: 202, body: { type: 'processing', sessionId, paymentId } }];
    test.wire.standings = [{ status: 'processing' }];
    // Stops the page's clock: a pause between the first read and the wait would miss a change in
    // it.
    await page.clock.pauseAt(Date.now() + 60_000);
    await test.payButton().click();
    await expect.poll(() => waits).toBe(1);
    test.wire.standings = [{ status: 'completed' }];
    changed.resolve();
    await page.getByRole('heading', { name: 'Payment complete' }).waitFor();
  });

  it('202 processing waits for the outcome', async () => {
    test.wire.process = [{ status: 202, body: { type: 'processing', sessionId, paymentId } }];
    test.wire.standings = [{ status: 'open' }, { status: 'processing' }, { status: 'authorized' }];
    const page = await test.visit();
    await test.fillAndPay();
    await page.getByRole('heading', { name: 'Payment authorised' }).waitFor();
    expect(test.wire.calls(/status\?wait=25/).length).toBeGreaterThan(0);
  });
});
