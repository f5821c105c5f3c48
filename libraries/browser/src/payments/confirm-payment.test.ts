// A payment with a bank's challenge: its five ends kept apart, and money in doubt never called failed. Without a
// browser; the bank's dialog itself: challenge.test.ts.

import { describe, expect, it } from 'vitest';
import {
  attempt,
  challengeState,
  refusal,
  type SessionState,
  type StubbedResponse,
  sessionId,
} from '../../test-service.ts';
import { submitTest } from '../../test-submit.ts';
import type { ProcessAnswer, ProcessBody } from '../api/wire.ts';
import type { ConfirmOptions } from './confirm-payment-types.ts';

const test = submitTest();
const accountData = { userId: '01990000-0000-7000-8000-0000000000aa', email: 'ada@example.com' };
const paymentId = '01990000-0000-7000-8000-0000000000ff';
const tokenizedData = { provider: 'cardprovider', type: 'card', token: 'svct_1' } as const;
const body: ProcessBody = { sessionId, tokenizedData, accountData };
const paidBody = {
  type: 'success',
  status: 'succeeded',
  sessionId,
  paymentId,
  authorizationExpiresAt: null,
  redirectUrl: '/thanks',
};
const paid: StubbedResponse = { status: 200, body: paidBody };
const completed: SessionState = { status: 'completed', paymentId };
const succeeded = { type: 'succeeded', body: paidBody };
const processing: StubbedResponse = { status: 202, body: { ...paidBody, type: 'processing' } };
/** A success that the status alone tells has no way on. */
const { redirectUrl: _, ...known } = paidBody;

const pay = (options?: ConfirmOptions, given: ProcessBody = body) => test.now.pay(given, options);
const result = () => test.now.result();

/** Begins a payment with a challenge of the bank; `after` is the response to the same call after it. */
async function openChallenge(
  after: StubbedResponse = paid,
  options: ConfirmOptions = {},
): Promise<void> {
  const { service, dialog } = test.now;
  service.setups = [service.challenge(), after];
  service.standings = [{ status: 'open' }, challengeState];
  await pay(options);
  expect(dialog.isOpen).toBe(true);
}
const setAnswers = (
  ...answers: (StubbedResponse | (() => StubbedResponse | Promise<StubbedResponse>))[]
) => {
  test.now.service.setups = answers;
};
const setStatus = (...standings: SessionState[]) => {
  test.now.service.standings = standings;
};
const isOpen = () => test.now.dialog.isOpen;
const payments = () => test.now.service.payments();
const declines = () => test.now.service.declines();

