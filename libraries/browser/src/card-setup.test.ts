// CardSetup in a merchant's page under a strict policy, in a real browser, against a stub of the wire.

import { describe, expect, it } from 'vitest';
import {
  attempt,
  cardSetupGround,
  methodId,
  processingAnswer,
  refusal,
  savedCardAnswer,
  verifiedState,
} from '../test-ground.ts';

const ground = cardSetupGround();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };

describe('CardSetup', () => {
  it('Spec 4.5 CardSetup: saves a card: the verified id by callback and by promise, and the form is emptied', async () => {
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    expect(await ground.heardOf('success')).toEqual([['success', success]]);
    expect(ground.handedOver()).toEqual([{ token: 'svct_1' }]);
    await expect.poll(() => ground.number().inputValue()).toBe('');
  });

  it('a submit after the success answers it again and hands nothing over', async () => {
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    await ground.result();
    await ground.submit();
    expect(await ground.result()).toEqual(success);
    expect(ground.handedOver()).toHaveLength(1);
    expect(await ground.heardOf('success')).toHaveLength(1);
  });

  it('Spec 4.5 verified id: a success without an id is none: the status is followed until the id is there', async () => {
    ground.setups = [{ status: 200, body: { type: 'success', paymentMethodId: null } }];
    ground.standings = [{ status: 'open' }, { status: 'completed' }, verifiedState];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
  });

  it('processing is followed until the provider has spoken', async () => {
    ground.setups = [processingAnswer];
    ground.standings = [{ status: 'open' }, { status: 'processing' }, { status: 'processing' }];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    await expect.poll(() => ground.calls(/wait=10/).length).toBeGreaterThan(0);
    expect(await ground.heardOf('success')).toEqual([]);
    ground.standings = [verifiedState];
    expect(await ground.result()).toEqual(success);
  });

  it('Spec 4.5 decline callback: code, words for the buyer, and another card is saved by the same form', async () => {
    const told = { declineCode: 'insufficient_funds', advice: 'try_again_later' };
    ground.setups = [refusal('card_declined', told), savedCardAnswer];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    const decline = {
      type: 'decline',
      code: 'insufficient_funds',
      message: 'Your bank has refused this card. It was not saved.',
      retryable: true,
      advice: 'try_again_later',
      challenge: null,
    };
    expect(await ground.result()).toEqual(decline);
    expect(await ground.heardOf('decline')).toEqual([['decline', decline]]);
    expect(await ground.number().inputValue()).toBe('4242424242424242');
    await ground.submit();
    expect(await ground.result()).toEqual(success);
    expect(ground.handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_2' }]);
  });

  it('do_not_try_again: the same card is not retryable, and the words are the form’s language', async () => {
    const told = { declineCode: 'stolen_card', advice: 'do_not_try_again' };
    ground.setups = [refusal('card_declined', told)];
    await ground.visit();
    await ground.ready({ locale: 'de-AT' });
    await expect
      .poll(() => ground.page.locator('#card iframe').getAttribute('title'))
      .toBe('Kartennummer, Ablaufdatum und Prüfnummer');
    await ground.fillAndSubmit();
    expect(await ground.result()).toMatchObject({
      code: 'stolen_card',
      retryable: false,
      message: 'Ihre Bank hat diese Karte abgelehnt. Sie wurde nicht gespeichert.',
    });
  });

  it('a declined card that was processing first is told by the status', async () => {
    ground.setups = [processingAnswer];
    const old = attempt('DECLINED', 'expired_card', 'a0');
    ground.standings = [
      { status: 'open', attempt: old },
      { status: 'open', attempt: old },
      { status: 'processing', attempt: attempt('PROCESSING') },
      { status: 'open', attempt: attempt('DECLINED', 'incorrect_cvc') },
    ];
    await ground.visit();
    ground.standings.shift();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toMatchObject({ type: 'decline', code: 'incorrect_cvc' });
  });

  it('an incomplete form is an error by its field’s code, and the field has the focus', async () => {
    await ground.visit();
    await ground.ready();
    await ground.submit();
    const error = { code: 'number_incomplete', type: 'validation_error', retryable: false };
    expect(await ground.result()).toEqual({ type: 'error', error, challenge: null });
    expect(await ground.heardOf('error')).toEqual([['error', error]]);
    expect(await ground.number().evaluate((field) => field === document.activeElement)).toBe(true);
    expect(ground.handedOver()).toEqual([]);
  });

  it('an expired mount token is renewed without a word', async () => {
    ground.form = 'expired';
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    expect(ground.calls(/sessions\/[^/]+$/)).toHaveLength(2);
  });

  it('two submits at once are one', async () => {
    await ground.visit();
    await ground.ready();
    await ground.number().fill('4242424242424242');
    const both = await ground.page.evaluate(
      'Promise.all([setup.submit(), setup.submit()]).then(([a, b]) => a === b)',
    );
    expect(both).toBe(true);
    expect(ground.handedOver()).toHaveLength(1);
  });

  it('change, focus, blur and escape of the form are passed on', async () => {
    await ground.visit();
    await ground.ready();
    await ground.page.evaluate('setup.focus("cvc")');
    // Firefox takes the focus from a window and returns it while it opens others, and each change
    // is an event.
    const readFocusedFields = async () =>
      new Set((await ground.heardOf('focus')).map(([, field]) => field));
    await expect.poll(readFocusedFields).toEqual(new Set(['cvc']));
    await ground.page.keyboard.press('Escape');
    await ground.number().fill('4');
    await expect.poll(() => ground.heardOf('escape')).toEqual([['escape']]);
    await expect.poll(() => ground.heardOf('blur')).toContainEqual(['blur', 'cvc']);
    await expect.poll(async () => (await ground.heardOf('change')).length).toBe(1);
    await ground.page.evaluate('setup.clear()');
    await expect.poll(() => ground.number().inputValue()).toBe('');
  });

  it('a callback that throws is reported, and the submit goes on', async () => {
    await ground.visit();
    await ground.page.evaluate(
      'callbacks.onReady = () => { heard.push(["ready"]); throw new Error("shop"); }',
    );
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    expect(ground.violations).toEqual(['shop']);
    ground.violations = [];
  });

  it('Enter in the form submits, through the page’s own form where there is one', async () => {
    await ground.visit();
    await ground.page.evaluate(`(() => {
      const form = document.createElement('form');
      form.addEventListener('submit', (event) => { event.preventDefault(); heard.push(['form']); });
      document.querySelector('#other').append(form);
      form.append(document.querySelector('#card'));
    })()`);
    await ground.ready();
    await ground.number().press('Enter');
    await expect.poll(() => ground.heardOf('form')).toHaveLength(1);
    expect(ground.handedOver()).toEqual([]);
  });

  it('stores nothing, sets no cookie, and asks nobody but the service and the form', async () => {
    const page = await ground.visit();
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await ground.ready();
    await ground.fillAndSubmit();
    await ground.result();
    expect([...origins].sort()).toEqual([ground.api, ground.forms, ground.shop].sort());
    expect(await ground.context.cookies()).toEqual([]);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0]);
  });
});

