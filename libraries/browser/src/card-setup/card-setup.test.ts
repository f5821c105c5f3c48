// One submit of CardSetup: what is sent, what the service says, and how it ends. Without a browser; the form and
// the dialog in a merchant's page: in-page.test.ts and challenge.test.ts.

import { describe, expect, it } from 'vitest';
import {
  attempt,
  challengeState,
  methodId,
  processingAnswer,
  refusal,
  type SessionState,
  type StubbedResponse,
  savedCardAnswer,
  verifiedState,
} from '../../test-service.ts';
import { submitTest } from '../../test-submit.ts';
import type { CardSetupOptions } from './card-setup-types.ts';

const test = submitTest();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };
const error = (code: string, more: object = {}) => ({ type: 'error', error: { code, ...more } });

const save = (options?: Partial<CardSetupOptions>) => test.now.save(options);
const result = () => test.now.result();
const handedOver = () => test.now.service.handedOver();
const declines = () => test.now.service.declines();
const setAnswers = (
  ...answers: (StubbedResponse | (() => StubbedResponse | Promise<StubbedResponse>))[]
) => {
  test.now.service.setups = answers;
};
const setStatus = (...standings: SessionState[]) => {
  test.now.service.standings = standings;
};

/** The one call is refused in this way, and then the status tells of the card that was saved. */
async function expectSavedByStatus(code: Parameters<typeof refusal>[0]): Promise<void> {
  setAnswers(refusal(code));
  setStatus({ status: 'open' }, { status: 'processing' }, verifiedState);
  await save();
  expect(await result()).toEqual(success);
  expect(handedOver()).toHaveLength(1);
}

