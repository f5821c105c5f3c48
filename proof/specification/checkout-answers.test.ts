// Every status, result and answer of a checkout that contract §3 lists, over HTTP. A title begins
// with the place that it shows.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openWalletShop, type WalletShop } from '../../service/test/wallet-shop.ts';
import { cards } from '../../service/test/world.ts';
import { type Open, openShop, refusal, type Shop } from './buyer.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const confirm = { path: '/v1/payment_intents/*/confirm' };
const takesItsTime = '4000000000008104';
const byHand = { captureMethod: 'manual' };
const result = (name: string, declineCode: string | null = null) => ({
  latestTransactionAttempt: { result: name, declineCode },
});

/** Opens a session whose buyer gets a challenge of the bank. */
async function challenged(more: object = {}) {
  const session = await shop.open({ ...more });
  const token = await shop.card(session, cards.needs3ds);
  const answer = await shop.payWith(session, { token });
  const repeatPayment = () => shop.payWith(session, { token }, { chv: 'what the challenge gave' });
  return { session, answer, again: repeatPayment };
}

describe('Contract §3, status', () => {
  it('Contract §3 status unclaimed: a shell', async () => {
    expect(await shop.stands(await shop.shell())).toMatchObject({ status: 'unclaimed' });
  });

  it('Contract §3 status open: after create, after a claim, and again after a decline', async () => {
    const [session, shell] = [await shop.open(), await shop.shell()];
    await shop.claim(shell);
    for (const one of [session, shell]) {
      expect(await shop.stands(one)).toMatchObject({ status: 'open' });
      await shop.pay(one, cards.declined);
      expect(await shop.stands(one)).toMatchObject({
        status: 'open',
        ...result('DECLINED', 'generic_decline'),
      });
    }
    expect(await shop.pay(session)).toMatchObject({ status: 200, body: { type: 'success' } });
  });

  it('Contract §3 status requires_action: the buyer is asked by the bank', async () => {
    const { session } = await challenged();
    expect(await shop.stands(session)).toMatchObject({ status: 'requires_action' });
  });

  it('Contract §3 status processing: the bank takes its time', async () => {
    const session = await shop.open();
    await shop.pay(session, takesItsTime);
    expect(await shop.stands(session)).toMatchObject({ status: 'processing' });
  });

  it('Contract §3 status authorized: a hold', async () => {
    const session = await shop.open(byHand);
    await shop.pay(session);
    expect(await shop.stands(session)).toMatchObject({ status: 'authorized' });
  });

  it('Contract §3 status completed: paid', async () => {
    const session = await shop.open();
    await shop.pay(session);
    expect(await shop.stands(session)).toMatchObject({ status: 'completed' });
  });

  it('Contract §3 status canceled: the buyer has left', async () => {
    const session = await shop.open();
    await shop.decline(session);
    expect(await shop.stands(session)).toMatchObject({ status: 'canceled' });
    expect(await shop.pay(session)).toMatchObject(refusal(409, 'checkout_session_expired'));
  });

  it('Contract §3 status expired: from its expiresAt on, swept or not', async () => {
    const session = await shop.open();
    await shop.advance(86_400);
    expect(await shop.stands(session)).toMatchObject({ status: 'expired' });
    await shop.sweep();
    expect(await shop.stands(session)).toMatchObject({ status: 'expired' });
  });
});

