// Hold now, take the money when the parcel leaves: one key per order and operation, the same
// whenever it is asked again.
import { randomUUID } from 'node:crypto';
import { buyer, origin, page, serve, svc } from './merchant.ts';

const orders = new Map<string, { sessionId: string; nonce: string }>();

/** The order that the form names, and its payment: null where a coupon took everything off. */
async function orderIn(request: Request): Promise<{ order: string; paymentId: string | null }> {
  const order = String((await request.formData()).get('order'));
  const { sessionId, nonce } = orders.get(order) ?? { sessionId: '', nonce: '' };
  const { status, paymentId } = await svc.checkout.sessions.getStatus(sessionId, nonce);
  if (!paymentId && status !== 'completed') throw new Error(`order ${order} holds nothing`);
  return { order, paymentId };
}

serve({
  'GET /': () => page('<form method="post" action="/buy"><button>Order a mug</button></form>'),

  'POST /buy': async () => {
    const order = randomUUID();
    const session = await svc.checkout.sessions.create({
      captureMethod: 'manual',
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      account: buyer,
      successUrl: `${origin}/held?order=${order}`,
    });
    if (!('redirectUrl' in session)) return page('Nothing was due: your order is complete.');
    orders.set(order, session);
    return Response.redirect(session.redirectUrl, 303);
  },

  'GET /held': ({ url }) => {
    const order = new URL(url).searchParams.get('order') ?? '';
    if (!orders.has(order)) return page('There is no such order.');
    return page(`<form method="post"><input type="hidden" name="order" value="${order}">
      <button formaction="/ship">Ship and capture</button>
      <button formaction="/cancel">Cancel</button></form>`);
  },

  'POST /ship': async (request) => {
    const { order, paymentId } = await orderIn(request);
    if (!paymentId) return page('<p>Ship it: nothing was due, so nothing is captured.</p>');
    const key = { idempotencyKey: `${order}-capture` };
    const { status } = await svc.request('PUT', `/v1/payments/${paymentId}/capture`, {}, key);
    return page(`<p>The capture: ${status}.</p>`);
  },

  'POST /cancel': async (request) => {
    const { order, paymentId } = await orderIn(request);
    if (!paymentId) return page('<p>Nothing was due, so nothing is held.</p>');
    const key = { idempotencyKey: `${order}-cancel` };
    const { status } = await svc.request('PUT', `/v1/payments/${paymentId}/cancel`, {}, key);
    return page(`<p>The hold: ${status}.</p>`);
  },
});
