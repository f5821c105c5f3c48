// A payment with a bank's challenge in a merchant's page: its five ends kept apart, and money in
// doubt never called failed.

import { describe, expect, it } from 'vitest';
import {
  type Answer,
  attempt,
  cardSetupFixture,
  challengeState,
  nonce,
  refusal,
  type SessionState,
  sessionId,
} from '../test-fixture.ts';

const fixture = cardSetupFixture();
const accountData = {
  userId: '01990000-0000-7000-8000-0000000000aa',
  email: 'ada@example.com',
};
const paymentId = '01990000-0000-7000-8000-0000000000ff';
const tokenizedData = { provider: 'cardprovider', type: 'card', token: 'svct_1' };
const body = { sessionId, tokenizedData, accountData };
const paidBody = {
  type: 'success',
  status: 'succeeded',
  sessionId,
  paymentId,
  authorizationExpiresAt: null,
  redirectUrl: '/thanks',
};
const paid: Answer = { status: 200, body: paidBody };
const completed: SessionState = { status: 'completed', paymentId };
const succeeded = { type: 'succeeded', body: paidBody };
const processing: Answer = { status: 202, body: { ...paidBody, type: 'processing' } };

const button = (name: string) => fixture.page.getByRole('button', { name, exact: true });
const bankIsThere = () => fixture.question().getByRole('heading', { name: 'Your bank' }).waitFor();

/** Begins a payment; `result` returns its end. */
async function pay(options: object = {}, given: object = body): Promise<void> {
  const identity = { baseUrl: fixture.api, sessionId, nonce };
  const all = [identity, given, options].map((one) => JSON.stringify(one));
  // Not awaited: `result` reads the end.
  await fixture.page.evaluate(`void pay(${all.join()})`);
}

/**
 * Begins a payment with a challenge of the bank; `after` is the response to the same call after it.
 */
async function openChallenge(after: Answer = paid, options: object = {}): Promise<void> {
  fixture.setups = [fixture.challenge(), after];
  fixture.standings = [{ status: 'open' }, challengeState];
  await fixture.visit();
  await pay(options);
  await bankIsThere();
}

const approve = () => fixture.question().getByRole('link', { name: 'Approve' }).click();

