// The recorder between two sandboxes: the second one stands in for the provider's test mode.
import type Stripe from 'stripe';
import { afterEach, expect, test } from 'vitest';
import { connect, openBench } from '../../test/sandbox.ts';
import { findDifferences } from './differences.ts';
import { createRecorder } from './record.ts';
import { startTwin } from './twin.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const openPair = async () => {
  const upstream = await openBench();
  const lines: string[] = [];
  const recorder = createRecorder(
    { url: upstream.sandbox.url, secretKey: upstream.secretKey },
    (line) => lines.push(line),
  );
  const twin = await startTwin({ limits: false, onCall: recorder.onCall });
  ends.push(twin.close, upstream.sandbox.close);
  const stripe = connect(twin, twin.secretKey);
  return { upstream, recorder, twin, stripe, lines };
};

const hold = (stripe: Stripe, customer: string) =>
  stripe.paymentIntents.create(
    {
      ...{ amount: 1999, currency: 'eur', customer, capture_method: 'manual', confirm: true },
      ...{ payment_method: 'pm_card_visa', allowed_payment_method_types: ['card'] },
    },
    { idempotencyKey: 'order-1' },
  );

test('a whole payment is made there too, by its own ids, and nothing differs', async () => {
  const { upstream, recorder, stripe, lines } = await openPair();
  const { id: customer } = await stripe.customers.create({ email: 'ada@example.com' });
  const intent = await hold(stripe, customer);
  await hold(stripe, customer);
  await stripe.paymentIntents.capture(intent.id);
  await stripe.refunds.create({ payment_intent: intent.id, amount: 500 });
  await expect(stripe.paymentIntents.capture(intent.id)).rejects.toThrow();
  await expect(stripe.customers.retrieve('cus_NffrFeUfNV2Hib')).rejects.toThrow();
  const url = upstream.sandbox.url;
  expect(await recorder.finish()).toBe(`compared with ${url}: 7 the same, 0 differ`);
  expect(lines).toEqual([]);
  const there = (await upstream.stripe.paymentIntents.list()).data;
  expect(there).toHaveLength(1);
  expect(there[0]).toMatchObject({ amount_received: 1999, status: 'succeeded' });
  expect(there[0]?.id).not.toBe(intent.id);
});

test('another status, word, or field is told once for each operation', async () => {
  const { upstream, recorder, stripe, lines } = await openPair();
  const { id: customer } = await stripe.customers.create({});
  const match = { method: 'POST', path: '/v1/payment_intents$' };
  await upstream.control.fault({ match, action: 'decline' });
  await hold(stripe, customer);
  expect(await recorder.finish()).toMatch(/1 the same, 1 differ$/);
  expect(lines).toEqual([
    'differs  POST /v1/payment_intents: answered 200 here, 402 card_declined there',
  ]);
});

test('what only the twin has, and what a page called, is not compared', async () => {
  const { recorder, twin, stripe, upstream } = await openPair();
  const page = connect(twin, twin.publishableKey);
  await page.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
  const [made] = (await stripe.events.list()).data;
  await recorder.finish();
  if (made) await stripe.events.retrieve(made.id);
  expect(await recorder.finish()).toMatch(
    new RegExp(`^compared with ${upstream.sandbox.url}: .*1 of a page`),
  );
});

test('a provider that does not answer is a line, and the twin answers all the same', async () => {
  const lines: string[] = [];
  const options = { url: 'http://127.0.0.1:9', secretKey: 'sk_test_x' };
  const recorder = createRecorder(options, (line) => lines.push(line));
  const twin = await startTwin({ onCall: recorder.onCall });
  ends.push(twin.close);
  await connect(twin, twin.secretKey).customers.create({});
  expect(await recorder.finish()).toMatch(
    /0 the same, 0 differ; not compared: 1 without an answer$/,
  );
  expect(lines).toEqual([
    expect.stringMatching(/^differs {2}POST \/v1\/customers: no answer there/),
  ]);
});

test.each([
  [{ id: 'pi_1AAAAAAAAAAA' }, { id: 'pi_2BBBBBBBBBBB' }, []],
  [{ created: 1 }, { created: 2 }, []],
  [{ a: { b: null } }, { a: { b: {} } }, ['a.b is null here, an object there']],
  [
    { status: 'succeeded' },
    { status: 'processing' },
    ['status is "succeeded" here, "processing" there'],
  ],
  [{ paid: true }, { paid: false }, ['paid is true here, false there']],
  [{ a: 1 }, { b: 1 }, ['a is missing there', 'b is missing here']],
  [{ data: [{ a: 1 }] }, { data: [{ a: '1' }, {}] }, ['data[].a is a number here, a text there']],
  [{ metadata: { a: 'x' } }, { metadata: {} }, []],
])('%j and %j: %j', (own, theirs, found) => {
  const answered = (body: object) => ({ status: 200, body: JSON.stringify(body) });
  expect(findDifferences(answered(own), answered(theirs))).toEqual(found);
});
