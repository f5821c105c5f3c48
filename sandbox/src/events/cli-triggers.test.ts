// What `stripe trigger <event>` of the provider's own command line sends, for the events that the sandbox has: the
// calls of its published fixtures, in their order, against the oldest version that the sandbox takes. What is not
// served is refused aloud.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, openBench } from '../../test/sandbox.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

type TriggerCall = readonly [path: string, fields?: string];
type TriggerAnswer = { readonly status: number; readonly body: Record<string, unknown> };

async function send([path, fields = '']: TriggerCall, method = 'POST'): Promise<TriggerAnswer> {
  const response = await fetch(`${bench.sandbox.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bench.secretKey}`,
      'stripe-version': '2025-03-31.basil',
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(method === 'POST' ? { body: fields } : {}),
  });
  return { status: response.status, body: (await response.json()) as never };
}

/** Makes the calls one after the other; `{id}` is the id that the first one, or the one before, was answered with. */
async function sendAll(calls: readonly TriggerCall[]): Promise<TriggerAnswer> {
  let first = '';
  let last = { status: 0, body: {} } as TriggerAnswer;
  for (const [path, fields = ''] of calls) {
    const own = (text: string) =>
      text.replaceAll('{first}', first).replaceAll('{id}', String(last.body.id ?? ''));
    last = await send([own(path), own(fields)]);
    first ||= String(last.body.id ?? '');
  }
  return last;
}

const told = async (type: string) => {
  const found = await bench.stripe.events.list({ type, limit: 1 });
  return found.data[0]?.data.object;
};

const intent = '/v1/payment_intents';
const card = 'payment_method_types[]=card&payment_method=pm_card_visa&confirm=true';
const by = 'description=(created by Stripe CLI)';
const ofCustomer: TriggerCall = ['/v1/customers', by];
const attach: TriggerCall = ['/v1/payment_methods/pm_card_visa/attach', 'customer={first}'];

describe('a trigger whose event comes', () => {
  test.each<readonly [event: string, calls: readonly TriggerCall[]]>([
    ['charge.succeeded', [[intent, `amount=100&currency=usd&${card}&${by}`]]],
    [
      'charge.refunded',
      [
        [intent, `amount=100&currency=usd&${card}&${by}`],
        ['/v1/refunds', 'payment_intent={id}'],
      ],
    ],
    [
      'payment_intent.succeeded',
      [
        [
          intent,
          `amount=2000&currency=usd&${card}&${by}&shipping[name]=Jenny Rosen&shipping[address][line1]=510 Townsend St&shipping[address][postal_code]=94103&shipping[address][city]=San Francisco&shipping[address][state]=CA&shipping[address][country]=US`,
        ],
      ],
    ],
    [
      'payment_intent.amount_capturable_updated',
      [
        [
          intent,
          `amount=2000&capture_method=manual&confirm=true&confirmation_method=manual&currency=usd&${by}&payment_method=pm_card_visa&return_url=https://stripe.com`,
        ],
      ],
    ],
    [
      'payment_intent.payment_failed',
      [
        [
          intent,
          `amount=2000&confirm=true&currency=usd&${by}&payment_method=pm_card_chargeDeclined&payment_method_types[]=card`,
        ],
      ],
    ],
    [
      'setup_intent.succeeded',
      [
        [
          '/v1/setup_intents',
          `confirm=true&${by}&payment_method=pm_card_visa&payment_method_types[]=card`,
        ],
      ],
    ],
    ['customer.created', [ofCustomer]],
    ['customer.updated', [ofCustomer, ['/v1/customers/{id}', 'metadata[foo]=bar']]],
    ['payment_method.attached', [ofCustomer, attach]],
    ['payment_method.detached', [ofCustomer, attach, ['/v1/payment_methods/{id}/detach']]],
  ])('%s', async (event, calls) => {
    const last = await sendAll(calls);
    const isDeclined = event === 'payment_intent.payment_failed';
    expect(last.status, JSON.stringify(last.body)).toBe(isDeclined ? 402 : 200);
    expect(await told(event)).toBeDefined();
  });
});

describe('a trigger that is refused aloud', () => {
  test.each<readonly [event: string, call: TriggerCall, status: number, words: RegExp]>([
    [
      'charge.captured: charges of before the intents',
      ['/v1/charges', `source=tok_visa&amount=100&currency=usd&capture=false&${by}`],
      404,
      /\/v1\/charges/,
    ],
    [
      'charge.dispute.created: no list of types and no return_url',
      [
        intent,
        `amount=100&currency=usd&payment_method=pm_card_createDisputeInquiry&confirm=true&${by}`,
      ],
      400,
      /return_url/,
    ],
    [
      'payment_intent.requires_action: a bank transfer',
      [
        intent,
        'amount=20000&currency=jpy&payment_method_types[]=customer_balance&payment_method_data[type]=customer_balance&confirm=true',
      ],
      400,
      /customer_balance|payment_method/,
    ],
  ])('%s', async (_, call, status, words) => {
    const refused = await send(call);
    expect(refused.status, JSON.stringify(refused.body)).toBe(status);
    expect(JSON.stringify(refused.body)).toMatch(words);
  });
});
