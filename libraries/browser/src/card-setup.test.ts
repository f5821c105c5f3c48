// CardSetup in a merchant's page under a strict policy, in a real browser, against a stub of the wire.

import { describe, expect, it } from 'vitest';
import {
  attempt,
  cardSetupFixture,
  methodId,
  processingAnswer,
  refusal,
  savedCardAnswer,
  verifiedState,
} from '../test-fixture.ts';

const fixture = cardSetupFixture();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };

/** The one call is refused in this way, and then the status tells of the card that was saved. */
async function expectSavedByStatus(code: Parameters<typeof refusal>[0]): Promise<void> {
  fixture.setups = [refusal(code)];
  fixture.standings = [{ status: 'open' }, { status: 'processing' }, verifiedState];
  await fixture.visitAndSubmit();
  expect(await fixture.result()).toEqual(success);
  expect(fixture.handedOver()).toHaveLength(1);
}

describe('CardSetup', () => {
  it('Spec 4.5 CardSetup: saves a card: the verified id by callback and by promise, and the form is emptied', async () => {
    await fixture.visitAndSubmit();
    expect(await fixture.result()).toEqual(success);
    expect(await fixture.heardOf('success')).toEqual([['success', success]]);
    expect(fixture.handedOver()).toEqual([{ token: 'svct_1' }]);
    await expect.poll(() => fixture.number().inputValue()).toBe('');
  });

  it('a submit after the success answers it again and hands nothing over', async () => {
    await fixture.visitAndSubmit();
    await fixture.result();
    await fixture.submit();
    expect(await fixture.result()).toEqual(success);
    expect(fixture.handedOver()).toHaveLength(1);
    expect(await fixture.heardOf('success')).toHaveLength(1);
  });

  it('Spec 4.5 verified id: a success without an id is none: the status is followed until the id is there', async () => {
    fixture.setups = [{ status: 200, body: { type: 'success', paymentMethodId: null } }];
    fixture.standings = [{ status: 'open' }, { status: 'completed' }, verifiedState];
    await fixture.visitAndSubmit();
    expect(await fixture.result()).toEqual(success);
  });

  it('processing is followed until the provider has spoken', async () => {
    fixture.setups = [processingAnswer];
    fixture.standings = [{ status: 'open' }, { status: 'processing' }, { status: 'processing' }];
    await fixture.visitAndSubmit();
    await expect.poll(() => fixture.calls(/wait=10/).length).toBeGreaterThan(0);
    expect(await fixture.heardOf('success')).toEqual([]);
    fixture.standings = [verifiedState];
    expect(await fixture.result()).toEqual(success);
  });

  it('Spec 4.5 decline callback: code, words for the buyer, and another card is saved by the same form', async () => {
    const told = { declineCode: 'insufficient_funds', advice: 'try_again_later' };
    fixture.setups = [refusal('card_declined', told), savedCardAnswer];
    await fixture.visitAndSubmit();
    const decline = {
      type: 'decline',
      code: 'insufficient_funds',
      message: 'Your bank has refused this card. It was not saved.',
      retryable: true,
      advice: 'try_again_later',
      challenge: null,
    };
    expect(await fixture.result()).toEqual(decline);
    expect(await fixture.heardOf('decline')).toEqual([['decline', decline]]);
    expect(await fixture.number().inputValue()).toBe('4242424242424242');
    await fixture.submit();
    expect(await fixture.result()).toEqual(success);
    expect(fixture.handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_2' }]);
  });

  it('do_not_try_again: the same card is not retryable, and the words are the form’s language', async () => {
    const told = { declineCode: 'stolen_card', advice: 'do_not_try_again' };
    fixture.setups = [refusal('card_declined', told)];
    await fixture.visit();
    await fixture.ready({ locale: 'de-AT' });
    await expect
      .poll(() => fixture.page.locator('#card iframe').getAttribute('title'))
      .toBe('Kartennummer, Ablaufdatum und Prüfnummer');
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toMatchObject({
      code: 'stolen_card',
      retryable: false,
      message: 'Ihre Bank hat diese Karte abgelehnt. Sie wurde nicht gespeichert.',
    });
  });

  it('a declined card that was processing first is told by the status', async () => {
    fixture.setups = [processingAnswer];
    const old = attempt('DECLINED', 'expired_card', 'a0');
    fixture.standings = [
      { status: 'open', attempt: old },
      { status: 'open', attempt: old },
      { status: 'processing', attempt: attempt('PROCESSING') },
      { status: 'open', attempt: attempt('DECLINED', 'incorrect_cvc') },
    ];
    await fixture.visit();
    fixture.standings.shift();
    await fixture.ready();
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toMatchObject({ type: 'decline', code: 'incorrect_cvc' });
  });

  it('an incomplete form is an error by its field’s code, and the field has the focus', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.submit();
    const error = { code: 'number_incomplete', type: 'validation_error', retryable: false };
    expect(await fixture.result()).toEqual({ type: 'error', error, challenge: null });
    expect(await fixture.heardOf('error')).toEqual([['error', error]]);
    expect(await fixture.number().evaluate((field) => field === document.activeElement)).toBe(true);
    expect(fixture.handedOver()).toEqual([]);
  });

  it('an expired mount token is renewed without a word', async () => {
    fixture.form = 'expired';
    await fixture.visitAndSubmit();
    expect(await fixture.result()).toEqual(success);
    expect(fixture.calls(/sessions\/[^/]+$/)).toHaveLength(2);
  });

  it('two submits at once are one', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.number().fill('4242424242424242');
    const both = await fixture.page.evaluate(
      'Promise.all([setup.submit(), setup.submit()]).then(([a, b]) => a === b)',
    );
    expect(both).toBe(true);
    expect(fixture.handedOver()).toHaveLength(1);
  });

  it('change, focus, blur and escape of the form are passed on', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.page.evaluate('setup.focus("cvc")');
    // Firefox takes the focus from a window and returns it while it opens others, and each change
    // is an event.
    const readFocusedFields = async () =>
      new Set((await fixture.heardOf('focus')).map(([, field]) => field));
    await expect.poll(readFocusedFields).toEqual(new Set(['cvc']));
    await fixture.page.keyboard.press('Escape');
    await fixture.number().fill('4');
    await expect.poll(() => fixture.heardOf('escape')).toEqual([['escape']]);
    await expect.poll(() => fixture.heardOf('blur')).toContainEqual(['blur', 'cvc']);
    await expect.poll(async () => (await fixture.heardOf('change')).length).toBe(1);
    await fixture.page.evaluate('setup.clear()');
    await expect.poll(() => fixture.number().inputValue()).toBe('');
  });

  it('a callback that throws is reported, and the submit goes on', async () => {
    await fixture.visit();
    await fixture.page.evaluate(
      'callbacks.onReady = () => { heard.push(["ready"]); throw new Error("shop"); }',
    );
    await fixture.ready();
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toEqual(success);
    expect(fixture.violations).toEqual(['shop']);
    fixture.violations = [];
  });

  it('Enter in the form submits, through the page’s own form where there is one', async () => {
    await fixture.visit();
    await fixture.page.evaluate(`(() => {
      const form = document.createElement('form');
      form.addEventListener('submit', (event) => { event.preventDefault(); heard.push(['form']); });
      document.querySelector('#other').append(form);
      form.append(document.querySelector('#card'));
    })()`);
    await fixture.ready();
    await fixture.number().press('Enter');
    await expect.poll(() => fixture.heardOf('form')).toHaveLength(1);
    expect(fixture.handedOver()).toEqual([]);
  });

  it('stores nothing, sets no cookie, and asks nobody but the service and the form', async () => {
    const page = await fixture.visit();
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await fixture.ready();
    await fixture.fillAndSubmit();
    await fixture.result();
    expect([...origins].sort()).toEqual([fixture.api, fixture.forms, fixture.shop].sort());
    expect(await fixture.context.cookies()).toEqual([]);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0]);
  });
});

