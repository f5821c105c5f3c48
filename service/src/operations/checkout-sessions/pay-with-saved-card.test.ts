// A saved card pays a session. Contract §3, Process; §5. docs/decisions/saved-cards.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aSavedCard,
  beginDetachment,
  chargeBy,
  claimDetachmentOf,
  countingWorld,
  methodsOf,
  payBy,
  remove,
  vouchedSession,
} from '../../../test/customers/saved-cards.ts';
import { callerOf, newId } from '../../../test/harness.ts';
import {
  answerChallenge,
  aShell,
  claim,
  decline,
  eventsOf,
  openIntent,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../test/payments/checkouts.ts';
import { aCardToken, cards, pay, startWorld, type World } from '../../../test/world.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { refuse } from '../../engine/implement.ts';
import { readClock } from '../../storage/database/clock.ts';
import { sql } from '../../storage/database/sql.ts';
import { hasLiveUse } from '../../storage/payment-methods/payment-method-uses.ts';
import { findMethod, insertMethod } from '../../storage/payment-methods/payment-methods.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const code = (name: string, more: object = {}) => expect.objectContaining({ code: name, ...more });
const paymentIdOf = (answer: unknown) => (answer as { body: { paymentId: string } }).body.paymentId;
const readMethod = ({ clientId, id }: PaymentMethod) => findMethod(world.database, clientId, id);

const readPaymentOf = async (paymentId: string) => {
  const caller = callerOf(world.token);
  const answer = await operations.getPayment({ paymentId }, caller, world.ports, refuse);
  return (answer as { body: { paymentMethod: { id: string | null } | null } }).body;
};
const listCaptures = async (paymentId: string) => {
  const payment = await findPayment(world.database, world.client.id, paymentId);
  const entries = await world.ledger(payment?.providerIntentId ?? '');
  return entries.filter(({ kind }) => kind === 'capture').length;
};

/** Creates a buyer with a saved card and a session. */
async function aBuyer(given: { number?: string; captureMethod?: 'automatic' | 'manual' } = {}) {
  const session = await vouchedSession(world, {
    captureMethod: given.captureMethod ?? 'automatic',
  });
  const { number = cards.approved } = given;
  const method = await aSavedCard(world, { userId: session.userId, number });
  return { session, method };
}

describe('processCheckoutSession with a saved card', () => {
  it('200 automatic: charged to the customer, named on the payment, most recently charged', async () => {
    const { session, method } = await aBuyer();
    const answer = await payBy(world, session, { paymentMethodId: method.id.toUpperCase() });
    expect(answer).toMatchObject({ status: 200, body: { type: 'success', status: 'succeeded' } });
    expect((await readPaymentOf(paymentIdOf(answer))).paymentMethod).toEqual({
      id: method.id,
      type: 'card',
      brand: 'visa',
      lastFour: '4242',
      expiryMonth: 12,
      expiryYear: 2034,
    });
    const charged = await readMethod(method);
    expect(charged?.lastChargedAt?.getTime()).toBeGreaterThan(method.verifiedAt?.getTime() ?? 0);
    expect(await eventsOf(world, paymentIdOf(answer))).toEqual(['item.purchased']);
    expect(await listCaptures(paymentIdOf(answer))).toBe(1);
  });

  it('200 manual: a hold, captured later like any other', async () => {
    const { session, method } = await aBuyer({ captureMethod: 'manual' });
    const answer = await payBy(world, session, { paymentMethodId: method.id });
    expect(answer).toMatchObject({ body: { type: 'success', status: 'authorized' } });
    expect((await readMethod(method))?.lastChargedAt).not.toBeNull();
    expect(await readPaymentOf(paymentIdOf(answer))).toMatchObject({
      paymentMethod: { id: method.id },
    });
  });

  it('Contract §3 either token or paymentMethodId · 400 invalid_request: both, or neither', async () => {
    const { session, method } = await aBuyer();
    const token = await aCardToken(world, session, cards.approved);
    const both = { token, paymentMethodId: method.id };
    for (const wrong of [both, {}]) {
      await expect(payBy(world, session, wrong)).rejects.toEqual(code('invalid_request'));
    }
    await expect(chargeBy(world, session, both)).rejects.toEqual(code('invalid_request'));
    await expect(chargeBy(world, session, {})).rejects.toEqual(code('invalid_request'));
    expect(await paymentsOf(world, session)).toEqual([]);
  });

  it('404 payment_method_not_found: a saved card is no wallet', async () => {
    const { session, method } = await aBuyer();
    const asWallet = { provider: 'wallet', type: 'wallet', paymentMethodId: method.id } as const;
    await expect(payBy(world, session, asWallet)).rejects.toEqual(code('payment_method_not_found'));
    expect(await paymentsOf(world, session)).toEqual([]);
  });

  it('403 buyer_not_verified: a session that no merchant vouched for, whatever card is named', async () => {
    const own = await aBuyer();
    const { userId } = own.session;
    const session = await vouchedSession(world, { userId, isVouched: false });
    for (const paymentMethodId of [own.method.id, newId()]) {
      const refusal = code('buyer_not_verified');
      await expect(payBy(world, session, { paymentMethodId })).rejects.toEqual(refusal);
      await expect(chargeBy(world, session, { paymentMethodId })).rejects.toEqual(refusal);
    }
    expect(await paymentsOf(world, session)).toEqual([]);
  });

  it('403 buyer_not_verified: a claimed shell, for the claim proves nothing', async () => {
    const shell = await aShell(world);
    await expect(chargeBy(world, shell, { paymentMethodId: newId() })).rejects.toEqual(
      code('checkout_session_claim_pending'),
    );
    await claim(world, shell);
    await expect(chargeBy(world, shell, { paymentMethodId: newId() })).rejects.toEqual(
      code('buyer_not_verified'),
    );
  });

  it('403 buyer_mismatch comes before the card is looked at', async () => {
    const { session, method } = await aBuyer();
    const stranger = { ...session, userId: newId() };
    await expect(payBy(world, stranger, { paymentMethodId: method.id })).rejects.toEqual(
      code('buyer_mismatch'),
    );
  });

  it('404 payment_method_not_found: identical for missing, of another buyer, gateway or client, pending, removed and being removed', async () => {
    const { session, method } = await aBuyer();
    const { userId } = session;
    const other = await aBuyer();
    const removed = await aSavedCard(world, { userId });
    await remove(world, removed);
    const going = await aSavedCard(world, { userId });
    await beginDetachment(world, going.id);
    const { id: pending } = await world.database.transaction(world.client.id, async (tx) =>
      insertMethod(tx, { ...method, id: newId(), createdAt: await readClock(tx) }),
    );
    const foreignGateway = await aForeignGateway();
    const elsewhere = await aSavedCard(world, { userId, gatewayId: foreignGateway });
    const foreign = await startWorld();
    const theirs = await aForeignCard(foreign, userId);
    const answers = await Promise.allSettled(
      [newId(), other.method.id, removed.id, going.id, pending, elsewhere.id, theirs].map(
        (paymentMethodId) => payBy(world, session, { paymentMethodId }),
      ),
    );
    await foreign.close();
    const reasons = answers.map((answer) => answer.status === 'rejected' && answer.reason);
    for (const reason of reasons) expect(reason).toEqual(code('payment_method_not_found'));
    expect(new Set(reasons.map((reason) => JSON.stringify(reason))).size).toBe(1);
    expect(await paymentsOf(world, session)).toEqual([]);
    // Nothing prevents the buyer's own payment.
    expect(await payBy(world, session, { paymentMethodId: method.id })).toMatchObject({
      body: { status: 'succeeded' },
    });
  });

  it('the same request again answers the same; 20 at once make one payment', async () => {
    const { session, method } = await aBuyer();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => payBy(world, session, { paymentMethodId: method.id })),
    );
    expect(new Set(answers.map(paymentIdOf)).size).toBe(1);
    expect(await payBy(world, session, { paymentMethodId: method.id })).toEqual(answers[0]);
    expect(await listCaptures(paymentIdOf(answers[0]))).toBe(1);
  });

  it('a declined card stays as it was: 402 card_declined, active, not charged; calls at once share the decline', async () => {
    const { session, method } = await aBuyer({ number: '4000000000000341' });
    // Only callers that came before the response share it, so the response takes its time.
    const confirming = { path: '/v1/payment_intents/*/confirm' };
    await world.fault(confirming, 'slow', { count: 1, delayMs: 300 });
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => payBy(world, session, { paymentMethodId: method.id })),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: code('card_declined') });
    }
    expect(await paymentsOf(world, session)).toHaveLength(1);
    expect(await readMethod(method)).toEqual(method);
    // Unlike a token, a saved card may be tried again, and the session accepts another card.
    await expect(payBy(world, session, { paymentMethodId: method.id })).rejects.toEqual(
      code('card_declined'),
    );
    expect(await paymentsOf(world, session)).toHaveLength(2);
    const token = await aCardToken(world, session, cards.approved);
    expect(await payBy(world, session, { token })).toMatchObject({ body: { type: 'success' } });
    expect((await methodsOf(world, session.userId)).map(({ id }) => id)).toEqual([method.id]);
  });

  it('409 checkout_attempt_in_progress: two cards at once, one live payment', async () => {
    const { session, method } = await aBuyer();
    const second = await aSavedCard(world, { userId: session.userId });
    const token = await aCardToken(world, session, cards.approved);
    const answers = await Promise.allSettled([
      payBy(world, session, { paymentMethodId: method.id }),
      payBy(world, session, { paymentMethodId: second.id }),
      payBy(world, session, { token }),
    ]);
    for (const answer of answers) {
      if (answer.status === 'fulfilled') continue;
      expect(answer.reason).toEqual(code('checkout_attempt_in_progress'));
    }
    const [payment, ...more] = await paymentsOf(world, session);
    expect(more).toEqual([]);
    expect(await listCaptures(payment?.id ?? '')).toBe(1);
  });

  it('five sessions of one buyer at once with one card: each is paid, once', async () => {
    const { session, method } = await aBuyer();
    const { userId } = session;
    const sessions = await Promise.all(
      Array.from({ length: 5 }, () => vouchedSession(world, { userId })),
    );
    const answers = await Promise.all(
      sessions.map((each) => payBy(world, each, { paymentMethodId: method.id })),
    );
    expect(new Set(answers.map(paymentIdOf)).size).toBe(5);
    for (const answer of answers) expect(await listCaptures(paymentIdOf(answer))).toBe(1);
  });

  it('3ds_required on session: approved, charged once; a card in use until then', async () => {
    const { session, method } = await aBuyer({ number: cards.needs3ds });
    const answer = await payBy(world, session, { paymentMethodId: method.id });
    expect(answer).toMatchObject({ status: 200, body: { type: '3ds_required' } });
    expect(await isInUse(method)).toBe(true);
    expect((await readMethod(method))?.lastChargedAt).toBeNull();
    const { challenge } = (answer as { body: { challenge: { url: string } } }).body;
    await answerChallenge(challenge.url, 'approve');
    expect(await payBy(world, session, { paymentMethodId: method.id })).toMatchObject({
      body: { type: 'success', paymentId: paymentIdOf(answer) },
    });
    expect(await isInUse(method)).toBe(false);
    expect((await readMethod(method))?.lastChargedAt).not.toBeNull();
  });

  it('3DS failed: who returns is told so, the card stays, and the same one may be tried again', async () => {
    const { session, method } = await aBuyer({ number: cards.needs3ds });
    const first = await payBy(world, session, { paymentMethodId: method.id });
    const { challenge } = (first as { body: { challenge: { url: string } } }).body;
    await answerChallenge(challenge.url, 'fail');
    await runRecovery(world);
    expect(await readMethod(method)).toEqual(method);
    const returned = payBy(world, session, { paymentMethodId: method.id }, { chv: 'returned' });
    await expect(returned).rejects.toEqual(code('card_declined'));
    const again = await payBy(world, session, { paymentMethodId: method.id });
    expect(again).toMatchObject({ body: { type: '3ds_required' } });
    expect(paymentIdOf(again)).not.toBe(paymentIdOf(first));
  });

  it('given up in one tab, which then tries another card: who returns in the first begins nothing new', async () => {
    const { session, method } = await aBuyer({ number: cards.needs3ds });
    const saved = { paymentMethodId: method.id };
    await payBy(world, session, saved);
    await decline(world, session, { reason: 'authentication_abandoned' });
    await expect(pay(world, session, cards.declined)).rejects.toEqual(code('card_declined'));
    const newest = (await readState(world, session)).paymentId;
    const returned = payBy(world, session, saved, { chv: 'returned' });
    await expect(returned).rejects.toMatchObject({
      code: 'card_declined',
      facts: { declineCode: 'authentication_abandoned' },
    });
    expect((await readState(world, session)).paymentId).toBe(newest);
    expect(await payBy(world, session, saved)).toMatchObject({ body: { type: '3ds_required' } });
  });

  it('given up in one tab, which then opens an intent: who returns in the first ends nothing of it', async () => {
    const { session, method } = await aBuyer({ number: cards.needs3ds });
    const saved = { paymentMethodId: method.id };
    await payBy(world, session, saved);
    await decline(world, session, { reason: 'authentication_abandoned' });
    await openIntent(world, session);
    const opened = await readState(world, session);
    await expect(payBy(world, session, saved, { chv: 'returned' })).rejects.toMatchObject({
      code: 'card_declined',
      facts: { declineCode: 'authentication_abandoned' },
    });
    expect(await readState(world, session)).toEqual(opened);
  });

  it.each(['drop_request', 'drop_reply'])(
    '202 processing (%s): in doubt is in use; recovery settles it, charged once',
    async (fault) => {
      const { session, method } = await aBuyer();
      await world.fault({ path: '/v1/payment_intents/*/confirm' }, fault, { count: 2 });
      await world.fault({ path: '/v1/payment_intents/*', method: 'GET' }, 'error_503_unrecorded', {
        count: 2,
      });
      const answer = await payBy(world, session, { paymentMethodId: method.id });
      await world.control('DELETE', '/_control/faults');
      expect(answer).toMatchObject({ status: 202, body: { status: 'unknown' } });
      expect(await isInUse(method)).toBe(true);
      expect((await readMethod(method))?.lastChargedAt).toBeNull();
      await runRecovery(world);
      expect(await readState(world, session)).toMatchObject({ status: 'completed' });
      expect(await isInUse(method)).toBe(false);
      expect((await readMethod(method))?.lastChargedAt).not.toBeNull();
      expect(await listCaptures(paymentIdOf(answer))).toBe(1);
    },
  );

  it('502 gateway_unavailable: nothing was confirmed, and the same request may try again', async () => {
    const { session, method } = await aBuyer();
    await world.fault({ path: '/v1/payment_intents$', method: 'POST' }, 'error_503_unrecorded', {
      count: 2,
    });
    await expect(payBy(world, session, { paymentMethodId: method.id })).rejects.toEqual(
      code('gateway_unavailable'),
    );
    expect(await isInUse(method)).toBe(false);
    expect(await payBy(world, session, { paymentMethodId: method.id })).toMatchObject({
      body: { status: 'succeeded' },
    });
  });

  it('process racing a detachment, over and over: paid or removed, never both', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 20; round++) {
      const { session, method } = await aBuyer();
      const { busy, reached } = countingWorld(world, round % 5);
      const claiming = reached.then(() => claimDetachmentOf(world, method));
      const paying = payBy(busy, session, { paymentMethodId: method.id });
      const [paid, isClaimed] = await Promise.all([
        paying.then(
          () => true,
          (error: unknown) => {
            expect(error).toEqual(code('payment_method_not_found'));
            return false;
          },
        ),
        claiming,
      ]);
      // A detachment may claim once the payment is over, but never while it is under way.
      expect(paid || isClaimed).toBe(true);
      if (!paid) expect(await paymentsOf(world, session)).toEqual([]);
      outcomes.add(`${paid} ${isClaimed}`);
    }
    expect(outcomes.size).toBeGreaterThan(1);
  });
});