describe('Contract §3, result', () => {
  it('Contract §3 result PENDING: the provider has not answered yet', async () => {
    const session = await shop.open();
    const token = await shop.card(session);
    await shop.fault(confirm, 'slow', { delayMs: 250 });
    const paying = shop.payWith(session, { token });
    await expect
      .poll(() => shop.stands(session), { interval: 10 })
      .toMatchObject({
        status: 'processing',
        ...result('PENDING'),
      });
    expect(await paying).toMatchObject({ status: 200 });
    expect(await shop.stands(session)).toMatchObject(result('SUCCEEDED'));
  });

  it('Contract §3 result REQUIRES_ACTION: a challenge waits', async () => {
    const { session } = await challenged();
    expect(await shop.stands(session)).toMatchObject(result('REQUIRES_ACTION'));
  });

  it('Contract §3 result PROCESSING: the bank has it', async () => {
    const session = await shop.open();
    await shop.pay(session, takesItsTime);
    expect(await shop.stands(session)).toMatchObject(result('PROCESSING'));
    await shop.advance(3);
    await shop.recover();
    expect(await shop.stands(session)).toMatchObject(result('SUCCEEDED'));
  });

  it('Contract §3 result AUTHORIZED: held', async () => {
    const { session, answer, again } = await challenged(byHand);
    await shop.challenge(answer, 'approve');
    expect(await again()).toMatchObject({ status: 200, body: { status: 'authorized' } });
    expect(await shop.stands(session)).toMatchObject(result('AUTHORIZED'));
  });

  it('Contract §3 result SUCCEEDED: paid', async () => {
    const { session, answer, again } = await challenged();
    await shop.challenge(answer, 'approve');
    expect(await again()).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect(await shop.stands(session)).toMatchObject(result('SUCCEEDED'));
  });

  it('Contract §3 result DECLINED: by the bank, and where the authentication failed', async () => {
    const session = await shop.open();
    await shop.pay(session, cards.lost);
    expect(await shop.stands(session)).toMatchObject(result('DECLINED', 'lost_card'));
    const failed = await challenged();
    await shop.challenge(failed.answer, 'fail');
    expect(await failed.again()).toMatchObject(refusal(402, 'card_declined'));
    expect(await shop.stands(failed.session)).toMatchObject(
      result('DECLINED', 'authentication_failed'),
    );
  });

  it('Contract §3 result CANCELED: the buyer let go of the bank’s question', async () => {
    const { session, again } = await challenged();
    const { latestTransactionAttempt } = await shop.stands(session);
    const { id: attemptId } = latestTransactionAttempt as { id: string };
    await shop.decline(session, { reason: 'buyer_canceled', attemptId });
    expect(await again()).toMatchObject(refusal(402, 'card_declined'));
    expect(await shop.stands(session)).toMatchObject(result('CANCELED', 'authentication_canceled'));
  });

  it('Contract §3 result ERROR: neither card nor buyer, and the same card pays then', async () => {
    const session = await shop.open();
    await shop.fault(confirm, 'error_500');
    expect(await shop.pay(session)).toMatchObject(refusal(502, 'gateway_unavailable'));
    expect(await shop.stands(session)).toMatchObject({ status: 'open', ...result('ERROR') });
    expect(await shop.pay(session)).toMatchObject({ status: 200 });
  });

  it('Contract §3 result UNKNOWN: no word of the provider, never called failed, settled later', async () => {
    const session = await shop.open();
    await shop.fault(confirm, 'drop_request', { count: 2 });
    expect(await shop.pay(session)).toMatchObject({ status: 202, body: { status: 'unknown' } });
    expect(await shop.stands(session)).toMatchObject({
      status: 'processing',
      ...result('UNKNOWN'),
    });
    await shop.recover();
    expect(await shop.stands(session)).toMatchObject({
      status: 'completed',
      ...result('SUCCEEDED'),
    });
  });
});

describe('Contract §3, answers of process', () => {
  const ids = ({ sessionId }: Open) => ({ sessionId, paymentId: expect.any(String) });

  it('Contract §3 process success: 200, succeeded or authorized with the expiry of the hold', async () => {
    const successUrl = 'http://localhost:3000/thanks';
    const [paid, held] = [await shop.open({ successUrl }), await shop.open(byHand)];
    expect((await shop.pay(paid)).body).toEqual({
      ...ids(paid),
      type: 'success',
      status: 'succeeded',
      authorizationExpiresAt: null,
      redirectUrl: successUrl,
    });
    expect((await shop.pay(held)).body).toEqual({
      ...ids(held),
      type: 'success',
      status: 'authorized',
      authorizationExpiresAt: expect.stringMatching(/Z$/),
      redirectUrl: null,
    });
  });

  it('Contract §3 process processing: 202 while the outcome is not known', async () => {
    const session = await shop.open();
    expect(await shop.pay(session, takesItsTime)).toMatchObject({
      status: 202,
      body: { ...ids(session), type: 'processing', status: 'processing' },
    });
  });

  it('Contract §3 process 3ds_required: 200 with the challenge', async () => {
    const { session, answer } = await challenged();
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      ...ids(session),
      type: '3ds_required',
      challenge: {
        kind: 'redirect',
        url: expect.stringMatching(/^http/),
        clientSecret: expect.any(String),
        returnUrl: expect.stringContaining(`/c/${session.sessionId}`),
        expiresAt: expect.stringMatching(/Z$/),
      },
    });
  });

  it('Contract §3 advice try_again_later: no funds, and no reason given', async () => {
    for (const number of [cards.poor, cards.declined]) {
      expect(await shop.pay(await shop.open(), number)).toMatchObject(
        refusal(402, 'card_declined', { advice: 'try_again_later' }),
      );
    }
  });

  it('Contract §3 advice confirm_card_data: expired, or a wrong code', async () => {
    for (const number of ['4000000000000069', '4000000000000127']) {
      expect(await shop.pay(await shop.open(), number)).toMatchObject(
        refusal(402, 'card_declined', { advice: 'confirm_card_data' }),
      );
    }
  });

  it('Contract §3 advice do_not_try_again: lost or stolen, which the buyer is not told', async () => {
    for (const number of [cards.lost, '4000000000009979']) {
      const answer = await shop.pay(await shop.open(), number);
      expect(answer).toMatchObject(
        refusal(402, 'card_declined', {
          advice: 'do_not_try_again',
          message: 'The card was declined.',
        }),
      );
    }
  });
});

