// A checkout that costs nothing completes without a payment: session, coupons, subscriptions and
// events in one transaction. Additions §3, Free orders.

import type { Event } from '@svc/contract/events/events';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { reserveCoupons } from '../../../storage/catalog/coupons.ts';
import {
  completeFreeSession,
  countSessionEvent,
} from '../../../storage/checkout-sessions/checkout-sessions.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { listUsableMethods } from '../../../storage/payment-methods/payment-methods.ts';
import { isSecondSubscription } from '../../../storage/subscriptions/second-subscriptions.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent, showFreePurchase } from '../events/compose-event.ts';
import {
  type Sale,
  startFreeSubscriptions,
  startFunded,
  startUnfunded,
} from '../subscriptions/start-subscriptions.ts';
import { completedEvent } from './end-session.ts';

export type FreeOrder = {
  /** The method that pays later periods; when absent, the one that the customer would be offered first. */
  readonly methodId?: string | undefined;
  readonly request: NonNullable<Event['request']>;
  readonly now: Date;
  readonly ports: Ports;
};

/** The completed session, or the reason why nothing was written. */
export type FreeEnd =
  | { readonly kind: 'completed'; readonly session: CheckoutSession }
  | { readonly kind: 'coupons_used' | 'coupon_inactive' | 'subscription_exists' };

/**
 * Completes a locked, open session whose total is zero. Its coupons are counted here, under their
 * locks, so that a limit holds however many orders come at once. `checkout.session.completed` is
 * the first of its two events. With items `item.purchased` follows, as an event of the session,
 * because there is no payment.
 */
export async function completeFreeOrder(
  tx: Tx,
  session: CheckoutSession,
  { methodId, request, now, ports }: FreeOrder,
): Promise<FreeEnd> {
  if (await isSecondSubscription(tx, session)) return { kind: 'subscription_exists' };
  const reserved = await reserveCoupons(tx, session);
  if (reserved !== 'redeemed') return { kind: reserved };
  const completed = await completeFreeSession(tx, session, now);
  const isLive = ports.settings.isLive;
  const before = session.status;
  await appendEvent(tx, completedEvent(completed, { before, isLive, request, now, ports }));
  const next = await appendItemEvent(tx, completed, { request, now, ports });
  await startPlans(tx, next, { methodId, now, ports });
  return { kind: 'completed', session: next };
}

async function appendItemEvent(
  tx: Tx,
  session: CheckoutSession,
  { request, now, ports }: Pick<FreeOrder, 'request' | 'now' | 'ports'>,
): Promise<CheckoutSession> {
  if (!session.lines.some((line) => line.kind === 'item')) return session;
  const next = await countSessionEvent(tx, session);
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'item.purchased',
      clientId: next.clientId,
      isLive: ports.settings.isLive,
      now,
      resource: { type: 'checkout_session', id: next.id, version: next.version },
      sequence: next.eventSeq,
      request,
      data: { object: showFreePurchase(next, now) },
    }),
  );
  return next;
}

/**
 * Starts the subscriptions of the order. A subscription belongs to a customer whom the merchant has
 * vouched for, so without one nothing is started.
 */
async function startPlans(
  tx: Tx,
  session: CheckoutSession,
  { methodId, now, ports }: Pick<FreeOrder, 'methodId' | 'now' | 'ports'>,
): Promise<void> {
  const { clientId, id: sessionId, userId, currency, gatewayId, metadata, lines } = session;
  if (!userId || !currency || !session.isBuyerVerified) return;
  const method = await chooseMethod(tx, session, methodId);
  const sale: Sale = {
    clientId,
    sessionId,
    userId,
    currency,
    provider: method?.provider ?? 'cardprovider',
    gatewayId: method?.gatewayId ?? gatewayId,
    isLive: ports.settings.isLive,
    metadata,
    lines,
    now,
    ports,
  };
  await startFreeSubscriptions(tx, sale);
  if (method) await startFunded(tx, sale, method.id);
  else await startUnfunded(tx, sale);
}

async function chooseMethod(
  tx: Tx,
  session: CheckoutSession,
  methodId: string | undefined,
): Promise<PaymentMethod | undefined> {
  const methods = await listUsableMethods(tx, session);
  return methods.find(({ id }) => id === methodId) ?? methods[0];
}
