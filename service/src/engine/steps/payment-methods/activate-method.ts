import type { Event } from '@svc/contract/events/events';
import type { MethodFacts, PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { setFirstDefault } from '../../../storage/customers/customer-defaults.ts';
import { findExternalId } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  activateMethod,
  describeMethod,
} from '../../../storage/payment-methods/payment-methods.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { showPaymentMethod } from './show-payment-method.ts';

/** The method as the provider verified it, with the provider's ids and the facts that are shown. */
export type VerifiedMethod = {
  readonly providerCustomerId: string;
  readonly providerPaymentMethodId: string;
  readonly facts: MethodFacts & { readonly type: PaymentMethod['type'] };
  readonly request: Event['request'];
  readonly now: Date;
};

/**
 * Makes a locked, pending method usable, which requires that the provider has verified it. Appends
 * its event, and makes it the customer's default where there is none. The caller wakes the
 * deliveries after the commit. Spec: Saved payment method status. Reliability P1.
 */
export async function activate(
  tx: Tx,
  method: PaymentMethod,
  verified: VerifiedMethod,
  ports: Ports,
): Promise<PaymentMethod> {
  const { facts, now, request } = verified;
  const described = await describeMethod(tx, method, { ...facts, now });
  const active = await activateMethod(tx, described, verified);
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'payment_method.activated',
      clientId: active.clientId,
      isLive: active.isLive,
      now,
      resource: { type: 'payment_method', id: active.id, version: active.version },
      sequence: active.eventSeq,
      request,
      data: {
        object: {
          ...showPaymentMethod(active),
          userId: active.userId,
          externalId: await findExternalId(tx, active),
        },
        previousAttributes: { status: 'pending' },
      },
    }),
  );
  await setFirstDefault(tx, active, now);
  return active;
}