describe('Contract §3, reasons to decline', () => {
  it('Contract §3 reason buyer_canceled: ends attempt and checkout', async () => {
    const { session } = await challenged();
    expect(await shop.decline(session)).toMatchObject({
      status: 200,
      body: { data: { status: 'canceled', ...result('CANCELED', 'authentication_canceled') } },
    });
  });

  it('Contract §3 reason authentication_abandoned: ends the attempt, and the session is open', async () => {
    const { session } = await challenged();
    const answer = await shop.decline(session, { reason: 'authentication_abandoned' });
    expect(answer.body).toMatchObject({
      data: { status: 'open', ...result('CANCELED', 'authentication_abandoned') },
    });
    expect(await shop.pay(session)).toMatchObject({ status: 200 });
  });

  it('Contract §3 reason other: ends the checkout; with an attemptId that attempt alone', async () => {
    const { session } = await challenged();
    const { latestTransactionAttempt } = await shop.stands(session);
    const { id: attemptId } = latestTransactionAttempt as { id: string };
    const one = await shop.decline(session, { reason: 'other', attemptId });
    expect(one.body).toMatchObject({
      data: { status: 'open', ...result('CANCELED', 'authentication_canceled') },
    });
    const all = await shop.decline(session, { reason: 'other' });
    expect(all.body).toMatchObject({ data: { status: 'canceled' } });
    expect(await shop.decline(session, { reason: 'bored' })).toMatchObject(
      refusal(400, 'invalid_request', { param: 'reason' }),
    );
  });
});

describe('Contract §3, a wallet', () => {
  let other: Shop;
  let wallet: WalletShop;
  beforeAll(async () => {
    other = await openShop();
    wallet = await openWalletShop(other);
  });
  afterAll(() => other?.close());
  const payInOther = (session: Open) =>
    other.payWith(session, { provider: 'wallet', type: 'wallet' });

  it('Contract §3 process wallet_redirect_required: 200 with the address; success once approved', async () => {
    const session = await other.open();
    const answer = await payInOther(session);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        sessionId: session.sessionId,
        paymentId: expect.any(String),
        type: 'wallet_redirect_required',
        redirect: { url: expect.stringMatching(/^http/), expiresAt: expect.stringMatching(/Z$/) },
      },
    });
    await wallet.approve(await wallet.orderOf({ paymentId: String(answer.body.paymentId) }));
    expect(await payInOther(session)).toMatchObject({
      status: 200,
      body: { type: 'success', status: 'succeeded', paymentId: answer.body.paymentId },
    });
  });

  it('Contract §3 reason wallet_canceled: gives the order up, and the session is open', async () => {
    const session = await other.open();
    await payInOther(session);
    const answer = await other.decline(session, { reason: 'wallet_canceled' });
    expect(answer.body).toMatchObject({
      data: { status: 'open', ...result('CANCELED', 'authentication_canceled') },
    });
    expect(await other.pay(session)).toMatchObject({ status: 200, body: { type: 'success' } });
  });
});
