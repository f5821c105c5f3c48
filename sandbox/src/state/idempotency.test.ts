import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';
import { parseForm } from '../requests/form.ts';
import { fingerprintOf } from './idempotency.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.sandbox.close());

const post = async (path: string, key: string, body = '') => {
  const answer = await fetch(`${bench.sandbox.url}/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bench.secretKey}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': key,
    },
    body,
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const countCaptures = async (intent: string) =>
  (await bench.control.ledger(intent)).filter(({ kind }) => kind === 'capture');

describe('Idempotency-Key', () => {
  test('replays the first answer byte for byte, whatever happened since', async () => {
    const { id } = await createHold(bench);
    const first = await post(`/payment_intents/${id}/capture`, 'k1', 'amount_to_capture=400');
    await bench.stripe.paymentIntents.update(id, { metadata: { later: 'yes' } });
    const again = await post(`/payment_intents/${id}/capture`, 'k1', 'amount_to_capture=400');
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
    expect(await countCaptures(id)).toHaveLength(1);
  });

  test('replays a decline and a refusal by state', async () => {
    const asked =
      'amount=500&currency=usd&confirm=true&payment_method=pm_card_chargeDeclined' +
      '&allowed_payment_method_types[]=card';
    const declined = await post('/payment_intents', 'k2', asked);
    expect(declined.status).toBe(402);
    expect(await post('/payment_intents', 'k2', asked)).toMatchObject({
      status: 402,
      text: declined.text,
    });
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.cancel(id);
    const refused = await post(`/payment_intents/${id}/capture`, 'k3');
    expect(refused.status).toBe(400);
    expect((await post(`/payment_intents/${id}/capture`, 'k3')).text).toBe(refused.text);
  });

  test('does not remember what was refused before it ran', async () => {
    const { id } = await createHold(bench);
    const refused = await post(`/payment_intents/${id}/capture`, 'k4', 'amount_to_capture=x');
    expect(refused.status).toBe(400);
    const good = await post(`/payment_intents/${id}/capture`, 'k4', 'amount_to_capture=5');
    expect(good.status).toBe(200);
  });

  test('400 idempotency_error: other parameters, another path', async () => {
    const { id } = await createHold(bench);
    const key = { idempotencyKey: 'k5' };
    await bench.stripe.paymentIntents.capture(id, { amount_to_capture: 5 }, key);
    const error = await refusal(
      bench.stripe.paymentIntents.capture(id, { amount_to_capture: 6 }, key),
    );
    expect(error).toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
    expect(await refusal(bench.stripe.paymentIntents.cancel(id, {}, key))).toMatchObject({
      type: 'StripeIdempotencyError',
    });
  });

  test('409 idempotency_key_in_use while the first is under way; it stands', async () => {
    const { id } = await createHold(bench);
    await bench.control.fault({ match: { object: id }, action: 'slow', delayMs: 300 });
    const first = post(`/payment_intents/${id}/capture`, 'k6');
    await expect
      .poll(
        async () =>
          (await bench.control.get<{ faults: { fired: number }[] }>('/faults')).faults[0]?.fired,
      )
      .toBe(1);
    const second = await post(`/payment_intents/${id}/capture`, 'k6');
    expect(second.status).toBe(409);
    expect(JSON.parse(second.text)).toMatchObject({ error: { code: 'idempotency_key_in_use' } });
    expect((await first).status).toBe(200);
    expect((await post(`/payment_intents/${id}/capture`, 'k6')).status).toBe(200);
    expect(await countCaptures(id)).toHaveLength(1);
  });

  test('is per account', async () => {
    const other = await bench.control.post<{ secretKey: string }>('/accounts', { name: 'other' });
    const body = 'amount=500&currency=usd';
    const mine = await post('/payment_intents', 'k7', body);
    const theirs = await fetch(`${bench.sandbox.url}/v1/payment_intents`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${other.secretKey}:`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': 'k7',
      },
      body,
    });
    const their = (await theirs.json()) as { id: string };
    expect(their.id).not.toBe((JSON.parse(mine.text) as { id: string }).id);
    const error = await refusal(bench.stripe.paymentIntents.retrieve(their.id));
    expect(error).toMatchObject({ statusCode: 404, code: 'resource_missing' });
  });

  test('forgets after 24 hours of the sandbox clock, not before', async () => {
    const body = 'amount=500&currency=usd';
    const first = await post('/payment_intents', 'k8', body);
    await bench.control.advance(24 * 3600 - 60);
    expect((await post('/payment_intents', 'k8', body)).text).toBe(first.text);
    await bench.control.advance(61);
    const fresh = await post('/payment_intents', 'k8', body);
    expect(fresh.text).not.toBe(first.text);
    expect(fresh.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('the fingerprint of a call', () => {
  const fingerprintFor = (body: string) =>
    fingerprintOf('POST', '/v1/payment_methods', parseForm(body));

  test('cannot be searched for a card number or a CVC', () => {
    const typed = fingerprintFor('type=card&card[number]=4242424242424242&card[cvc]=123');
    expect(fingerprintFor('type=card&card[number]=4000056655664242&card[cvc]=999')).toBe(typed);
    expect(fingerprintFor('type=card&card[number]=4242424242424241&card[cvc]=123')).not.toBe(typed);
  });

  test('is the same in any order, and tells nesting apart', () => {
    expect(fingerprintFor('b=2&a[x]=1')).toBe(fingerprintFor('a[x]=1&b=2'));
    expect(fingerprintFor('a[x]=1')).not.toBe(fingerprintFor('a=1'));
  });
});

describe('authentication', () => {
  test('401 for an unknown key and for none', async () => {
    const url = `${bench.sandbox.url}/v1/payment_intents`;
    const unknown = await fetch(url, { headers: { authorization: 'Bearer sk_test_nobody' } });
    expect(unknown.status).toBe(401);
    expect((await fetch(url)).status).toBe(401);
  });

  test('401 secret_key_required for a publishable key on a merchant call', async () => {
    expect(await refusal(bench.browser.customers.list())).toMatchObject({
      statusCode: 401,
      code: 'secret_key_required',
    });
  });

  test("403 for another account's header", async () => {
    const stripeAccount = 'acct_another';
    const error = await refusal(bench.stripe.customers.list({}, { stripeAccount }));
    expect(error).toMatchObject({ type: 'StripePermissionError', statusCode: 403 });
  });

  test('413 in the envelope for a body too large', async () => {
    const description = 'x'.repeat(300_000);
    const error = await refusal(bench.stripe.customers.create({ description }));
    expect(error).toMatchObject({ statusCode: 413, rawType: 'invalid_request_error' });
  });

  test('404 for an unknown URL', async () => {
    const answer = await fetch(`${bench.sandbox.url}/v1/nothing`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});
