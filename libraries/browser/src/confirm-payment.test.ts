// A payment with a bank's challenge in a merchant's page: its five ends kept apart, and money in
// doubt never called failed.

import { describe, expect, it } from 'vitest';
import {
  type Answer,
  attempt,
  cardSetupGround,
  challengeState,
  nonce,
  refusal,
  type SessionState,
  sessionId,
} from '../test-ground.ts';

const ground = cardSetupGround();
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

const button = (name: string) => ground.page.getByRole('button', { name, exact: true });
const bankIsThere = () => ground.question().getByRole('heading', { name: 'Your bank' }).waitFor();

/** Begins a payment; `result` returns its end. */
async function pay(options: object = {}, given: object = body): Promise<void> {
  const identity = { baseUrl: ground.api, sessionId, nonce };
  const all = [identity, given, options].map((one) => JSON.stringify(one));
  // Not awaited: `result` reads the end.
  await ground.page.evaluate(`void pay(${all.join()})`);
}

/**
 * Begins a payment with a challenge of the bank; `after` is the response to the same call after it.
 */
async function openChallenge(after: Answer = paid, options: object = {}): Promise<void> {
  ground.setups = [ground.challenge(), after];
  ground.standings = [{ status: 'open' }, challengeState];
  await ground.visit();
  await pay(options);
  await bankIsThere();
}

const approve = () => ground.question().getByRole('link', { name: 'Approve' }).click();

