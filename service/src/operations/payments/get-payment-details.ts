import { rows } from '@svc/contract';
import type { PaymentDetails } from '@svc/contract/payments/payments';
import { toMajor } from '../../domain/money/money.ts';
import { referenceOf } from '../../domain/payments/payment-reference.ts';
import { implement } from '../../engine/implement.ts';
import { mayReadNames, requireServer } from '../../engine/require-server.ts';
import { showReview, showWarning } from '../../engine/steps/fraud-signals/show-signal.ts';
import { showApprover, showAsker } from '../../engine/steps/payments/show-asker.ts';
import { showBalance } from '../../engine/steps/payments/show-balance.ts';
import { showItems } from '../../engine/steps/payments/show-items.ts';
import { findSignalsOf } from '../../storage/fraud-signals/fraud-signals.ts';
import { findPaymentLocale } from '../../storage/payments/buyer-locales.ts';
import {
  type FamilyMember,
  findSurroundings,
  listRefundsOf,
} from '../../storage/payments/payment-details.ts';

/**
 * Reads the details around a payment; for a refund or chargeback, those around its purchase.
 * Additions §2. Refuses payment_not_found, for another merchant's too.
 */
export const getPaymentDetails = implement(rows.getPaymentDetails)(
  async (input, caller, ports, refuse) => {
    const server = requireServer(caller);
    const { clientId } = server;
    const { paymentId, ...query } = input;
    const { database } = ports;
    const [found, buyerLocale, listed, signals] = await Promise.all([
      findSurroundings(database, clientId, paymentId),
      findPaymentLocale(database, clientId, paymentId),
      listRefundsOf(database, { clientId, paymentId }, { ...query, filters: [] }),
      findSignalsOf(database, clientId, paymentId),
    ]);
    if (!found) return refuse('payment_not_found');
    const { own, around } = found;
    const { rows: refunds, ...page } = listed;
    const body: PaymentDetails = {
      paymentId: own.payment.id,
      reference: referenceOf(own.payment.id),
      declineAdvice: own.payment.declineAdvice,
      items: showItems(found),
      couponCodes: around.coupon_codes ?? [],
      subscriptionId: around.subscription_id,
      disputeIds: around.dispute_ids,
      fraudWarnings: signals.filter(({ kind }) => kind === 'warning').map(showWarning),
      reviews: signals.filter(({ kind }) => kind === 'review').map(showReview),
      customerName: mayReadNames(server) ? found.customerName : null,
      buyerLocale,
      requestedBy: showAsker(own.asker),
      balance: showBalance(own.payment.balance),
      approvedBy: showApprover(own.asker),
      refunds: { data: refunds.map(showRefund), ...page },
    };
    return { status: 200, body };
  },
);

const showRefund = ({
  payment,
  asker,
}: FamilyMember): PaymentDetails['refunds']['data'][number] => ({
  id: payment.id,
  status: payment.status,
  amount: toMajor(payment.amountMinor, payment.currency),
  reason: payment.refundReason,
  failureCode: payment.failureCode,
  balance: showBalance(payment.balance),
  requestedBy: showAsker(asker),
  approvedBy: showApprover(asker),
  createdAt: payment.createdAt.toISOString(),
});
