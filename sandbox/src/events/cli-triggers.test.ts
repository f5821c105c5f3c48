// What `stripe trigger <event>` of the provider's own command line sends, for the events that the sandbox has: the
// calls of its published fixtures, in their order, with the last `--api-version` that knows `payment_method_types` and
// with the pinned one. The guide's list says what comes of each.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, openBench } from '../../test/sandbox.ts';
import { pinnedVersion } from '../requests/versions.ts';

const versions = ['2026-08-26.dahlia', pinnedVersion];

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ limits: null });
});
afterAll(() => bench.sandbox.close());

type TriggerCall = readonly [path: string, fields?: string, method?: string | undefined];
type TriggerAnswer = { readonly status: number; readonly body: Record<string, unknown> };

async function send(
  [path, fields = '', method = 'POST']: TriggerCall,
  version: string,
): Promise<TriggerAnswer> {
  const response = await fetch(`${bench.sandbox.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bench.secretKey}`,
      'stripe-version': version,
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(method === 'POST' ? { body: fields } : {}),
  });
  return { status: response.status, body: (await response.json()) as never };
}

/**
 * Makes the calls one after the other, and stops at a refusal; `{id}` is the id that the call before was
 * answered with, `{first}` that of the first one, `{charge}` the charge of the intent.
 */
async function sendAll(calls: readonly TriggerCall[], version: string): Promise<TriggerAnswer> {
  let first = '';
  let last = { status: 200, body: {} } as TriggerAnswer;
  for (const [path, fields = '', method] of calls) {
    if (last.status !== 200) return last;
    const own = (text: string) =>
      text
        .replaceAll('{first}', first)
        .replaceAll('{charge}', String(last.body.latest_charge))
        .replaceAll('{id}', String(last.body.id));
    last = await send([own(path), own(fields), method], version);
    first ||= String(last.body.id ?? '');
  }
  return last;
}

const intent = '/v1/payment_intents';
const types = 'payment_method_types[]=card';
const by = 'description=(created by Stripe CLI)';
const paid: TriggerCall = [
  intent,
  `amount=100&currency=usd&${types}&payment_method=pm_card_visa&confirm=true&${by}`,
];
const ofCustomer: TriggerCall = ['/v1/customers', by];
const attach: TriggerCall = ['/v1/payment_methods/pm_card_visa/attach', 'customer={first}'];
const product: TriggerCall = ['/v1/products', `name=myproduct&${by}`];
const shipping =
  'shipping[name]=Jenny Rosen&shipping[address][line1]=510 Townsend St&shipping[address][postal_code]=94103&shipping[address][city]=San Francisco&shipping[address][state]=CA&shipping[address][country]=US';

