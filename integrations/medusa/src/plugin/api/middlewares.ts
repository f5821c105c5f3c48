// What the provider itself is not told: the cart and the address of a guest, and how much a press wants to capture.

import { authenticate, defineMiddlewares } from '@medusajs/framework/http';
import { medusaMoney } from '../../rows.ts';
import type { Shop } from '../../settle.ts';

type Body = { provider_id?: string; data?: Record<string, unknown>; amount?: unknown };
type Request = { params: { id: string }; body: Body; scope: Shop };
type Response = { status(code: number): { json(body: object): void } };
type Next = () => void;

type Order = { id?: string; email?: string; shipping_address?: { country_code?: string } };

const ofOrder = ['id', 'email', 'shipping_address.country_code'];

async function nameOrder({ params, body, scope }: Request, _: Response, next: Next): Promise<void> {
  if (!body?.provider_id?.startsWith('pp_svc')) return next();
  const { data } = await scope.resolve('query').graph({
    entity: 'payment_collection',
    fields: ['id', ...['cart', 'order'].flatMap((of) => ofOrder.map((name) => `${of}.${name}`))],
    filters: { id: params.id },
  });
  const [found] = data as { cart?: Order; order?: Order }[];
  const order = found?.cart ?? found?.order;
  // Set here, whatever the browser sent: a guest is known by the address that the cart has.
  body.data = {
    ...body.data,
    svc_reference: order?.id ?? params.id,
    svc_email: order?.email,
    svc_country: order?.shipping_address?.country_code?.toUpperCase(),
  };
  next();
}

async function captureWhole({ params, body, scope }: Request, response: Response, next: Next) {
  if (body?.amount === undefined || body.amount === null) return next();
  const { data } = await scope.resolve('query').graph({
    entity: 'payment',
    fields: ['amount', 'currency_code', 'provider_id'],
    filters: { id: params.id },
  });
  const [payment] = data as { amount: unknown; currency_code: string; provider_id: string }[];
  if (!payment?.provider_id.startsWith('pp_svc')) return next();
  const [wanted, held] = [body.amount, payment.amount].map((amount) =>
    medusaMoney(amount, payment.currency_code),
  );
  if (wanted?.minor === held?.minor) return next();
  const message =
    'Svc captures a hold once and whole. Capture all of it and refund the rest, or cancel it and let the buyer pay again.';
  scope.resolve('logger').warn(`@svc/medusa: payment ${params.id} was not captured: ${message}`);
  response.status(400).json({ type: 'invalid_data', message });
}

const middlewares: unknown = defineMiddlewares({
  routes: [
    {
      matcher: '/store/payment-collections/:id/payment-sessions',
      method: ['POST'],
      middlewares: [nameOrder],
    },
    {
      matcher: '/store/svc/cards',
      middlewares: [authenticate('customer', ['session', 'bearer'])],
    },
    { matcher: '/admin/payments/:id/capture', method: ['POST'], middlewares: [captureWhole] },
  ],
});
export default middlewares;