describe('confirmPayment', () => {
  it('no question: the answer to the payment is the end, and no dialog opens', async () => {
    ground.setups = [paid];
    await ground.visit();
    await pay();
    expect(await ground.result()).toEqual(succeeded);
    expect(ground.payments()).toEqual([body]);
    expect(await ground.dialog().count()).toBe(0);
  });

  it('succeeded: the bank’s frame comes back, and the same call says what it came to', async () => {
    await openChallenge();
    await approve();
    expect(await ground.result()).toEqual(succeeded);
    expect(ground.payments()).toEqual([body, { ...body, chv: 'returned' }]);
    expect(ground.declines()).toEqual([]);
    expect(await ground.dialog().count()).toBe(0);
  });

  it('authorized: a hold is a success that says so', async () => {
    const held = { ...paidBody, status: 'authorized' };
    await openChallenge({ status: 200, body: held });
    await approve();
    expect(await ground.result()).toEqual({ type: 'succeeded', body: held });
  });

  it('succeeded elsewhere, as in the bank’s app: with the whole answer all the same', async () => {
    await openChallenge();
    ground.standings = [completed];
    expect(await ground.result()).toEqual(succeeded);
    expect(ground.payments()).toEqual([body, body]);
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
    expect(await ground.result()).toEqual(told);
    expect(await ground.dialog().count()).toBe(0);
  });

  it('declined, and the status tells it first: the card’s own answer is waited for', async () => {
    await openChallenge();
    ground.setups = [
      async () => {
        const ended = attempt('DECLINED', 'lost_card', 'a2');
        ground.standings = [{ status: 'open', attempt: ended }];
        await ground.page.waitForResponse(
          async (answer) => /status/.test(answer.url()) && /lost_card/.test(await answer.text()),
        );
        await ground.settled();
        return refusal('card_declined', { declineCode: 'lost_card', advice: 'do_not_try_again' });
      },
    ];
    await approve();
    expect(await ground.result()).toMatchObject({ type: 'declined', advice: 'do_not_try_again' });
  });

  it.each([
    ['failed', 'DECLINED', 'authentication_failed'],
    ['declined', 'DECLINED', 'insufficient_funds'],
    ['cancelled', 'CANCELED', 'authentication_canceled'],
    ['timed_out', 'CANCELED', 'authentication_abandoned'],
  ])('%s: told by the status alone', async (type, result, code) => {
    await openChallenge();
    ground.standings = [{ status: 'open', attempt: attempt(result, code, 'a2') }];
    expect(await ground.result()).toMatchObject({ type });
    expect(await ground.dialog().count()).toBe(0);
  });

  it('cancelled: Escape and Cancel ask first; then that attempt alone ends, at the provider too', async () => {
    await openChallenge();
    await expect.poll(() => ground.calls(/wait=/).length).toBeGreaterThan(0);
    await button('Cancel').focus();
    for (let times = 0; times < 3; times++) await ground.page.keyboard.press('Escape');
    await ground.dialog().getByText('Then nothing is charged.').waitFor();
    expect(ground.declines()).toEqual([]);
    await button('Stop').click();
    expect(await ground.result()).toEqual({ type: 'cancelled' });
    expect(ground.declines()).toEqual([{ reason: 'buyer_canceled', attemptId: 'a1' }]);
  });

  it('cancelled in another tab, which began anew: this one’s question ends, and that one’s is left alone', async () => {
    await openChallenge();
    await expect.poll(() => ground.calls(/wait=/).length).toBeGreaterThan(0);
    ground.standings = [{ ...challengeState, attempt: attempt('REQUIRES_ACTION', null, 'a2') }];
    expect(await ground.result()).toEqual({ type: 'cancelled' });
    expect(await ground.dialog().count()).toBe(0);
    expect(ground.declines()).toEqual([]);
  });

  it('timed_out: nobody answers, and the question is not left open at the provider', async () => {
    await openChallenge(paid, { challengeTimeoutMs: 1_000 });
    expect(await ground.result()).toEqual({ type: 'timed_out' });
    expect(ground.declines()).toMatchObject([{ reason: 'authentication_abandoned' }]);
  });

  it('goes on from an answer that the page has already', async () => {
    ground.setups = [paid];
    ground.standings = [challengeState];
    await ground.visit();
    const { body: answer } = ground.challenge() as { body: object };
    await pay({ answer });
    await bankIsThere();
    expect(ground.payments()).toEqual([]);
    await approve();
    expect(await ground.result()).toEqual(succeeded);
    expect(ground.payments()).toEqual([{ ...body, chv: 'returned' }]);
  });

  it('in the page’s language and looks', async () => {
    await openChallenge(paid, { locale: 'de', appearance: { theme: 'dark' } });
    await button('Abbrechen').click();
    await ground.dialog().getByText('Dann wird nichts abgebucht.').waitFor();
    expect(await ground.dialog().getAttribute('data-theme')).toBe('dark');
    ground.standings = [completed];
    await ground.result();
  });

  it('a wallet is refused before any request: it asks at a page of its own', async () => {
    await ground.visit();
    await pay({}, { ...body, tokenizedData: { provider: 'wallet', type: 'wallet' } });
    expect(await ground.result()).toMatchObject({ thrown: 'card_required' });
    expect(ground.received).toEqual([]);
  });
});

