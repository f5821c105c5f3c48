import type { Payment as WirePayment } from '@svc/contract/payments/payments';
import { toMajor } from '../../../domain/money/money.ts';
import type { Operation } from '../../../domain/payments/operation.ts';
import type { CardFacts, Payment } from '../../../domain/payments/payment.ts';
import { findPastPayment } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';

const instantOf = (date: Date | null): string | null => date?.toISOString() ?? null;

/** The payment as callers see it. Spec: Payment. Contract §2. */
export function showPayment(payment: Payment): WirePayment {
  const majorOf = (minor: number) => toMajor(minor, payment.currency);
  const isPurchase = payment.type === 'purchase';
  return {
    id: payment.id,
    object: 'payment',
    clientId: payment.clientId,
    sessionId: payment.sessionId,
    userId: payment.userId,
    externalId: payment.externalId,
    email: payment.email,
    reference: payment.reference,
    buyerVerified: payment.isBuyerVerified,
    type: payment.type,
    status: payment.status,
    amount: majorOf(payment.amountMinor),
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    amountCaptured: majorOf(payment.capturedMinor),
    amountRefunded: majorOf(payment.refundedMinor),
    amountRefundable: isPurchase
      ? majorOf(payment.capturedMinor - payment.refundedMinor - payment.refundPendingMinor)
      : 0,
    captureMethod: payment.captureMethod,
    provider: payment.provider,
    gatewayId: payment.gatewayId,
    gatewayChargeId: payment.gatewayChargeId,
    paymentMethod: payment.card && showCard(payment.card),
    parentPaymentId: payment.parentPaymentId,
    financialEffectiveAt: instantOf(payment.financialEffectiveAt),
    authorizationExpiresAt: instantOf(payment.authorizationExpiresAt),
    authorizationVoidReason: payment.authorizationVoidReason,
    failureCode: payment.failureCode,
    declineCode: payment.declineCode,
    failureMessage: payment.failureMessage,
    metadata: { ...payment.metadata },
    livemode: payment.isLive,
    version: payment.version,
    createdAt: payment.createdAt.toISOString(),
    updatedAt: payment.updatedAt.toISOString(),
    authorizedAt: instantOf(payment.authorizedAt),
    capturedAt: instantOf(payment.capturedAt),
    voidedAt: instantOf(payment.voidedAt),
  };
}

// Each field is listed in order, because the database stores the fields of JSON in an order of its own.
const showCard = (card: CardFacts): NonNullable<WirePayment['paymentMethod']> => ({
  id: card.id ?? null,
  type: card.type,
  brand: card.brand,
  lastFour: card.lastFour,
  expiryMonth: card.expiryMonth,
  expiryYear: card.expiryYear,
});

/**
 * The body of an operation's final answer, for a repeat of its request: as it was kept, or composed again once
 * retention has removed it. Contract §2, Idempotency.
 */
export async function recallAnswer(
  operation: Operation,
  { database }: Pick<Ports, 'database'>,
): Promise<string> {
  return (
    operation.responseBody ??
    JSON.stringify(showPayment(await findPastPayment(database, operation)))
  );
}