describe('confirmPayment', () => {
  it('no question: the answer to the payment is the end, and no dialog opens', async () => {
    setAnswers(paid);
    await pay();
    expect(test.now.end).toEqual(succeeded);
    expect(payments()).toEqual([body]);
    expect(test.now.dialog.request).toBeNull();
  });

  it('succeeded: the bank’s frame comes back, and the same call says what it came to', async () => {
    await openChallenge();
    const { service, dialog } = test.now;
    const url = 'https://bank.example/question';
    expect(dialog.request).toMatchObject({ url, returnUrl: service.returnUrl, isPaying: true });
    dialog.approve();
    expect(await result()).toEqual(succeeded);
    expect(payments()).toEqual([body, { ...body, chv: 'returned' }]);
    expect(declines()).toEqual([]);
    expect(isOpen()).toBe(false);
  });

  it('authorized: a hold is a success that says so', async () => {
    const held = { ...paidBody, status: 'authorized' };
    await openChallenge({ status: 200, body: held });
    test.now.dialog.approve();
    expect(await result()).toEqual({ type: 'succeeded', body: held });
  });

  it('succeeded elsewhere, as in the bank’s app: with the whole answer all the same', async () => {
    await openChallenge();
    setStatus(completed);
    expect(await result()).toEqual(succeeded);
    expect(payments()).toEqual([body, body]);
  });

  it.each([
    ['declined', 'lost_card', 'Your bank has declined the payment. Nothing was charged.'],
    [
      'failed',
      'authentication_failed',
      'Your bank could not confirm that it is you. Nothing was charged.',
    ],
  ])('%s: with code, decline code, advice and words for the buyer', async (type, code, message) => {
    const advice = 'do_not_try_again';
    await openChallenge(refusal('card_declined', { declineCode: code, advice }));
    test.now.dialog.approve();
    const told = { type, code: 'card_declined', declineCode: code, advice, message };
    expect(await result()).toEqual(told);
    expect(isOpen()).toBe(false);
  });

  it('declined, and the status tells it first: the card’s own answer is waited for', async () => {
    await openChallenge();
    const held = Promise.withResolvers<StubbedResponse>();
    setAnswers(() => held.promise);
    test.now.dialog.approve();
    setStatus({ status: 'open', attempt: attempt('DECLINED', 'lost_card', 'a2') });
    // The status is read for ten seconds, and its news is held back for three.
    await test.now.pass(11);
    held.resolve(
      refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' }),
    );
    expect(await result()).toMatchObject({ type: 'declined', advice: 'do_not_try_again' });
  });

  it.each([
    ['failed', 'DECLINED', 'authentication_failed'],
    ['declined', 'DECLINED', 'insufficient_funds'],
    ['cancelled', 'CANCELED', 'authentication_canceled'],
    ['timed_out', 'CANCELED', 'authentication_abandoned'],
  ])('%s: told by the status alone', async (type, ended, code) => {
    await openChallenge();
    setStatus({ status: 'open', attempt: attempt(ended, code, 'a2') });
    expect(await result()).toMatchObject({ type });
    expect(isOpen()).toBe(false);
  });

  it('cancelled: that attempt alone ends, at the provider too', async () => {
    await openChallenge();
    await test.now.pass(11);
    test.now.dialog.cancel();
    expect(await result()).toEqual({ type: 'cancelled' });
    expect(declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it('cancelled in another tab, which began anew: this one’s question ends, and that one’s is left alone', async () => {
    await openChallenge();
    await test.now.pass(11);
    setStatus({ ...challengeState, attempt: attempt('REQUIRES_ACTION', null, 'a2') });
    expect(await result()).toEqual({ type: 'cancelled' });
    expect(isOpen()).toBe(false);
    expect(declines()).toEqual([]);
  });

  it('timed_out: nobody answers, and the question is not left open at the provider', async () => {
    await openChallenge(paid, { challengeTimeoutMs: 60_000 });
    await test.now.pass(59);
    expect(test.now.end).toBeUndefined();
    expect(await result()).toEqual({ type: 'timed_out' });
    expect(declines()).toMatchObject([{ reason: 'authentication_abandoned' }]);
  });

  it('goes on from an answer that the page has already', async () => {
    const { service, dialog } = test.now;
    setAnswers(paid);
    setStatus(challengeState);
    const { body: answer } = service.challenge() as { body: object };
    await pay({ answer: answer as ProcessAnswer });
    expect(isOpen()).toBe(true);
    expect(payments()).toEqual([]);
    dialog.approve();
    expect(await result()).toEqual(succeeded);
    expect(payments()).toEqual([{ ...body, chv: 'returned' }]);
  });

  it('in the page’s language and looks', async () => {
    await openChallenge(paid, { locale: 'de', appearance: { theme: 'dark' } });
    const { language, options } = test.now.dialog.request ?? {};
    expect(language?.texts?.paying.stopText).toBe('Dann wird nichts abgebucht.');
    expect(options).toMatchObject({ appearance: { theme: 'dark' } });
  });

  it('a wallet is refused before any request: it asks at a page of its own', async () => {
    const wallet = { provider: 'wallet', type: 'wallet' } as const;
    await pay({}, { ...body, tokenizedData: wallet });
    expect(test.now.end).toMatchObject({ thrown: 'card_required' });
    expect(test.now.service.received).toEqual([]);
  });
});

describe('money in doubt', () => {
  it('the payment’s answer is lost: the same body again', async () => {
    setAnswers('break off', paid);
    await pay();
    expect(await result()).toEqual(succeeded);
    expect(payments()).toEqual([body, body]);
  });

  it('lost, and the repeat is refused as too many: the status tells', async () => {
    setAnswers('break off', refusal('rate_limited'), refusal('rate_limited'));
    setStatus({ status: 'open' }, { status: 'processing' }, completed);
    await pay();
    expect(await result()).toEqual({ type: 'succeeded', body: known });
  });

  it('the answer of the repeat after the question is lost: asked again, and no second payment', async () => {
    await openChallenge();
    setAnswers('break off', paid);
    test.now.dialog.approve();
    expect(await result()).toEqual(succeeded);
    const again = { ...body, chv: 'returned' };
    expect(payments()).toEqual([body, again, again]);
  });

  it('the repeat says processing: the dialog waits, and the status tells', async () => {
    await openChallenge(processing);
    setStatus({ status: 'processing', attempt: attempt('PROCESSING') });
    await test.now.pass(11);
    expect(test.now.dialog.isChecking).toBe(true);
    setAnswers(paid);
    setStatus(completed);
    expect(await result()).toEqual(succeeded);
  });

  it('paid while the buyer cancels: it stands', async () => {
    await openChallenge();
    test.now.service.decline = () => {
      setStatus(completed);
      return refusal('checkout_session_completed');
    };
    test.now.dialog.cancel();
    expect(await result()).toEqual(succeeded);
  });

  it('paid while the buyer cancels, as the answer to the cancellation says: it stands', async () => {
    await openChallenge();
    test.now.service.decline = () => {
      const data = { status: 'completed', paymentId, authorizationExpiresAt: null };
      return { status: 200, body: { data } };
    };
    setAnswers(paid);
    test.now.dialog.cancel();
    expect(await result()).toEqual(succeeded);
  });

  it('still with the provider while the buyer cancels: its end is waited for', async () => {
    await openChallenge();
    test.now.service.decline = () => {
      const data = { status: 'processing', latestTransactionAttempt: attempt('PROCESSING') };
      setStatus({ status: 'processing', attempt: attempt('PROCESSING') }, completed);
      return { status: 200, body: { data } };
    };
    test.now.dialog.cancel();
    expect(await result()).toEqual(succeeded);
  });

  it('giving up cannot be told to the service: processing, never cancelled', async () => {
    await openChallenge();
    test.now.service.decline = () => refusal('internal_error');
    test.now.dialog.cancel();
    expect(await result()).toEqual({ type: 'processing' });
  });

  it('an ended session whose provider has not spoken is no end', async () => {
    setAnswers(processing, paid);
    const unspoken = { status: 'expired', attempt: attempt('UNKNOWN', null, 'a2') };
    setStatus({ status: 'open' }, unspoken, unspoken, completed);
    await pay();
    expect(await result()).toEqual(succeeded);
  });

  it('the page ends the call: the dialog goes, and the bank is not left waiting', async () => {
    await openChallenge();
    await test.now.pass(11);
    test.now.stop.abort();
    expect(await result()).toMatchObject({ thrown: 'aborted' });
    expect(isOpen()).toBe(false);
    expect(declines()).toHaveLength(1);
  });

  it('ends it while the dialog is on its way: none opens, and the bank is not left waiting', async () => {
    const { service, dialog, stop } = test.now;
    const { load } = dialog;
    const come = Promise.withResolvers<void>();
    Object.assign(dialog, { load: () => come.promise.then(load) });
    setAnswers(service.challenge());
    setStatus({ status: 'open' }, challengeState);
    await pay();
    stop.abort();
    come.resolve();
    expect(await result()).toMatchObject({ thrown: 'aborted' });
    expect(dialog.request).toBeNull();
    expect(declines()).toHaveLength(1);
  });

  it('succeeded, and the answer that names the way on never comes: said all the same', async () => {
    setAnswers(processing, () => new Promise(() => {}));
    setStatus({ status: 'open' }, completed);
    await pay();
    await test.now.pass(15);
    expect(test.now.end).toEqual({ type: 'succeeded', body: known });
  });

  it('origin_not_allowed: thrown at once, and the card is not sent again', async () => {
    setAnswers(refusal('origin_not_allowed'));
    await pay();
    expect(test.now.end).toEqual({ thrown: 'origin_not_allowed', retryable: false });
    expect(payments()).toHaveLength(1);
  });

  it('a refusal is thrown by its code: nothing was charged', async () => {
    setAnswers(refusal('checkout_session_expired'));
    await pay();
    expect(test.now.end).toMatchObject({ thrown: 'checkout_session_expired' });
  });
});
