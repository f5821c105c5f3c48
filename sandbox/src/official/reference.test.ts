// Every call of a merchant and every answer of the sandbox against the official SDK's own types, and that the
// comparison finds what is wrong.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';
import type { CardExchange } from '../core/exchanges.ts';
import { compareCard } from './reference.ts';

const kept: CardExchange[] = [];
let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ onCardExchange: (one) => void kept.push(one) });
});
afterAll(() => bench.sandbox.close());

const listComplaints = (): string[] => kept.splice(0).flatMap(compareCard);
const euros = { amount: 900, currency: 'eur' } as const;
const byCard = { ...euros, allowed_payment_method_types: ['card' as const] };

describe('calls and answers are as the SDK describes them', () => {
  test('a hold, its capture, its refund, its charge, its event, the balance', async () => {
    const held = await createHold(bench);
    await bench.stripe.paymentIntents.capture(held.id, {
      amount_to_capture: 900,
      expand: ['latest_charge.balance_transaction'],
    });
    await bench.stripe.refunds.create({ payment_intent: held.id, amount: 100 });
    await bench.stripe.charges.list({ payment_intent: held.id });
    await bench.stripe.events.list({ limit: 3 });
    await bench.stripe.balanceTransactions.list({});
    await bench.stripe.balance.retrieve();
    await bench.stripe.accounts.retrieveCurrent();
    const open = await bench.stripe.paymentIntents.create(byCard);
    await bench.stripe.paymentIntents.update(open.id, { metadata: { order: '7' } });
    await bench.stripe.paymentIntents.cancel(open.id, { cancellation_reason: 'abandoned' });
    await refusal(
      bench.stripe.paymentIntents.create({
        ...byCard,
        confirm: true,
        payment_method: 'pm_card_chargeDeclined',
      }),
    );
    await bench.stripe.paymentIntents.list({ limit: 5, expand: ['data.latest_charge'] });
    expect(listComplaints()).toEqual([]);
  });

  test('a saved card, 3DS, a confirmation token, a dispute', async () => {
    const { id: customer } = await bench.stripe.customers.create({ email: 'ada@shop.example' });
    const setup = await bench.stripe.setupIntents.create({
      customer,
      confirm: true,
      payment_method: 'pm_card_visa',
      allowed_payment_method_types: ['card'],
      expand: ['latest_attempt'],
    });
    await bench.stripe.setupAttempts.list({ setup_intent: setup.id });
    await bench.stripe.customers.listPaymentMethods(customer, { type: 'card' });
    await bench.stripe.paymentIntents.create({
      ...byCard,
      customer,
      confirm: true,
      payment_method: 'pm_card_authenticationRequired',
      return_url: 'https://shop.example/back',
    });
    const token = await bench.stripe.testHelpers.confirmationTokens.create({
      payment_method: 'pm_card_visa',
      return_url: 'https://shop.example/back',
    });
    await bench.stripe.paymentIntents.create({
      ...euros,
      confirm: true,
      confirmation_token: token.id,
    });
    const disputed = await bench.stripe.paymentIntents.create({
      ...byCard,
      confirm: true,
      payment_method: 'pm_card_createDispute',
    });
    const { data } = await bench.stripe.disputes.list({ payment_intent: disputed.id });
    await bench.stripe.disputes.update(data[0]?.id ?? '', {
      evidence: { uncategorized_text: 'It came.' },
    });
    await bench.stripe.webhookEndpoints.create({
      url: 'http://127.0.0.1:9/hooks',
      enabled_events: ['payment_intent.succeeded'],
    });
    expect(listComplaints()).toEqual([]);
  });

  test('a warning of fraud, a review, and the events of both', async () => {
    const paid = await bench.stripe.paymentIntents.create({
      ...{ ...byCard, confirm: true, payment_method: 'pm_card_createIssuerFraudRecord' },
    });
    await bench.control.post('/reviews', { intent: paid.id });
    await bench.control.advance(1);
    const { data } = await bench.stripe.radar.earlyFraudWarnings.list({ payment_intent: paid.id });
    await bench.stripe.radar.earlyFraudWarnings.retrieve(data[0]?.id ?? '');
    const [review] = (await bench.stripe.reviews.list()).data;
    await bench.stripe.reviews.approve(review?.id ?? '');
    await bench.stripe.events.list({ limit: 100 });
    expect(listComplaints()).toEqual([]);
  });
});

describe('what is wrong is found', () => {
  const answerOf = async (): Promise<CardExchange> => {
    await bench.stripe.paymentIntents.create(byCard);
    const [one] = kept.splice(0);
    if (!one) throw new Error('nothing was told');
    return one;
  };

  test.each([
    [
      'a misspelt parameter',
      'amount=900&currency=eur&capture_metod=manual',
      'capture_metod: unknown',
    ],
    [
      'a misspelt part',
      'amount=900&currency=eur&payment_method_options[card][request_3ds]=any',
      'payment_method_options.card.request_3ds: unknown',
    ],
    [
      'a value that is none',
      'amount=900&currency=eur&capture_method=later',
      'capture_method: "later" is none of the values',
    ],
    ['an amount that is no number', 'amount=9,00&currency=eur', 'amount: "9,00" is no number'],
    ['no currency', 'amount=900', '.currency: missing'],
    [
      'a parameter that the version ended',
      'amount=900&currency=eur&payment_method_types[0]=card',
      'payment_method_types: unknown',
    ],
  ])('%s', async (_, form, problem) => {
    const said = compareCard({ ...(await answerOf()), form });
    expect(said).toEqual([`POST /v1/payment_intents request: ${problem}`]);
  });

  test.each([
    ['a status that is none', { status: 'paid' }, 'status: "paid" is none of the values'],
    ['a field of ours', { payer: 'ada' }, 'payer: unknown'],
    ['a number as a text', { amount: '900' }, 'amount: "900" is no number'],
    ['a missing field', { currency: undefined }, '.currency: missing'],
  ])('in an answer: %s', async (_, change, problem) => {
    const one = await answerOf();
    const body = JSON.stringify({ ...JSON.parse(one.body), ...change });
    expect(compareCard({ ...one, body })).toEqual([`POST /v1/payment_intents answer: ${problem}`]);
  });

  test('a call that the SDK does not have', async () => {
    const path = '/v1/payment_intentions';
    expect(compareCard({ ...(await answerOf()), path })).toEqual([
      `POST ${path}: the SDK has no such call`,
    ]);
  });
});
