// The server library's calls of the card provider, over the sandbox, and of the service's resources
// with the merchant's credential. Spec 4.5. Contract §11.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Svc, SvcApiError, SvcNotFoundError } from '../../libraries/server/src/index.ts';
import { newId } from '../../service/test/harness.ts';
import { type Library, openLibrary, thrown } from './server-library.ts';

let library: Library;
let svc: Svc;
beforeAll(async () => {
  library = await openLibrary();
  ({ svc } = library);
}, 60_000);
afterAll(() => library?.close());

/** A session of the provider's own checkout, as merchants make them beside this service. */
const aProviderSession = () =>
  library.stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://shop.example.test/thanks',
    line_items: [
      {
        price_data: { currency: 'eur', unit_amount: 1250, product_data: { name: 'A print' } },
        quantity: 3,
      },
      {
        price_data: { currency: 'eur', unit_amount: 400, product_data: { name: 'A frame' } },
        quantity: 1,
      },
    ],
  });

describe('provider checkout sessions', () => {
  it('Spec 4.5 sessions.retrieve and provider status: open, then complete once paid', async () => {
    const { id } = await aProviderSession();
    const open = await svc.checkout.sessions.retrieve(id);
    expect(open).toMatchObject({
      id,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 4150,
    });
    expect(open.lastResponse.statusCode).toBe(200);
    await library.control('POST', `/_control/checkout_sessions/${id}/pay`, {});
    expect(await svc.checkout.sessions.retrieve(id)).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
    });
  });

  it('Spec 4.5 sessions.expire: an open one is expired; one that is not open is refused', async () => {
    const { id } = await aProviderSession();
    expect(await svc.checkout.sessions.expire(id)).toMatchObject({ id, status: 'expired' });
    expect(await svc.checkout.sessions.retrieve(id)).toMatchObject({ status: 'expired' });
    const error = await thrown(() => svc.checkout.sessions.expire(id));
    expect([error.type, error.wireType, error.status]).toEqual([
      'validation_error',
      'invalid_request_error',
      400,
    ]);
  });

  it('Spec 4.5 sessions.listLineItems and line items: each line has its price and quantity, over all pages', async () => {
    const { id } = await aProviderSession();
    const first = await svc.checkout.sessions.listLineItems(id, { limit: 1 });
    expect([first.data.length, first.has_more]).toEqual([1, true]);
    const lines = await svc.checkout.sessions.listLineItems(id, { limit: 1 }).toArray({ limit: 9 });
    expect(
      lines.map((line) => [line.quantity, line.price?.unit_amount, line.amount_total]),
    ).toEqual([
      [3, 1250, 3750],
      [1, 400, 400],
    ]);
  });

  it('Spec 4.5 missing session: api_error, resource_missing', async () => {
    for (const call of ['retrieve', 'expire'] as const) {
      const error = await thrown(() => svc.checkout.sessions[call]('cs_test_nothing'));
      expect([error.type, error.code, error.status]).toEqual([
        'api_error',
        'resource_missing',
        404,
      ]);
      expect(error.constructor).toBe(SvcNotFoundError);
    }
  });
});

describe('customers', () => {
  it('Spec 4.5 customers.create: email, name and metadata', async () => {
    const given = { email: 'ada@example.test', name: 'Ada', metadata: { order: '7' } };
    const made = await svc.customers.create(given);
    expect(made).toMatchObject({
      ...given,
      id: expect.stringMatching(/^cus_/),
      object: 'customer',
    });
    expect(await library.stripe.customers.retrieve(made.id)).toMatchObject(given);
  });

  it('Spec 4.5 required email: required, refused before the network', async () => {
    for (const params of [{}, { email: '' }, undefined]) {
      const error = await thrown(() => svc.customers.create(params as never));
      expect(error).toMatchObject({ type: 'validation_error', param: 'email' });
    }
  });

  it('Spec 4.5 customers.create under one key: the same key makes one customer', async () => {
    const key = { idempotencyKey: `customer-${newId()}` };
    const [one, two] = [
      await svc.customers.create({ email: 'ada@example.test' }, key),
      await svc.customers.create({ email: 'ada@example.test' }, key),
    ];
    expect(two.id).toBe(one.id);
  });

  it('Spec 4.5 customers.retrieve: as it stands at the provider', async () => {
    const { id } = await svc.customers.create({ email: 'eve@example.test' });
    expect(await svc.customers.retrieve(id)).toMatchObject({ id, email: 'eve@example.test' });
  });

  it('Spec 4.5 deleted customer: api_error, resource_missing, as one that never was', async () => {
    const { id } = await svc.customers.create({ email: 'eve@example.test' });
    await library.stripe.customers.del(id);
    for (const gone of [id, 'cus_nobody']) {
      const error = await thrown(() => svc.customers.retrieve(gone));
      expect(error).toBeInstanceOf(SvcApiError);
      expect([error.type, error.code, error.status]).toEqual([
        'api_error',
        'resource_missing',
        404,
      ]);
    }
  });

  it('Spec 4.5 customers.update: what is named changes, the rest stays', async () => {
    const metadata = { order: '7', note: 'gift' };
    const { id } = await svc.customers.create({ email: 'ada@example.test', name: 'Ada', metadata });
    await svc.customers.update(id, { email: 'new@example.test', metadata: { note: '' } });
    expect(await svc.customers.retrieve(id)).toMatchObject({
      email: 'new@example.test',
      name: 'Ada',
      metadata: { order: '7' },
    });
  });
});
