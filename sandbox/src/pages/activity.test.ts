// The sandbox's own page: what it shows of the present, and the paths that its buttons call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, createHold, openBench } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const read = async () => (await fetch(bench.sandbox.url)).text();

/** Presses a button as the page's script does. */
const press = async (page: string, path: string): Promise<number> => {
  const [, body = ''] = new RegExp(`data-path="${path}" data-body="([^"]*)"`).exec(page) ?? [];
  const answer = await fetch(`${bench.sandbox.url}/_control${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: bench.sandbox.url },
    body: body.replaceAll('&quot;', '"'),
  });
  return answer.status;
};

test('shows keys, payments, calls and events; each button does what it says', async () => {
  const { id } = await createHold(bench);
  const page = await read();
  for (const text of [bench.secretKey, bench.publishableKey, id, 'POST /v1/payment_intents']) {
    expect(page).toContain(text);
  }
  expect(page).toContain('payment_intent.amount_capturable_updated');
  expect(await press(page, `/intents/${id}/capture`)).toBe(200);
  const later = await read();
  expect(later).not.toContain(`/holds/${id}/expire`);
  expect(await press(later, '/disputes')).toBe(200);
  expect(await press(later, '/clock/advance')).toBe(200);
  expect((await bench.stripe.disputes.list({ payment_intent: id })).data).toHaveLength(1);
});

test('what a caller wrote is text on the page', async () => {
  await bench.control.post('/accounts', { name: '<img src=x>' });
  expect(await read()).toContain('&lt;img src=x&gt;');
});