describe('an answer that does not come', () => {
  it.each([
    ['broken off', 'break off' as const],
    ['500', refusal('internal_error')],
    ['503', { ...(refusal('service_unavailable') as object), headers: { 'retry-after': '1' } }],
  ])('%s: the same body again, byte for byte, and one card', async (_, lost) => {
    ground.setups = [lost as 'break off', lost as 'break off', savedCardAnswer];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    const bodies = ground.calls(/card-setup$/).map(({ text }) => text);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });

  it('offline for a moment: sent when the connection is back', async () => {
    await ground.visit();
    await ground.ready();
    await ground.number().fill('4242424242424242');
    // The parts of the library that a submit needs are fetched while the buyer types.
    await ground.page.waitForLoadState('networkidle');
    await ground.context.setOffline(true);
    const failed = ground.page.waitForEvent('requestfailed', (request) =>
      /card-setup$/.test(request.url()),
    );
    await ground.submit();
    await failed;
    expect(ground.handedOver()).toEqual([]);
    await ground.context.setOffline(false);
    expect(await ground.result()).toEqual(success);
  });

  it('Spec 4.5 error callback: nothing arrived at all, an error to try again, and never a decline', async () => {
    ground.setups = ['break off'];
    await ground.visit();
    await ground.page.clock.install();
    await ground.ready();
    await ground.fillAndSubmit();
    await ground.page.evaluate('void result.then((end) => { globalThis.ended = end; })');
    const readEnd = () => ground.page.evaluate('globalThis.ended ?? null');
    const aSecondOn = () => ground.page.clock.fastForward(1_000).then(readEnd);
    await expect.poll(aSecondOn, { interval: 30 }).not.toBeNull();
    const error = { code: 'network_error', retryable: true };
    expect(await readEnd()).toMatchObject({ type: 'error', error });
    expect(await ground.heardOf('decline')).toEqual([]);
  });

  it('gateway_outcome_unknown is no end: the status tells the verified id', async () => {
    ground.setups = [refusal('gateway_outcome_unknown')];
    ground.standings = [{ status: 'open' }, { status: 'processing' }, verifiedState];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    expect(ground.handedOver()).toHaveLength(1);
  });

  it('the service refuses: an error by its code, the form stays', async () => {
    ground.setups = [refusal('gateway_unavailable'), savedCardAnswer];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    const error = { code: 'gateway_unavailable', retryable: true };
    expect(await ground.result()).toMatchObject({ type: 'error', error });
    await ground.submit();
    expect(await ground.result()).toEqual(success);
  });

  it('checkout_attempt_in_progress: another submit ends without a card, then this one’s turn', async () => {
    ground.setups = [refusal('checkout_attempt_in_progress'), savedCardAnswer];
    const declined = attempt('DECLINED', 'expired_card', 'other');
    ground.standings = [
      { status: 'open' },
      { status: 'processing' },
      { status: 'open', attempt: declined },
    ];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    expect(ground.handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_1' }]);
  });

  it('checkout_attempt_in_progress: a question is let go once it is known to be about another card', async () => {
    const inProgress = refusal('checkout_attempt_in_progress');
    ground.setups = [inProgress, inProgress, savedCardAnswer];
    const other = attempt('REQUIRES_ACTION', null, 'other');
    ground.standings = [{ status: 'open' }, { status: 'requires_action', attempt: other }];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    const order = ground.calls(/card-setup$|decline$/).map(({ url }) => url.split('/').at(-1));
    expect(order).toEqual(['card-setup', 'card-setup', 'decline', 'card-setup']);
    expect(ground.declines()).toEqual([{ reason: 'authentication_abandoned', attemptId: 'other' }]);
  });

  it('checkout_attempt_in_progress: another submit saves its card, and that is the success', async () => {
    ground.setups = [refusal('checkout_attempt_in_progress')];
    ground.standings = [{ status: 'open' }, { status: 'processing' }, verifiedState];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
    expect(ground.handedOver()).toHaveLength(1);
  });

  it('checkout_session_completed: the id that the session has is the success', async () => {
    ground.setups = [refusal('checkout_session_completed')];
    ground.standings = [{ status: 'open' }, verifiedState];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
  });

  it('checkout_session_expired is an error that no repeat helps', async () => {
    ground.setups = [refusal('checkout_session_expired')];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    const error = { code: 'checkout_session_expired', retryable: false };
    expect(await ground.result()).toMatchObject({ type: 'error', error });
  });
});
