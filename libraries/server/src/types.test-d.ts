// What the compiler makes of the library's types. Nothing here runs: what is wrong fails the check `types`.

import { expectTypeOf } from 'vitest';
import type { Calls, ItemPurchased, Payment, Svc, WebhookEvent } from './index.ts';

// Choices of words are open in answers and closed in what is sent.
expectTypeOf<'authorized'>().toExtend<Payment['status']>();
expectTypeOf<'of a later version'>().toExtend<Payment['status']>();
expectTypeOf<Payment['object']>().toEqualTypeOf<'payment'>();
type Refund = NonNullable<Calls['POST /v1/payments/{paymentId}/refunds']['body']>;
expectTypeOf<{ reason: 'other' }>().toExtend<Refund>();
expectTypeOf<{ reason: 'of a later version' }>().not.toExtend<Refund>();

// Events are told apart by type.
{
  const nameOf = (event: WebhookEvent) => {
    switch (event.type) {
      case 'item.purchased':
        expectTypeOf(event.data.object).toEqualTypeOf<ItemPurchased>();
        return event.data.object.items[0]?.name;
      case 'payment.authorized':
        expectTypeOf(event.data.object).toEqualTypeOf<Payment>();
        return event.data.object.authorizationExpiresAt;
      default:
        return event.type;
    }
  };
  expectTypeOf(nameOf).returns.toEqualTypeOf<
    string | null | undefined | Exclude<WebhookEvent['type'], 'item.purchased'>
  >();
}

// Nothing answered is any.
expectTypeOf<Calls[keyof Calls]['answer']>().not.toBeAny();
expectTypeOf<Svc['customers']['retrieve']>().returns.resolves.not.toBeAny();
expectTypeOf<Svc['checkout']['sessions']['retrieve']>().returns.resolves.not.toBeAny();
expectTypeOf<Svc['events']['retrieve']>().returns.resolves.toExtend<WebhookEvent>();

// No method captures or cancels.
expectTypeOf<Svc['payments']>().not.toHaveProperty('capture');
expectTypeOf<Svc['payments']>().not.toHaveProperty('cancel');
