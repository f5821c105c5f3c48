import { afterEach, beforeEach, expect, it } from 'vitest';
import { startShop } from '../test/running-shop.ts';
import { sessionId } from '../test/stub-service.ts';

let shop: Awaited<ReturnType<typeof startShop>>;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.stop());

const order = '0199a1b2-0000-4000-8000-00000000000d';
const completed = {
  id: 'evt_1',
  type: 'checkout.session.completed',
  created: 1,
  data: { object: { id: sessionId, paymentId: null, metadata: { orderId: order } } },
};
const purchased = {
  id: 'evt_2',
  type: 'item.purchased',
  created: 1,
  data: { object: { paymentId: null, sessionId, amount: 0, currency: 'EUR' } },
};

it('204 on create: the order is complete, and is packed after item.purchased of its session', async () => {
  shop.stub.state.isFree = true;
  const answer = await shop.submit('/buy', { order, currency: 'EUR', 'qty-mug': '1' });
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    `${shop.url}/thanks?order=${order}`,
  ]);
  const thanks = () => shop.page(`/thanks?order=${order}`);
  expect(await thanks()).toContain('Waiting for the webhook');
  for (const event of [completed, purchased]) {
    expect((await shop.deliver(event)).status).toBe(200);
  }
  expect(await thanks()).toContain('Paid, packing');
});

it('an event with the number of another order takes nothing over', async () => {
  const answer = await shop.submit('/buy', { order, currency: 'EUR', 'qty-mug': '1' });
  expect(answer.status).toBe(303);
  const stranger = { ...completed.data.object, id: '0199a1b2-0000-7000-8000-0000000000ff' };
  await shop.deliver({ ...completed, data: { object: stranger } });
  await shop.deliver({
    ...purchased,
    data: { object: { ...purchased.data.object, sessionId: stranger.id } },
  });
  expect(await shop.page(`/thanks?order=${order}`)).not.toContain('Paid, packing');
});