describe('money in doubt', () => {
  it('the payment’s answer is lost: the same body again', async () => {
    ground.setups = ['break off', paid];
    await ground.visit();
    await pay();
    expect(await ground.result()).toEqual(succeeded);
    expect(ground.payments()).toEqual([body, body]);
  });

  it('lost, and the repeat is refused as too many: the status tells', async () => {
    ground.setups = ['break off', refusal('rate_limited'), refusal('rate_limited')];
    ground.standings = [{ status: 'open' }, { status: 'processing' }, completed];
    await ground.visit();
    await pay();
    const { redirectUrl: _, ...known } = paidBody;
    expect(await ground.result()).toEqual({ type: 'succeeded', body: known });
  });

  it('the answer of the repeat after the question is lost: asked again, and no second payment', async () => {
    await openChallenge();
    ground.setups = ['break off', paid];
    await approve();
    expect(await ground.result()).toEqual(succeeded);
    const again = { ...body, chv: 'returned' };
    expect(ground.payments()).toEqual([body, again, again]);
  });

  it('the repeat says processing: the dialog waits, and the status tells', async () => {
    await openChallenge(processing);
    ground.standings = [{ status: 'processing', attempt: attempt('PROCESSING') }];
    await ground.dialog().getByText('Checking your card…').waitFor();
    ground.setups = [paid];
    ground.standings = [completed];
    expect(await ground.result()).toEqual(succeeded);
  });

  it('paid while the buyer cancels: it stands', async () => {
    const decline = ground.decline;
    await openChallenge();
    ground.decline = () => {
      ground.standings = [completed];
      return refusal('checkout_session_completed');
    };
    await button('Cancel').click();
    await button('Stop').click();
    expect(await ground.result()).toEqual(succeeded);
    ground.decline = decline;
  });

  it('still with the provider while the buyer cancels: its end is waited for', async () => {
    const decline = ground.decline;
    await openChallenge();
    ground.decline = () => {
      const data = { status: 'processing', latestTransactionAttempt: attempt('PROCESSING') };
      ground.standings = [{ status: 'processing', attempt: attempt('PROCESSING') }, completed];
      return { status: 200, body: { data } };
    };
    await button('Cancel').click();
    await button('Stop').click();
    expect(await ground.result()).toEqual(succeeded);
    ground.decline = decline;
  });

  it('giving up cannot be told to the service: processing, never cancelled', async () => {
    const decline = ground.decline;
    await openChallenge();
    ground.decline = () => refusal('internal_error');
    await button('Cancel').click();
    await button('Stop').click();
    expect(await ground.result()).toEqual({ type: 'processing' });
    ground.decline = decline;
  });

  it('an ended session whose provider has not spoken is no end', async () => {
    ground.setups = [processing, paid];
    const unspoken = { status: 'expired', attempt: attempt('UNKNOWN', null, 'a2') };
    ground.standings = [{ status: 'open' }, unspoken, unspoken, completed];
    await ground.visit();
    await pay();
    expect(await ground.result()).toEqual(succeeded);
  });

  it('the page ends the call: the dialog goes, and the bank is not left waiting', async () => {
    await openChallenge();
    await expect.poll(() => ground.calls(/wait=/).length).toBeGreaterThan(0);
    await ground.page.evaluate('stop.abort()');
    expect(await ground.result()).toMatchObject({ thrown: 'aborted' });
    expect(await ground.dialog().count()).toBe(0);
    await expect.poll(() => ground.declines()).toHaveLength(1);
  });

  it('ends it while the dialog is on its way: none opens, and the bank is not left waiting', async () => {
    const come = Promise.withResolvers<void>();
    ground.setups = [ground.challenge()];
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.visit();
    await ground.page.route('**/svc/challenge-dialog.js', async (route) => {
      await come.promise;
      await route.continue();
    });
    await pay();
    // True once the page has the whole response and waits for its dialog.
    const isAnswered = `performance.getEntriesByType('resource').some(({ name }) => /process$/.test(name))`;
    await expect.poll(() => ground.page.evaluate(isAnswered)).toBe(true);
    await ground.settled();
    await ground.page.evaluate('stop.abort()');
    come.resolve();
    expect(await ground.result()).toMatchObject({ thrown: 'aborted' });
    expect(await ground.dialog().count()).toBe(0);
    await expect.poll(() => ground.declines()).toHaveLength(1);
  });

  it('succeeded, and the answer that names the way on never comes: said all the same', async () => {
    ground.setups = [processing, () => new Promise(() => {})];
    ground.standings = [{ status: 'open' }, completed];
    await ground.visit();
    await pay();
    const { redirectUrl: _, ...known } = paidBody;
    expect(await ground.result()).toEqual({ type: 'succeeded', body: known });
  });

  it('origin_not_allowed: thrown at once, and the card is not sent again', async () => {
    ground.setups = [refusal('origin_not_allowed')];
    await ground.visit();
    await pay();
    expect(await ground.result()).toEqual({ thrown: 'origin_not_allowed', retryable: false });
    expect(ground.payments()).toHaveLength(1);
  });

  it('a refusal is thrown by its code: nothing was charged', async () => {
    ground.setups = [refusal('checkout_session_expired')];
    await ground.visit();
    await pay();
    expect(await ground.result()).toMatchObject({ thrown: 'checkout_session_expired' });
  });
});
