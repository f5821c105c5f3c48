// GET /v1/payments/{paymentId}/details through the real route.

import { randomUUID } from 'node:crypto';
import type { ListedPayment, PaymentDetails } from '@svc/contract/payments/payments';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClub,
  advanceToRenewal,
  renewAll,
  renewalsOf,
} from '../../../test/customers/subscriptions.ts';
import { aClient, aToken, callAs, newId, type TestToken } from '../../../test/harness.ts';
import { aPurchase, deliverDisputeEvents, dispute } from '../../../test/payments/disputes.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { cards, startWorld, type World } from '../../../test/world.ts';
import { idEndOf, referenceOf } from '../../domain/payments/payment-reference.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const getDetails = (id: string, as: TestToken = world.token) =>
  callAs(server.app, as, `GET /v1/payments/${id}/details`);

async function detailsOf(id: string): Promise<PaymentDetails> {
  const answer = await getDetails(id);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

it('the list has reference, fee and net of each row, which add up to its sums', async () => {
  const { paymentId } = await aPurchase(world);
  await callAs(server.app, world.token, `POST /v1/payments/${paymentId}/refunds`, {
    body: { amount: 5, reason: 'duplicate' },
    headers: { 'idempotency-key': randomUUID() },
  });
  const other = await aPurchase(world);
  for (const order of ['', '&sortField=amount&sortDirection=DESC']) {
    const answer = await callAs(
      server.app,
      world.token,
      `GET /v1/payments?currency[eq]=EUR&limit=100${order}`,
    );
    const { data } = answer.json() as { data: ListedPayment[] };
    for (const id of [paymentId, other.paymentId]) {
      const { reference, balance } = await detailsOf(id);
      expect(data.find((row) => row.id === id)).toMatchObject({
        shortReference: reference,
        balance,
      });
    }
    const sums = (
      await callAs(server.app, world.token, 'GET /v1/payments/totals?currency[eq]=EUR')
    ).json().data[0];
    const minor = (sum: 'fee' | 'net') =>
      data.reduce((all, { balance }) => all + Math.round((balance?.[sum] ?? 0) * 100), 0);
    expect([minor('fee'), minor('net')]).toEqual([
      Math.round(sums.fee * 100),
      Math.round(sums.net * 100),
    ]);
  }
});

describe('getPaymentDetails', () => {
  it('200: the cart, its refunds with reason and who asked, its dispute', async () => {
    const { paymentId, intent } = await aPurchase(world);
    const refunded = await callAs(
      server.app,
      world.token,
      `POST /v1/payments/${paymentId}/refunds`,
      { body: { amount: 5, reason: 'duplicate' }, headers: { 'idempotency-key': randomUUID() } },
    );
    await deliverDisputeEvents(world, await dispute(world, intent, { amount: 1000 }));
    const details = await detailsOf(paymentId.toUpperCase());
    const asker = { kind: 'api_token', userId: world.token.userId, tokenName: 'test' };
    expect(details).toMatchObject({
      paymentId,
      items: [{ code: 'mug', name: 'Mug', quantity: 1, totalAmount: 19.9, currency: 'EUR' }],
      couponCodes: [],
      subscriptionId: null,
      declineAdvice: null,
      // A buyer paid, so no member of the merchant requested it.
      requestedBy: null,
      refunds: {
        data: [{ id: refunded.json().id, amount: 5, reason: 'duplicate', requestedBy: asker }],
        ...{ page: 1, limit: 20, total: 1, nextCursor: null },
      },
    });
    expect(details.disputeIds).toHaveLength(1);
    // The sandbox charges 2.9 % and 0.30, and refunds none of that.
    const booked = { currency: 'EUR', exchangeRate: null, transactionId: expect.any(String) };
    expect(details.balance).toEqual({
      ...{ fee: 0.88, net: 19.02, ...booked },
      availableAt: expect.stringMatching(/Z$/),
    });
    expect(details.refunds.data[0]?.balance).toMatchObject({ fee: 0, net: -5, ...booked });
    const ofRefund = await detailsOf(refunded.json().id);
    expect(ofRefund).toMatchObject({
      items: details.items,
      disputeIds: details.disputeIds,
      refunds: { data: [], total: 0 },
      requestedBy: asker,
    });
  });

  it('has pages of refunds, newest first', async () => {
    const { paymentId } = await aPurchase(world);
    const ids: string[] = [];
    for (const amount of [1, 2, 3]) {
      const refunded = await callAs(
        server.app,
        world.token,
        `POST /v1/payments/${paymentId}/refunds`,
        { body: { amount }, headers: { 'idempotency-key': randomUUID() } },
      );
      ids.unshift(refunded.json().id);
    }
    const read = async (query: string) => {
      const answer = await callAs(
        server.app,
        world.token,
        `GET /v1/payments/${paymentId}/details?${query}`,
      );
      expect(answer.statusCode, answer.body).toBe(200);
      const { data, ...page } = (answer.json() as PaymentDetails).refunds;
      return { ids: data.map(({ id }) => id), ...page };
    };
    const first = await read('limit=2');
    expect(first).toMatchObject({ ids: ids.slice(0, 2), page: 1, limit: 2, total: 3 });
    const rest = await read(`limit=2&cursor=${first.nextCursor}`);
    expect(rest).toMatchObject({ ids: ids.slice(2), total: 3, nextCursor: null });
    expect((await read('limit=2&page=2')).ids).toEqual(ids.slice(2));
    expect((await read('sortDirection=ASC')).ids).toEqual(ids.toReversed());
  });

  it('a renewal is for a line of its subscription, a declined one names the advice', async () => {
    const club = await aClub(world);
    expect((await detailsOf(club.paymentId)).subscriptionId).toBe(club.id);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    const renewed = (await renewalsOf(world, club.id))[0]?.id ?? '';
    expect(await detailsOf(renewed)).toMatchObject({
      subscriptionId: club.id,
      items: [{ code: 'club', quantity: 1, totalAmount: 24, currency: 'EUR' }],
    });
    const refund = await callAs(server.app, world.token, `POST /v1/payments/${renewed}/refunds`, {
      headers: { 'idempotency-key': newId() },
      body: { amount: 5 },
    });
    // The items of a refund are those of its purchase: what was bought, not what was refunded.
    expect((await detailsOf(refund.json().id)).items).toMatchObject([{ totalAmount: 24 }]);
    const declined = await aPurchase(world, cards.declined).catch((error) => error);
    expect(declined).toMatchObject({ code: 'card_declined' });
  });

  it('the reference is made of the id, and leads back to its end', async () => {
    for (const id of [newId(), '00000000-0000-7000-8000-000000000000', newId()]) {
      const reference = referenceOf(id);
      expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
      expect(id.endsWith(idEndOf(reference))).toBe(true);
    }
  });

  it('404 payment_not_found: missing and another merchant’s alike', async () => {
    const { paymentId } = await aPurchase(world);
    const stranger = await aToken(world.database, await aClient(world.database));
    for (const answer of [await getDetails(newId()), await getDetails(paymentId, stranger)]) {
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'payment_not_found']);
    }
  });

  it('400 invalid_payment_id, 403 insufficient_scope', async () => {
    expect((await getDetails('x')).json().code).toBe('invalid_payment_id');
    const scoped = await aToken(world.database, world.client, { scopes: ['refunds:write'] });
    expect((await getDetails(newId(), scoped)).json().code).toBe('insufficient_scope');
  });
});