const triggers: readonly (readonly [event: string, ...calls: TriggerCall[]])[] = [
  [
    'charge.captured',
    ['/v1/charges', `source=tok_visa&amount=100&capture=false&currency=usd&${by}`],
  ],
  [
    'charge.dispute.created',
    [
      intent,
      `amount=100&currency=usd&payment_method=pm_card_createDisputeInquiry&confirm=true&${by}`,
    ],
  ],
  [
    'charge.failed',
    [
      intent,
      `amount=100&currency=usd&${types}&payment_method=pm_card_visa_chargeDeclined&confirm=true&${by}`,
    ],
  ],
  [
    'charge.refund.updated',
    paid,
    ['/v1/refunds', 'payment_intent={id}'],
    ['/v1/refunds/{id}', 'metadata[order_id]=6735'],
  ],
  ['charge.refunded', paid, ['/v1/refunds', 'payment_intent={id}']],
  ['charge.succeeded', paid],
  ['charge.updated', paid, ['/v1/charges/{charge}', 'metadata[updated_by]=stripe_cli']],
  [
    'checkout.session.expired',
    product,
    ['/v1/prices', 'product={id}&unit_amount=1500&currency=usd'],
    [
      '/v1/checkout/sessions',
      'success_url=https://httpbin.org/post&cancel_url=https://httpbin.org/post&mode=payment&line_items[0][price]={id}&line_items[0][quantity]=2',
    ],
    ['/v1/checkout/sessions/{id}/expire'],
  ],
  ['customer.created', ofCustomer],
  ['customer.deleted', ofCustomer, ['/v1/customers/{id}', '', 'DELETE']],
  ['customer.updated', ofCustomer, ['/v1/customers/{id}', 'metadata[foo]=bar']],
  [
    'payment_intent.amount_capturable_updated',
    [
      intent,
      `amount=2000&capture_method=manual&confirm=true&confirmation_method=manual&currency=usd&${by}&payment_method=pm_card_visa&return_url=https://stripe.com`,
    ],
  ],
  ['payment_intent.created', [intent, `amount=2000&currency=usd&${by}&${types}`]],
  [
    'payment_intent.payment_failed',
    [
      intent,
      `amount=2000&confirm=true&currency=usd&${by}&payment_method=pm_card_chargeDeclined&${types}`,
    ],
  ],
  [
    'payment_intent.requires_action',
    ofCustomer,
    [
      intent,
      'amount=20000&currency=jpy&customer={id}&payment_method_types[]=customer_balance&payment_method_data[type]=customer_balance&payment_method_options[customer_balance][funding_type]=bank_transfer&confirm=true',
    ],
  ],
  [
    'payment_intent.succeeded',
    [
      intent,
      `amount=2000&confirm=true&currency=usd&${by}&payment_method=pm_card_visa&${types}&${shipping}`,
    ],
  ],
  ['payment_method.attached', ofCustomer, attach],
  ['payment_method.detached', ofCustomer, attach, ['/v1/payment_methods/{id}/detach']],
  [
    'price.created',
    product,
    ['/v1/prices', 'product={id}&unit_amount=1500&currency=usd&recurring[interval]=month'],
  ],
  ['product.created', product],
  [
    'setup_intent.canceled',
    ['/v1/setup_intents', `${by}&${types}`],
    ['/v1/setup_intents/{id}/cancel', 'cancellation_reason=requested_by_customer'],
  ],
  [
    'setup_intent.succeeded',
    ['/v1/setup_intents', `confirm=true&${by}&payment_method=pm_card_visa&${types}`],
  ],
];

const newest = async (type: string) =>
  (await bench.stripe.events.list({ type, limit: 1 })).data[0]?.id;

/** The words of the guide: `event`, or the refusal's status and code or parameter. */
async function outcomeOf(
  [event, ...calls]: (typeof triggers)[number],
  version: string,
): Promise<string> {
  const before = await newest(event);
  const { status, body } = await sendAll(calls, version);
  const isThere = (await newest(event)) !== before;
  // A decline is what the fixtures of two triggers expect.
  if (isThere && (status === 200 || status === 402)) return 'event';
  const { code, param } = (body.error ?? {}) as { code?: string; param?: string };
  const said = code ?? param;
  return said === undefined ? String(status) : `${status} \`${said}\``;
}

test('the list of the guide is what comes of each trigger', async () => {
  const guide = readFileSync(
    new URL('../../../docs/guides/sandbox-provider.md', import.meta.url),
    'utf8',
  );
  const section = guide.split(/^## /m).find((part) => part.startsWith('Triggers')) ?? '';
  for (const version of versions) expect(section).toContain(version);
  const lines = section.replace(/\n {2}/g, ' ').matchAll(/^- (.+?), (.+?): (`.+`)$/gm);
  const written = [...lines].flatMap(([, first, second, events = '']) =>
    [...events.matchAll(/`([\w.]+)`/g)].map(([, event]) => `${event} | ${first} | ${second}`),
  );
  const tried: string[] = [];
  for (const trigger of triggers) {
    const outcomes: string[] = [];
    for (const version of versions) outcomes.push(await outcomeOf(trigger, version));
    tried.push([trigger[0], ...outcomes].join(' | '));
  }
  expect(written.toSorted()).toEqual(tried.toSorted());
});

test('without --api-version the pinned one holds', async () => {
  const { body } = await send([intent, `amount=100&currency=usd&${types}`], '');
  expect(body.error).toMatchObject({ code: 'payment_method_types_no_longer_supported' });
});
