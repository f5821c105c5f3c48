// What the compiler makes of the library's types. Nothing here runs: what is wrong fails the check `types`.

import { expectTypeOf } from 'vitest';
import type {
  ActivatedPaymentMethod,
  ApiTokenEventObject,
  Calls,
  CompletedCheckout,
  CompletedSetup,
  DeletedPaymentMethod,
  Dispute,
  EventDataByType,
  EventType,
  ExpiredCheckout,
  FraudWarning,
  ItemPurchased,
  Payment,
  PaymentReview,
  ProviderEvent,
  RefundRequest,
  ReplacedPaymentMethod,
  Subscription,
  Svc,
  WebhookEndpointEventObject,
  WebhookEvent,
} from './index.ts';

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

// The object of every type, and nothing else of `data` but what that type has.
{
  type ObjectOf<T extends EventType> = EventDataByType[T] extends { object: infer O } ? O : never;
  expectTypeOf<WebhookEvent<'dispute.opened'>['data']>().toEqualTypeOf<
    EventDataByType['dispute.opened']
  >();
  type OfSignal = 'payment.fraud_warning' | `payment.review_${string}`;
  type OfPayment = Exclude<
    Extract<EventType, `${'payment' | 'refund' | 'chargeback'}.${string}`>,
    OfSignal
  >;
  expectTypeOf<ObjectOf<'payment.fraud_warning'>>().toEqualTypeOf<FraudWarning>();
  expectTypeOf<
    ObjectOf<Extract<EventType, `payment.review_${string}`>>
  >().toEqualTypeOf<PaymentReview>();
  expectTypeOf<keyof EventDataByType>().toEqualTypeOf<EventType>();
  expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<EventType>();
  expectTypeOf<ObjectOf<OfPayment>>().toEqualTypeOf<Payment>();
  expectTypeOf<ObjectOf<'item.purchased'>>().toEqualTypeOf<ItemPurchased>();
  expectTypeOf<ItemPurchased['paymentId']>().toEqualTypeOf<string | null>();
  expectTypeOf<ItemPurchased['buyerVerified']>().toEqualTypeOf<boolean>();
  expectTypeOf<
    ObjectOf<Extract<EventType, `refund_request.${string}`>>
  >().toEqualTypeOf<RefundRequest>();
  expectTypeOf<ObjectOf<Extract<EventType, `dispute.${string}`>>>().toEqualTypeOf<Dispute>();
  expectTypeOf<
    ObjectOf<Extract<EventType, `subscription.${string}`>>
  >().toEqualTypeOf<Subscription>();
  expectTypeOf<ObjectOf<'payment_method.activated'>>().toEqualTypeOf<ActivatedPaymentMethod>();
  expectTypeOf<ObjectOf<'payment_method.deleted'>>().toEqualTypeOf<DeletedPaymentMethod>();
  expectTypeOf<ObjectOf<'payment_method.replaced'>>().toEqualTypeOf<ReplacedPaymentMethod>();
  expectTypeOf<ObjectOf<'checkout.session.completed'>>().toEqualTypeOf<
    CompletedCheckout | CompletedSetup
  >();
  expectTypeOf<ObjectOf<'checkout.session.expired'>>().toEqualTypeOf<ExpiredCheckout>();
  expectTypeOf<
    ObjectOf<Extract<EventType, `api_token.${string}`>>
  >().toEqualTypeOf<ApiTokenEventObject>();
  expectTypeOf<
    ObjectOf<Extract<EventType, `webhook_endpoint.${string}`>>
  >().toEqualTypeOf<WebhookEndpointEventObject>();
  expectTypeOf<
    WebhookEvent<'payment.capture_failed'>['data']['failure']['message']
  >().toEqualTypeOf<string | null>();
  const readByType = (event: WebhookEvent) => {
    switch (event.type) {
      case 'checkout.session.completed':
        if (!('paymentMethodId' in event.data.object)) return event.data.object.totals.total;
        return event.data.object.paymentMethodId;
      case 'dispute.opened':
        // @ts-expect-error a dispute has no such field
        return event.data.object.paymentMethod;
      case 'payment.authorized':
        // @ts-expect-error only a failed capture has it
        return event.data.failure;
      default:
        return event.data.object;
    }
  };
  expectTypeOf(readByType).parameter(0).toEqualTypeOf<WebhookEvent>();
}

// What is verified is an event of the service, or of the provider, as the secret's prefix says.
{
  const verify = (svc: Svc, ours: `svc_whsec_${string}`, theirs: `whsec_${string}`) => {
    expectTypeOf(svc.webhooks.constructEvent('', '', ours)).toEqualTypeOf<WebhookEvent>();
    expectTypeOf(svc.webhooks.constructEvent('', '', theirs)).toEqualTypeOf<ProviderEvent>();
    return svc.webhooks.toFetchHandler((event) => {
      if (event.type === 'refund.failed') {
        expectTypeOf(event.data.object).toEqualTypeOf<Payment>();
      }
    }, ours);
  };
  expectTypeOf(verify).returns.not.toBeAny();
}

// Nothing answered is any.
expectTypeOf<Calls[keyof Calls]['answer']>().not.toBeAny();
expectTypeOf<Svc['customers']['retrieve']>().returns.resolves.not.toBeAny();
expectTypeOf<Svc['checkout']['sessions']['retrieve']>().returns.resolves.not.toBeAny();
expectTypeOf<Svc['events']['retrieve']>().returns.resolves.toExtend<WebhookEvent>();

// No method captures or cancels.
expectTypeOf<Svc['payments']>().not.toHaveProperty('capture');
expectTypeOf<Svc['payments']>().not.toHaveProperty('cancel');