describe('an answer that does not come', () => {
  it.each([
    ['broken off', 'break off' as const],
    ['500', refusal('internal_error')],
    ['503', { ...(refusal('service_unavailable') as object), headers: { 'retry-after': '1' } }],
  ])('%s: the same body again, byte for byte, and one card', async (_, lost) => {
    fixture.setups = [lost as 'break off', lost as 'break off', savedCardAnswer];
    await fixture.visitAndSubmit();
    expect(await fixture.result()).toEqual(success);
    const bodies = fixture.calls(/card-setup$/).map(({ text }) => text);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
  });

  it('offline for a moment: sent when the connection is back', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.number().fill('4242424242424242');
    // The parts of the library that a submit needs are fetched while the buyer types.
    await fixture.page.waitForLoadState('networkidle');
    await fixture.context.setOffline(true);
    const failed = fixture.page.waitForEvent('requestfailed', (request) =>
      /card-setup$/.test(request.url()),
    );
    await fixture.submit();
    await failed;
    expect(fixture.handedOver()).toEqual([]);
    await fixture.context.setOffline(false);
    expect(await fixture.result()).toEqual(success);
  });

  it('Spec 4.5 error callback: nothing arrived at all, an error to try again, and never a decline', async () => {
    fixture.setups = ['break off'];
    await fixture.visit();
    await fixture.page.clock.install();
    await fixture.ready();
    await fixture.fillAndSubmit();
    const error = { code: 'network_error', retryable: true };
    expect(await fixture.resultInTime()).toMatchObject({ type: 'error', error });
    expect(await fixture.heardOf('decline')).toEqual([]);
  });

  it('gateway_outcome_unknown is no end: the status tells the verified id', async () => {
    await expectSavedByStatus('gateway_outcome_unknown');
  });

  it('the service refuses: an error by its code, the form stays', async () => {
    fixture.setups = [refusal('gateway_unavailable'), savedCardAnswer];
    await fixture.visitAndSubmit();
    const error = { code: 'gateway_unavailable', retryable: true };
    expect(await fixture.result()).toMatchObject({ type: 'error', error });
    await fixture.submit();
    expect(await fixture.result()).toEqual(success);
  });

  it('checkout_attempt_in_progress: another submit ends without a card, then this one’s turn', async () => {
    fixture.setups = [refusal('checkout_attempt_in_progress'), savedCardAnswer];
    const declined = attempt('DECLINED', 'expired_card', 'other');
    fixture.standings = [
      { status: 'open' },
      { status: 'processing' },
      { status: 'open', attempt: declined },
    ];
    await fixture.visitAndSubmit();
    expect(await fixture.result()).toEqual(success);
    expect(fixture.handedOver()).toEqual([{ token: 'svct_1' }, { token: 'svct_1' }]);
  });

  it('checkout_attempt_in_progress: a question is let go once it is known to be about another card', async () => {
    const inProgress = refusal('checkout_attempt_in_progress');
    fixture.setups = [inProgress, inProgress, savedCardAnswer];
    const other = attempt('REQUIRES_ACTION', null, 'other');
    fixture.standings = [{ status: 'open' }, { status: 'requires_action', attempt: other }];
    await fixture.visitAndSubmit();
    expect(await fixture.result()).toEqual(success);
    const order = fixture.calls(/card-setup$|decline$/).map(({ url }) => url.split('/').at(-1));
    expect(order).toEqual(['card-setup', 'card-setup', 'decline', 'card-setup']);
    expect(fixture.declines()).toEqual([
      { reason: 'authentication_abandoned', attemptId: 'other' },
    ]);
  });

  it('checkout_attempt_in_progress: another submit saves its card, and that is the success', async () => {
    await expectSavedByStatus('checkout_attempt_in_progress');
  });

  it('checkout_session_completed: the id that the session has is the success', async () => {
    fixture.setups = [refusal('checkout_session_completed')];
    fixture.standings = [{ status: 'open' }, verifiedState];
    await fixture.visitAndSubmit();
    expect(await fixture.result()).toEqual(success);
  });

  it('checkout_session_expired is an error that no repeat helps', async () => {
    fixture.setups = [refusal('checkout_session_expired')];
    await fixture.visitAndSubmit();
    const error = { code: 'checkout_session_expired', retryable: false };
    expect(await fixture.result()).toMatchObject({ type: 'error', error });
  });
});