const isInUse = (method: PaymentMethod) =>
  world.database.transaction(world.client.id, (tx) => hasLiveUse(tx, method));

async function aForeignGateway(): Promise<string> {
  const id = newId();
  const insert = sql(
    'test_second_gateway',
    `insert into gateways (id, client_id, provider, account_id, publishable_key, secret_key_sealed,
       countries, classified_from, created_at)
     values ($1, $2, 'cardprovider', 'acct_second', 'pk_second', 'x', '{NZ}', svc_clock(),
       svc_clock())`,
  );
  await world.database.write(insert, [id, world.client.id]);
  return id;
}

async function aForeignCard(foreign: World, userId: string): Promise<string> {
  await vouchedSession(foreign, { userId });
  return (await aSavedCard(foreign, { userId })).id;
}

describe('processVaultCharge with a saved card', () => {
  it('200: pays for the claimed buyer; process with the same card answers the same', async () => {
    const { session, method } = await aBuyer();
    const answer = await chargeBy(world, session, { paymentMethodId: method.id });
    expect(answer).toMatchObject({ body: { type: 'success', status: 'succeeded' } });
    expect(await payBy(world, session, { paymentMethodId: method.id })).toEqual(answer);
  });

  it('404 payment_method_not_found: unknown', async () => {
    const { session } = await aBuyer();
    await expect(chargeBy(world, session, { paymentMethodId: newId() })).rejects.toEqual(
      code('payment_method_not_found'),
    );
  });
});