describe('CardSetup', () => {
  it('Spec 4.5 CardSetup: saves a card and resolves with the verified id', async () => {
    await save();
    expect(test.now.end).toEqual(success);
    expect(handedOver()).toEqual([{ token: 'svct_1' }]);
  });

  it('Spec 4.5 verified id: a success without an id is none: the status is followed until the id is there', async () => {
    setAnswers({ status: 200, body: { type: 'success', paymentMethodId: null } });
    setStatus({ status: 'open' }, { status: 'completed' }, verifiedState);
    await save();
    expect(test.now.end).toBeUndefined();
    expect(await result()).toEqual(success);
  });

  it('processing is followed until the provider has spoken', async () => {
    setAnswers(processingAnswer);
    setStatus({ status: 'open' }, { status: 'processing' });
    await save();
    await test.now.pass(25);
    expect(test.now.service.calls(/wait=10/).length).toBeGreaterThan(0);
    expect(test.now.end).toBeUndefined();
    setStatus(verifiedState);
    expect(await result()).toEqual(success);
  });

  it('Spec 4.5 decline callback: code and words for the buyer, and another card is saved by the same form', async () => {
    const told = { declineCode: 'insufficient_funds', advice: 'try_again_later' };
    setAnswers(refusal('card_declined', told), savedCardAnswer);
    await save();
    expect(test.now.end).toEqual({
      type: 'decline',
      code: 'insufficient_funds',
      message: 'Your bank has refused this card. It was not saved.',
      retryable: true,
      advice: 'try_again_later',
      challenge: null,
    });
    await save();
    expect(test.now.end).toEqual(success);
    expect(handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_2' }]);
  });

  it('do_not_try_again: the same card is not retryable, and the words are the form’s language', async () => {
    const told = { declineCode: 'stolen_card', advice: 'do_not_try_again' };
    setAnswers(refusal('card_declined', told));
    await save({ locale: 'de-AT' });
    expect(test.now.end).toMatchObject({
      code: 'stolen_card',
      retryable: false,
      message: 'Ihre Bank hat diese Karte abgelehnt. Sie wurde nicht gespeichert.',
    });
  });

  it('a declined card that was processing first is told by the status', async () => {
    setAnswers(processingAnswer);
    const old = attempt('DECLINED', 'expired_card', 'a0');
    setStatus(
      { status: 'open', attempt: old },
      { status: 'open', attempt: old },
      { status: 'processing', attempt: attempt('PROCESSING') },
      { status: 'open', attempt: attempt('DECLINED', 'incorrect_cvc') },
    );
    test.now.service.standings.shift();
    await save();
    expect(await result()).toMatchObject({ type: 'decline', code: 'incorrect_cvc' });
  });

  it('an incomplete form is an error by its field’s code, and nothing is sent', async () => {
    test.now.frame.typed = '';
    await save();
    const code = { type: 'validation_error', retryable: false };
    expect(test.now.end).toMatchObject(error('number_incomplete', code));
    expect(handedOver()).toEqual([]);
  });

  it('an expired mount token is renewed without a word', async () => {
    test.now.frame.isExpired = true;
    await save();
    expect(test.now.end).toEqual(success);
    expect(test.now.service.calls(/sessions\/[^/]+$/)).toHaveLength(1);
  });
});

describe('an answer that does not come', () => {
  it.each<[string, StubbedResponse]>([
    ['broken off', 'break off'],
    ['500', refusal('internal_error')],
    [
      '503',
      {
        ...(refusal('service_unavailable') as Exclude<StubbedResponse, 'break off'>),
        headers: { 'retry-after': '1' },
      },
    ],
  ])('%s: the same body again, byte for byte, and one card', async (_, lost) => {
    setAnswers(lost, lost, savedCardAnswer);
    await save();
    expect(await result()).toEqual(success);
    const bodies = test.now.service.calls(/card-setup$/).map(({ text }) => text);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });

  it('Spec 4.5 error callback: nothing arrived at all, an error to try again, and never a decline', async () => {
    setAnswers('break off');
    await save();
    expect(await result()).toMatchObject(error('network_error', { retryable: true }));
  });

  it('gateway_outcome_unknown is no end: the status tells the verified id', async () => {
    await expectSavedByStatus('gateway_outcome_unknown');
  });

  it('the service refuses: an error by its code, the form stays', async () => {
    setAnswers(refusal('gateway_unavailable'), savedCardAnswer);
    await save();
    expect(test.now.end).toMatchObject(error('gateway_unavailable', { retryable: true }));
    await save();
    expect(test.now.end).toEqual(success);
  });

  it('checkout_attempt_in_progress: another submit ends without a card, then this one’s turn', async () => {
    setAnswers(refusal('checkout_attempt_in_progress'), savedCardAnswer);
    const declined = attempt('DECLINED', 'expired_card', 'other');
    setStatus({ status: 'open' }, { status: 'processing' }, { status: 'open', attempt: declined });
    await save();
    expect(await result()).toEqual(success);
    expect(handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_1' }]);
  });

  it('checkout_attempt_in_progress: a question is let go once it is known to be about another card', async () => {
    const inProgress = refusal('checkout_attempt_in_progress');
    setAnswers(inProgress, inProgress, savedCardAnswer);
    const other = attempt('REQUIRES_ACTION', null, 'other');
    setStatus({ status: 'open' }, { status: 'requires_action', attempt: other });
    await save();
    expect(await result()).toEqual(success);
    const calls = test.now.service.calls(/card-setup$|decline$/);
    const order = calls.map(({ url }) => url.split('/').at(-1));
    expect(order).toEqual(['card-setup', 'card-setup', 'decline', 'card-setup']);
    expect(declines()).toEqual([{ reason: 'authentication_abandoned', attemptId: 'other' }]);
  });

  it('checkout_attempt_in_progress: another submit saves its card, and that is the success', async () => {
    await expectSavedByStatus('checkout_attempt_in_progress');
  });

  it('checkout_session_completed: the id that the session has is the success', async () => {
    setAnswers(refusal('checkout_session_completed'));
    setStatus({ status: 'open' }, verifiedState);
    await save();
    expect(await result()).toEqual(success);
  });

  it('checkout_session_expired is an error that no repeat helps', async () => {
    setAnswers(refusal('checkout_session_expired'));
    await save();
    expect(test.now.end).toMatchObject(error('checkout_session_expired', { retryable: false }));
  });
});

describe('the bank’s question', () => {
  const verified = { ...success, challenge: 'succeeded' };

  async function openChallenge(options: Partial<CardSetupOptions> = {}): Promise<void> {
    const { service, dialog } = test.now;
    setAnswers(service.challenge(), savedCardAnswer);
    setStatus({ status: 'open' }, challengeState);
    await save(options);
    expect(dialog.isOpen).toBe(true);
  }

  it('succeeded: the frame comes back, and the same card with what the bank gave back', async () => {
    await openChallenge();
    expect(test.now.dialog.request).toMatchObject({ isPaying: false });
    test.now.dialog.approve();
    expect(await result()).toEqual(verified);
    expect(handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_1', chv: 'returned' }]);
    expect(test.now.dialog.isOpen).toBe(false);
  });

  it('succeeded elsewhere: told by the status', async () => {
    await openChallenge();
    setStatus(verifiedState);
    expect(await result()).toEqual(verified);
  });

  it.each([
    ['failed', 'authentication_failed', 'Your bank could not confirm that it is you.'],
    ['declined', 'insufficient_funds', 'Your bank has refused this card.'],
  ])('%s: told apart, with words of its own', async (challenge, code, words) => {
    await openChallenge();
    setStatus({ status: 'open', attempt: attempt('DECLINED', code, 'a2') });
    const message = expect.stringContaining(words);
    expect(await result()).toMatchObject({ type: 'decline', code, challenge, message });
  });

  it.each([
    ['cancelled', 'authentication_canceled'],
    ['timed_out', 'authentication_abandoned'],
  ])('%s at the bank: told by the status', async (reason, code) => {
    await openChallenge();
    setStatus({ status: 'open', attempt: attempt('CANCELED', code, 'a2') });
    expect(await result()).toEqual({ type: 'cancel', reason, challenge: reason });
  });

  it('declined after it: with the advice that only the card’s own answer gives', async () => {
    await openChallenge();
    setAnswers(refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' }));
    test.now.dialog.approve();
    const decline = { type: 'decline', code: 'lost_card', retryable: false, challenge: 'declined' };
    expect(await result()).toMatchObject(decline);
  });

  it('cancelled: that attempt alone ends', async () => {
    await openChallenge();
    await test.now.pass(11);
    test.now.dialog.cancel();
    const cancel = { type: 'cancel', reason: 'cancelled', challenge: 'cancelled' };
    expect(await result()).toEqual(cancel);
    expect(declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it('verified while the buyer cancels: the card stands', async () => {
    await openChallenge();
    test.now.service.decline = () => {
      setStatus(verifiedState);
      return refusal('checkout_session_completed');
    };
    test.now.dialog.cancel();
    expect(await result()).toEqual(verified);
  });

  it('the bank’s word comes after its frame: the next look tells', async () => {
    await openChallenge();
    const { service, dialog } = test.now;
    setAnswers(service.challenge(), processingAnswer);
    dialog.approve();
    await test.now.settle();
    expect(handedOver()).toHaveLength(2);
    expect(dialog.isChecking).toBe(false);
    dialog.approve();
    await test.now.settle();
    expect(dialog.isChecking).toBe(true);
    setStatus(verifiedState);
    expect(await result()).toEqual(verified);
  });

  it('nobody answers: given up after its time, as timed_out', async () => {
    await openChallenge({ challengeTimeoutMs: 1_000 });
    const cancel = { type: 'cancel', reason: 'timed_out', challenge: 'timed_out' };
    expect(await result()).toEqual(cancel);
    expect(declines()).toMatchObject([{ reason: 'authentication_abandoned' }]);
  });

  it.each([null, 'javascript:alert(1)'])('no web address (%s): ended, and said', async (url) => {
    setAnswers(test.now.service.challenge(url));
    await save();
    expect(await result()).toMatchObject({
      ...error('challenge_unsupported', { type: 'api_error', retryable: false }),
      challenge: null,
    });
    expect(test.now.dialog.request).toBeNull();
    expect(declines()).toEqual([{ reason: 'authentication_abandoned' }]);
  });

  it('its answer was lost: the same card asks again, and the bank is shown', async () => {
    const { service, dialog } = test.now;
    setAnswers(refusal('gateway_outcome_unknown'), service.challenge());
    setStatus({ status: 'open' }, challengeState);
    await save();
    await test.now.pass(3);
    expect(dialog.isOpen).toBe(true);
    setStatus(verifiedState);
    expect(await result()).toEqual(verified);
    expect(handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_1' }]);
  });

  it('the page takes the form away: the dialog goes, and the bank is not left waiting', async () => {
    await openChallenge();
    await test.now.pass(11);
    test.now.stop.abort();
    await test.now.settle();
    expect(test.now.dialog.isOpen).toBe(false);
    expect(declines()).toHaveLength(1);
  });
});
