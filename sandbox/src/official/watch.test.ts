// The watch records what is compared, once, and reports what is not as the SDK describes it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, openBench } from '../../test/sandbox.ts';
import type { CardExchange } from '../core/exchanges.ts';
import { watchCard } from './watch.ts';

let bench: Bench;
let made: CardExchange;
beforeAll(async () => {
  const exchanges: CardExchange[] = [];
  bench = await openBench({ onCardExchange: (one) => void exchanges.push(one) });
  await bench.stripe.paymentIntents.create({ amount: 900, currency: 'eur' });
  const [first] = exchanges;
  if (!first) throw new Error('no exchange was reported');
  made = first;
});
afterAll(() => bench.sandbox.close());

const watchExchanges = (...exchanges: CardExchange[]) => {
  const watch = watchCard();
  for (const exchange of exchanges) watch.onCardExchange(exchange);
  return watch;
};
const wrongForm = 'amount=900&currency=eur&capture_metod=manual';
const wrongBody = '{"object":"payment_intent"}';

test('a call with its response is kept once, and compared once', () => {
  const watch = watchExchanges(made, { ...made }, { ...made, form: wrongForm }, { ...made });
  expect(watch.waiting).toBe(2);
  expect(watch.assertClean).toThrow('POST /v1/payment_intents request: capture_metod: unknown');
  expect(watch.waiting).toBe(0);
  watch.assertClean();
});

test('the same call with another response is kept too', () => {
  const watch = watchExchanges(made, { ...made, body: wrongBody });
  expect(watch.waiting).toBe(2);
  expect(watch.assertClean).toThrow('answer: .currency: missing');
});

test('of a page’s call the form is compared, whatever the response shows', () => {
  const byPage = { ...made, isByPage: true };
  const clean = watchExchanges({ ...byPage, body: wrongBody }, { ...byPage, body: '{}' });
  expect(clean.waiting).toBe(1);
  clean.assertClean();
  expect(watchExchanges({ ...byPage, form: wrongForm }).assertClean).toThrow(
    'capture_metod: unknown',
  );
});

test.each([
  ['a refused call', { status: 402 }],
  ['a call of another version', { version: '2020-08-27' }],
  ['a checkout session', { path: '/v1/checkout/sessions' }],
])('%s is not kept', (_, change) => {
  expect(watchExchanges({ ...made, form: wrongForm, ...change }).waiting).toBe(0);
});
