// Contract §1 amount_precision, §12: what a double would round is refused wherever it comes in.

import { randomUUID } from 'node:crypto';
import { scopes } from '@svc/contract/rows/scopes';
import { exponentOf } from '@svc/contract/values/currencies';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aProduct, callAs, newId } from '../../../test/harness.ts';
import { aGrant } from '../../../test/people/grants.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import { mostMinor, toDecimal, toMajor, toMinor } from '../../domain/money/money.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { readBody } from './body.ts';
import { assertExact, isExact } from './exact-numbers.ts';

let world: World;
let server: TestServer;
let paymentId: string;
beforeAll(async () => {
  world = await startWorld();
  await aProduct(world.database, world.client, { code: 'pen', prices: { EUR: 1000 } });
  server = await aServer(world.ports);
  const answer = await pay(world, await aSession(world, { captureMethod: 'automatic' }));
  paymentId = (answer as { body: { paymentId: string } }).body.paymentId;
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

type RowCall = Parameters<typeof callAs>[2];
async function readRefusal(call: RowCall, body: string): Promise<unknown[]> {
  const headers = { 'idempotency-key': randomUUID() };
  const response = await callAs(server.app, world.token, call, { body, headers });
  const { code, param } = response.json();
  return [response.statusCode, code, param];
}
const precision = (param: string) => [422, 'amount_precision', param];
const invalid = (param: string) => [400, 'invalid_request', param];

describe('an amount with decimals that a double does not keep', () => {
  const hidden = ['10.0000000000000000001', '1.00000000000000000001e1', '9.99999999999999999999'];

  it.each(hidden)(
    '422 amount_precision of a refund, which gives nothing back: %s',
    async (text) => {
      const call: RowCall = `POST /v1/payments/${paymentId}/refunds`;
      expect(await readRefusal(call, `{"amount":${text}}`)).toEqual(precision('amount'));
      const { id } = world.client;
      const purchase = await findPayment(world.database, id, paymentId);
      expect(purchase).toMatchObject({ refundedMinor: 0, refundPendingMinor: 0 });
    },
  );

  it.each(hidden)('422 amount_precision of a price, new and changed: %s', async (text) => {
    const prices = `"prices":[{"currency":"USD","amount":1},{"currency":"EUR","amount":${text}}]`;
    const product = `{"code":"${randomUUID()}","name":"A","kind":"item",${prices}}`;
    const at = precision('prices[1].amount');
    expect(await readRefusal('POST /v1/products', product)).toEqual(at);
    expect(await readRefusal('PATCH /v1/products/pen', `{${prices}}`)).toEqual(at);
  });

  it.each(hidden)('422 amount_precision of a line: %s', async (text) => {
    for (const field of ['totalAmount', 'overrideAmount']) {
      const line = `{"code":"pen","quantity":1,"${field}":${text}}`;
      const buyer = `"accountData":{"userId":"${newId()}","email":"buyer@example.test"}`;
      const cart = `"currency":"EUR","products":[${line}],${buyer}`;
      const session = `{"clientId":"${world.client.id}",${cart}}`;
      const at = precision(`products[0].${field}`);
      expect(await readRefusal('POST /v1/checkouts/sessions', session)).toEqual(at);
    }
  });

  it.each(hidden)('422 amount_precision of a coupon: %s', async (text) => {
    const coupon = `{"code":"${randomUUID()}","currency":"EUR","amountOff":${text}}`;
    expect(await readRefusal('POST /v1/coupons', coupon)).toEqual(precision('amountOff'));
  });

  it('one too small to be told from nothing is no price of nothing', async () => {
    const prices = '"prices":[{"currency":"EUR","amount":1e-400}]';
    const product = `{"code":"${randomUUID()}","name":"A","kind":"item",${prices}}`;
    expect(await readRefusal('POST /v1/products', product)).toEqual(precision('prices[0].amount'));
  });

  it('is refused of an agent too', async () => {
    const acting = { user: { id: world.token.userId }, client: world.client, scopes };
    const { authorization } = await aGrant(world.ports, acting);
    const headers = { authorization, accept: 'application/json, text/event-stream' };
    const args = `{"code":"${randomUUID()}","currency":"EUR","amountOff":${hidden[0]}}`;
    const params = `{"name":"create_coupon","arguments":${args}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const response = await callAs(server.app, null, 'POST /mcp', { body, headers });
    expect(response.json()).toMatchObject({
      code: 'amount_precision',
      param: 'params.arguments.amountOff',
    });
  });
});

describe('another number that a double does not keep', () => {
  it('400 invalid_request names the field', async () => {
    const coupon = (more: string) => `{"code":"${randomUUID()}",${more}}`;
    const percent = coupon('"percentOff":10.0000000000000000001');
    expect(await readRefusal('POST /v1/coupons', percent)).toEqual(invalid('percentOff'));
    const most = coupon('"percentOff":10,"maxRedemptions":1.0000000000000000001');
    expect(await readRefusal('POST /v1/coupons', most)).toEqual(invalid('maxRedemptions'));
    const both = coupon(
      '"currency":"EUR","amountOff":1.00000000000000000001,"maxRedemptions":1.00000000000000000001',
    );
    expect((await readRefusal('POST /v1/coupons', both)).slice(0, 2)).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('stays in the body of a capture, which nobody reads', async () => {
    const call: RowCall = `PUT /v1/payments/${paymentId}/capture`;
    const [status, code] = await readRefusal(call, '{"note":9007199254740993}');
    expect([status, code]).toEqual([409, 'payment_not_authorized']);
  });
});

describe('isExact', () => {
  it('every amount passes, at each number of decimals and however it is written', () => {
    const currencies = fc.constantFrom('JPY', 'EUR', 'KWD', 'CLF');
    const minors = fc.oneof(
      fc.integer({ min: 1, max: mostMinor }),
      fc.integer({ min: mostMinor - 100_000, max: mostMinor }),
      fc.integer({ min: 1, max: 9999 }),
    );
    const zeros = fc.nat({ max: 20 }).map((count) => '0'.repeat(count));
    fc.assert(
      fc.property(currencies, minors, zeros, (currency, minor, more) => {
        const decimal = toDecimal(minor, currency);
        const point = decimal.includes('.') ? '' : '.0';
        const shift = exponentOf(currency);
        for (const text of [
          decimal,
          decimal + point + more,
          JSON.stringify(toMajor(minor, currency)),
          `${minor}e-${shift}`,
          `${minor}${more}E-${shift + more.length}`,
        ]) {
          expect(isExact(text)).toBe(true);
          expect(toMinor(JSON.parse(text), currency)).toBe(minor);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('everything that a double prints passes; one more digit at its end does not', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isExact(JSON.stringify(value))).toBe(true);
      }),
      { numRuns: 5000 },
    );
    const hidden = fc.integer({ min: 1, max: 9 }).map((digit) => `${'0'.repeat(20)}${digit}`);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), hidden, (minor, digits) => {
        const text = toDecimal(minor, 'EUR') + digits;
        fc.pre(!containsCardNumber(text));
        const { inexact } = readBody(Buffer.from(`{"amount":${text}}`));
        expect(inexact).toEqual([{ field: 'amount', path: 'amount', text }]);
        expect(() => assertExact(inexact)).toThrow(
          expect.objectContaining({ code: 'amount_precision' }),
        );
      }),
    );
  });

  it.each(['1e400', '-1e400', '1e-400', '4.95e-324', '9007199254740993', `${'9'.repeat(60_000)}`])(
    'no double is %.30s',
    (text) => expect(isExact(text)).toBe(false),
  );

  it.each(['0', '-0', '0e999', '0.00000000000000000000', '9007199254740992', '1e308', '5e-324'])(
    'a double is %s',
    (text) => expect(isExact(text)).toBe(true),
  );
});