describe('confirmPayment', () => {
  it('no question: the answer to the payment is the end, and no dialog opens', async () => {
    fixture.setups = [paid];
    await fixture.visit();
    await pay();
    expect(await fixture.result()).toEqual(succeeded);
    expect(fixture.payments()).toEqual([body]);
    expect(await fixture.dialog().count()).toBe(0);
  });

  it('succeeded: the bank’s frame comes back, and the same call says what it came to', async () => {
    await openChallenge();
    await approve();
    expect(await fixture.result()).toEqual(succeeded);
    expect(fixture.payments()).toEqual([body, { ...body, chv: 'returned' }]);
    expect(fixture.declines()).toEqual([]);
    expect(await fixture.dialog().count()).toBe(0);
  });

  it('authorized: a hold is a success that says so', async () => {
    const held = { ...paidBody, status: 'authorized' };
    await openChallenge({ status: 200, body: held });
    await approve();
    expect(await fixture.result()).toEqual({ type: 'succeeded', body: held });
  });

  it('succeeded elsewhere, as in the bank’s app: with the whole answer all the same', async () => {
    await openChallenge();
    fixture.standings = [completed];
    expect(await fixture.result()).toEqual(succeeded);
    expect(fixture.payments()).toEqual([body, body]);
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
    await approve();
    const told = { type, code: 'card_declined', declineCode: code, advice, message };
    expect(await fixture.result()).toEqual(told);
    expect(await fixture.dialog().count()).toBe(0);
  });

  it('declined, and the status tells it first: the card’s own answer is waited for', async () => {
    await openChallenge();
    fixture.setups = [
      async () => {
        const ended = attempt('DECLINED', 'lost_card', 'a2');
        fixture.standings = [{ status: 'open', attempt: ended }];
        await fixture.page.waitForResponse(
          async (answer) => /status/.test(answer.url()) && /lost_card/.test(await answer.text()),
        );
        await fixture.settled();
        return refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' });
      },
    ];
    await approve();
    expect(await fixture.result()).toMatchObject({ type: 'declined', advice: 'do_not_try_again' });
  });

  it.each([
    ['failed', 'DECLINED', 'authentication_failed'],
    ['declined', 'DECLINED', 'insufficient_funds'],
    ['cancelled', 'CANCELED', 'authentication_canceled'],
    ['timed_out', 'CANCELED', 'authentication_abandoned'],
  ])('%s: told by the status alone', async (type, result, code) => {
    await openChallenge();
    fixture.standings = [{ status: 'open', attempt: attempt(result, code, 'a2') }];
    expect(await fixture.result()).toMatchObject({ type });
    expect(await fixture.dialog().count()).toBe(0);
  });

  it('cancelled: Escape and Cancel ask first; then that attempt alone ends, at the provider too', async () => {
    await openChallenge();
    await expect.poll(() => fixture.calls(/wait=/).length).toBeGreaterThan(0);
    await button('Cancel').focus();
    for (let times = 0; times < 3; times++) await fixture.page.keyboard.press('Escape');
    await fixture.dialog().getByText('Then nothing is charged.').waitFor();
    expect(fixture.declines()).toEqual([]);
    await button('Stop').click();
    expect(await fixture.result()).toEqual({ type: 'cancelled' });
    expect(fixture.declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it('cancelled in another tab, which began anew: this one’s question ends, and that one’s is left alone', async () => {
    await openChallenge();
    await expect.poll(() => fixture.calls(/wait=/).length).toBeGreaterThan(0);
    fixture.standings = [{ ...challengeState, attempt: attempt('REQUIRES_ACTION', null, 'a2') }];
    expect(await fixture.result()).toEqual({ type: 'cancelled' });
    expect(await fixture.dialog().count()).toBe(0);
    expect(fixture.declines()).toEqual([]);
  });

  it('timed_out: nobody answers, and the question is not left open at the provider', async () => {
    await openChallenge(paid, { challengeTimeoutMs: 1_000 });
    expect(await fixture.result()).toEqual({ type: 'timed_out' });
    expect(fixture.declines()).toMatchObject([{ reason: 'authentication_abandoned' }]);
  });

  it('goes on from an answer that the page has already', async () => {
    fixture.setups = [paid];
    fixture.standings = [challengeState];
    await fixture.visit();
    const { body: answer } = fixture.challenge() as { body: object };
    await pay({ answer });
    await bankIsThere();
    expect(fixture.payments()).toEqual([]);
    await approve();
    expect(await fixture.result()).toEqual(succeeded);
    expect(fixture.payments()).toEqual([{ ...body, chv: 'returned' }]);
  });

  it('in the page’s language and looks', async () => {
    await openChallenge(paid, { locale: 'de', appearance: { theme: 'dark' } });
    await button('Abbrechen').click();
    await fixture.dialog().getByText('Dann wird nichts abgebucht.').waitFor();
    expect(await fixture.dialog().getAttribute('data-theme')).toBe('dark');
    fixture.standings = [completed];
    await fixture.result();
  });

  it('a wallet is refused before any request: it asks at a page of its own', async () => {
    await fixture.visit();
    await pay({}, { ...body, tokenizedData: { provider: 'wallet', type: 'wallet' } });
    expect(await fixture.result()).toMatchObject({ thrown: 'card_required' });
    expect(fixture.received).toEqual([]);
  });
});

describe('money in doubt', () => {
  it('the payment’s answer is lost: the same body again', async () => {
    fixture.setups = ['break off', paid];
    await fixture.visit();
    await pay();
    expect(await fixture.result()).toEqual(succeeded);
    expect(fixture.payments()).toEqual([body, body]);
  });

  it('lost, and the repeat is refused as too many: the status tells', async () => {
    fixture.setups = ['break off', refusal('rate_limited'), refusal('rate_limited')];
    fixture.standings = [{ status: 'open' }, { status: 'processing' }, completed];
    await fixture.visit();
    await pay();
    const { redirectUrl: _, ...known } = paidBody;
    expect(await fixture.result()).toEqual({ type: 'succeeded', body: known });
  });

  it('the answer of the repeat after the question is lost: asked again, and no second payment', async () => {
    await openChallenge();
    fixture.setups = ['break off', paid];
    await approve();
    expect(await fixture.result()).toEqual(succeeded);
    const again = { ...body, chv: 'returned' };
    expect(fixture.payments()).toEqual([body, again, again]);
  });

  it('the repeat says processing: the dialog waits, and the status tells', async () => {
    await openChallenge(processing);
    fixture.standings = [{ status: 'processing', attempt: attempt('PROCESSING') }];
    await fixture.dialog().getByText('Checking your card…').waitFor();
    fixture.setups = [paid];
    fixture.standings = [completed];
    expect(await fixture.result()).toEqual(succeeded);
  });

  it('paid while the buyer cancels: it stands', async () => {
    const decline = fixture.decline;
    await openChallenge();
    fixture.decline = () => {
      fixture.standings = [completed];
      return refusal('checkout_session_completed');
    };
    await button('Cancel').click();
    await button('Stop').click();
    expect(await fixture.result()).toEqual(succeeded);
    fixture.decline = decline;
  });

  it('still with the provider while the buyer cancels: its end is waited for', async () => {
    const decline = fixture.decline;
    await openChallenge();
    fixture.decline = () => {
      const data = { status: 'processing', latestTransactionAttempt: attempt('PROCESSING') };
      fixture.standings = [{ status: 'processing', attempt: attempt('PROCESSING') }, completed];
      return { status: 200, body: { data } };
    };
    await button('Cancel').click();
    await button('Stop').click();
    expect(await fixture.result()).toEqual(succeeded);
    fixture.decline = decline;
  });

  it('giving up cannot be told to the service: processing, never cancelled', async () => {
    const decline = fixture.decline;
    await openChallenge();
    fixture.decline = () => refusal('internal_error');
    await button('Cancel').click();
    await fixture.page.clock.install();
    await button('Stop').click();
    expect(await fixture.resultInTime()).toEqual({ type: 'processing' });
    fixture.decline = decline;
  });

  it('an ended session whose provider has not spoken is no end', async () => {
    fixture.setups = [processing, paid];
    const unspoken = { status: 'expired', attempt: attempt('UNKNOWN', null, 'a2') };
    fixture.standings = [{ status: 'open' }, unspoken, unspoken, completed];
    await fixture.visit();
    await pay();
    expect(await fixture.result()).toEqual(succeeded);
  });

  it('the page ends the call: the dialog goes, and the bank is not left waiting', async () => {
    await openChallenge();
    await expect.poll(() => fixture.calls(/wait=/).length).toBeGreaterThan(0);
    await fixture.page.evaluate('stop.abort()');
    expect(await fixture.result()).toMatchObject({ thrown: 'aborted' });
    expect(await fixture.dialog().count()).toBe(0);
    await expect.poll(() => fixture.declines()).toHaveLength(1);
  });

  it('ends it while the dialog is on its way: none opens, and the bank is not left waiting', async () => {
    const come = Promise.withResolvers<void>();
    fixture.setups = [fixture.challenge()];
    fixture.standings = [{ status: 'open' }, challengeState];
    await fixture.visit();
    await fixture.page.route('**/svc/challenge-dialog.js', async (route) => {
      await come.promise;
      await route.continue();
    });
    await pay();
    // True once the page has the whole response and waits for its dialog.
    const isAnswered = `performance.getEntriesByType('resource').some(({ name }) => /process$/.test(name))`;
    await expect.poll(() => fixture.page.evaluate(isAnswered)).toBe(true);
    await fixture.settled();
    await fixture.page.evaluate('stop.abort()');
    come.resolve();
    expect(await fixture.result()).toMatchObject({ thrown: 'aborted' });
    expect(await fixture.dialog().count()).toBe(0);
    await expect.poll(() => fixture.declines()).toHaveLength(1);
  });

  it('succeeded, and the answer that names the way on never comes: said all the same', async () => {
    fixture.setups = [processing, () => new Promise(() => {})];
    fixture.standings = [{ status: 'open' }, completed];
    await fixture.visit();
    await fixture.page.clock.install();
    await pay();
    const { redirectUrl: _, ...known } = paidBody;
    expect(await fixture.resultInTime()).toEqual({ type: 'succeeded', body: known });
  });

  it('origin_not_allowed: thrown at once, and the card is not sent again', async () => {
    fixture.setups = [refusal('origin_not_allowed')];
    await fixture.visit();
    await pay();
    expect(await fixture.result()).toEqual({ thrown: 'origin_not_allowed', retryable: false });
    expect(fixture.payments()).toHaveLength(1);
  });

  it('a refusal is thrown by its code: nothing was charged', async () => {
    fixture.setups = [refusal('checkout_session_expired')];
    await fixture.visit();
    await pay();
    expect(await fixture.result()).toMatchObject({ thrown: 'checkout_session_expired' });
  });
});
