// The answers' keys against published example resources, where these are at hand: a folder named in
// SVC_REFERENCE, or `shared/reference` beside the repository.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench } from './testing.ts';

const folder =
  process.env.SVC_REFERENCE ?? fileURLToPath(new URL('../../../shared/reference', import.meta.url));
const file = `${folder}/card/fixtures3.json`;
const isAtHand = existsSync(file);
if (!isAtHand) process.stderr.write(`shapes are not compared: ${file} is not there\n`);

type Example = Record<string, unknown>;

const loadExamples = (): Record<string, Example> => {
  const whole = JSON.parse(readFileSync(file, 'utf8')) as { resources: Record<string, Example> };
  return whole.resources;
};

/** In the examples, but not shown at the version that the sandbox speaks unless it is expanded. */
const unshown: Record<string, string[]> = {
  payment_intent: [],
  charge: ['refunds'],
  payment_method: [],
  refund: [],
  setup_intent: [],
  dispute: [],
  balance_transaction: [],
  'checkout.session': [],
  product: [],
  price: [],
  item: [],
};

describe.runIf(isAtHand)('published examples', () => {
  let bench: Bench;
  const shown: Record<string, object> = {};
  beforeAll(async () => {
    bench = await openBench();
    const intent = await bench.stripe.paymentIntents.create({
      amount: 100,
      currency: 'usd',
      confirm: true,
      allowed_payment_method_types: ['card'],
      payment_method: 'pm_card_visa',
      expand: ['payment_method', 'latest_charge.balance_transaction'],
    });
    const charge = intent.latest_charge as unknown as { balance_transaction: object };
    shown.payment_intent = intent;
    shown.charge = charge;
    shown.balance_transaction = charge.balance_transaction;
    shown.payment_method = intent.payment_method as object;
    shown.refund = await bench.stripe.refunds.create({ payment_intent: intent.id });
    const disputed = await bench.stripe.paymentIntents.create({
      amount: 100,
      currency: 'usd',
      confirm: true,
      allowed_payment_method_types: ['card'],
      payment_method: 'pm_card_visa',
    });
    shown.dispute = await bench.control.post('/disputes', { intent: disputed.id });
    const price_data = { currency: 'usd', unit_amount: 50, product_data: { name: 'x' } };
    const session = await bench.stripe.checkout.sessions.create({
      mode: 'payment',
      success_url: 'https://shop.example/',
      line_items: [{ price_data, quantity: 1 }],
      expand: ['line_items.data.price.product'],
    });
    shown['checkout.session'] = session;
    const [item] = session.line_items?.data ?? [];
    shown.item = item as object;
    shown.price = item?.price as object;
    shown.product = item?.price?.product as object;
    shown.setup_intent = await bench.stripe.setupIntents.create({});
  });
  afterAll(() => bench.sandbox.close());

  test.each(Object.keys(unshown))('%s has every key of its example', (kind) => {
    const example = Object.keys(loadExamples()[kind] ?? {});
    expect(example.length).toBeGreaterThan(5);
    const missing = example.filter((key) => !(key in (shown[kind] ?? {})));
    expect(missing).toEqual(unshown[kind]);
  });

  test("a dispute's evidence, its details and its card have every key of the example", () => {
    const listParts = (from: object | undefined): object[] => {
      const { evidence, evidence_details, payment_method_details } = from as {
        evidence: object;
        evidence_details: object;
        payment_method_details: { card: object };
      };
      return [evidence, evidence_details, payment_method_details.card];
    };
    const ours = listParts(shown.dispute);
    const missing = listParts(loadExamples().dispute).map((part, place) =>
      Object.keys(part).filter((key) => !(key in (ours[place] ?? {}))),
    );
    expect(missing).toEqual([[], [], []]);
  });

  test('a charge describes its card with every key of the example', () => {
    const card = (from: object | undefined): object =>
      (from as { payment_method_details: { card: object } }).payment_method_details.card;
    const missing = Object.keys(card(loadExamples().charge)).filter(
      (key) => !(key in card(shown.charge)),
    );
    expect(missing).toEqual([]);
  });
});
