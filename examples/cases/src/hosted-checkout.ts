// Hosted checkout: the buyer pays on the service's page and comes back; the shop asks the service
// what became of it, and ships on a webhook (see webhook-inbox.ts).
import { randomUUID } from 'node:crypto';
import { buyer, origin, page, serve, svc } from './merchant.ts';

const orders = new Map<string, { sessionId: string; nonce: string }>();

serve({
  'GET /': () => page('<form method="post" action="/buy"><button>Buy a mug</button></form>'),

  'POST /buy': async () => {
    const order = randomUUID();
    const session = await svc.checkout.sessions.create({
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      account: buyer,
      successUrl: `${origin}/thanks?order=${order}`,
      cancelUrl: origin,
    });
    if (!('redirectUrl' in session)) return page('Nothing was due: your order is complete.');
    orders.set(order, session);
    return Response.redirect(session.redirectUrl, 303);
  },

  'GET /thanks': async ({ url }) => {
    const order = orders.get(new URL(url).searchParams.get('order') ?? '');
    if (!order) return page('There is no such order.');
    const seen = await svc.checkout.sessions.getStatus(order.sessionId, order.nonce);
    // A coupon may have taken everything off: such an order has no payment.
    const paid = seen.paymentId ? `payment ${seen.paymentId}` : 'nothing was paid';
    return page(`<p>Your order is ${seen.status}, ${paid}.</p>`);
  },
});
