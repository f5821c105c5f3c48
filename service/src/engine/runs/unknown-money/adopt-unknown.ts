// Adopts money that no payment knows: creates a payment from the provider's facts, with the id that
// our marks name, and its refunds and disputes. Where its session can still be paid by it, it
// becomes the session's attempt, and settles as every attempt does. docs/decisions/reconciliation.md.

import { type CheckoutSession, hasEndedUnpaid } from '../../../domain/payments/checkout-session.ts';
import { walletApproved } from '../../../domain/payments/page-confirmed.ts';
import { authorize, capture, type Payment } from '../../../domain/payments/payment.ts';
import { lockSessionOfPayment } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { startAttempt } from '../../../storage/checkout-sessions/claim-attempt.ts';
import { readAskingTime, readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  findBuyerOf,
  isPaymentIdTaken,
  nameAdopted,
} from '../../../storage/payments/money-owner.ts';
import { findOpenOperation } from '../../../storage/payments/payment-operations.ts';
import { findPayment, insertPurchase } from '../../../storage/payments/payments.ts';
import {
  lockAdoption,
  setAdoptedPayment,
  type UnknownEnd,
  type UnknownMoney,
} from '../../../storage/payments/unknown-money.ts';
import type { MarkedPayment, Ports, Provider, Trace } from '../../ports.ts';
import { settleDispute } from '../../steps/disputes/settle-dispute.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { recordRefund } from '../../steps/notices/record-refund.ts';
import { applyToPayment } from '../../steps/payments/apply-to-payment.ts';
import { settleAttempt } from '../../steps/payments/settle-attempt.ts';
import { impliedWish } from '../checkout-sessions/attempt-variants.ts';

type AdoptionInput = {
  readonly held: UnknownMoney;
  readonly said: MarkedPayment;
  readonly ports: Ports;
};

const waitEnd = (error: string): UnknownEnd => ({ status: 'adopting', error });

/** Every step can be repeated: it finds the result of an earlier run. */
export async function adopt(held: UnknownMoney, ports: Ports): Promise<UnknownEnd> {
  const { clientId, gatewayId, intentId } = held;
  const gateway = await openGateway(ports, clientId, gatewayId);
  const provider = ports.provider(gateway);
  const reading = await provider.retrieveMarked(intentId);
  if (reading.kind !== 'found') return waitEnd('read_failed');
  const { payment: said, trace } = reading;
  const isMoney = said.state === 'authorized' || said.state === 'captured';
  if (!held.adoptedPaymentId && (!isMoney || said.isTakenBack)) {
    return { status: 'open', error: 'nothing_left', isRefused: true, state: said.state };
  }
  const payment = await becomePayment({ held, said, ports });
  if (!payment) return waitEnd('taken_over');
  if (!(await settle(payment, { said, trace, ports }))) return waitEnd('not_settled');
  ports.nudge('deliver-webhooks');
  const isWhole = await recordEarlierMoves(payment, { intentId, provider, ports });
  return isWhole ? { status: 'adopted', ...statesOf(said) } : waitEnd('not_taken_in');
}

const statesOf = (said: MarkedPayment) => ({
  state: said.state,
  refundedMinor: said.refundedMinor ?? 0,
});

/** Creates the payment, once; undefined where another process holds the decision. */
async function becomePayment(adopting: AdoptionInput): Promise<Payment | undefined> {
  const { held, ports } = adopting;
  const { clientId, marks } = held;
  // The id may be taken, for example by an earlier order of the same session.
  const isTaken = await isPaymentIdTaken(ports.database, marks.paymentId);
  const paymentId = isTaken ? ports.newId() : marks.paymentId;
  const id = await repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      const mine = await lockAdoption(tx, held);
      if (!mine) return undefined;
      if (mine.paymentId) return mine.paymentId;
      const written =
        (await writeAttempt(tx, { ...adopting, paymentId })) ??
        (await writeAlone(tx, { ...adopting, paymentId }));
      await setAdoptedPayment(tx, held.id, written);
      return written;
    }),
  );
  return id === undefined ? undefined : findPayment(ports.database, clientId, id);
}

type AdoptionWrite = AdoptionInput & { readonly paymentId: string };

/**
 * Creates it as the attempt of its session, where the session is open and has the same amount and
 * terms; undefined where it does not fit.
 */
async function writeAttempt(tx: Tx, writing: AdoptionWrite): Promise<string | undefined> {
  const { held, said, ports, paymentId } = writing;
  const { clientId, gatewayId, intentId, marks, provider } = held;
  if (!marks.sessionId || (said.refundedMinor ?? 0) > 0) return undefined;
  const session = await lockSessionOfPayment(tx, { clientId, sessionId: marks.sessionId });
  const now = await readClock(tx);
  if (!session || !isPaidBy(session, { held, said, now })) return undefined;
  const { leaseMs, isLive } = ports.settings;
  const request = {
    paymentId,
    operationId: ports.newId(),
    newMethodId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs,
    isLive,
    methodOf: impliedWish,
    walletGatewayId: provider === 'wallet' ? gatewayId : null,
    isAdopted: true,
    fingerprint: walletApproved,
    cardTokenSha256: null,
    requestId: null,
  };
  const claim = await startAttempt(tx, session, { request, now, card: undefined });
  if (claim.kind !== 'claimed') return undefined;
  await nameAdopted(tx, claim.payment, intentId);
  return claim.payment.id;
}

const isPaidBy = (
  session: CheckoutSession,
  { held, said, now }: { held: UnknownMoney; said: MarkedPayment; now: Date },
): boolean =>
  session.status === 'open' &&
  !hasEndedUnpaid(session, now) &&
  session.totalMinor === said.amountMinor &&
  session.currency === said.currency &&
  session.captureMethod === said.captureMethod &&
  (held.provider === 'wallet' || session.gatewayId === held.gatewayId) &&
  session.userId !== null &&
  session.email !== null;

/** Creates a payment without a session. It emits no `item.purchased`, because the cart is not known. */
async function writeAlone(
  tx: Tx,
  { held, said, ports, paymentId }: AdoptionWrite,
): Promise<string> {
  const buyer = await findBuyerOf(tx, held, said.customerId);
  const now = await readClock(tx);
  const inserted = await insertPurchase(tx, {
    id: paymentId,
    clientId: held.clientId,
    sessionId: null,
    userId: buyer.userId,
    externalId: buyer.externalId,
    email: buyer.email ?? held.email,
    isBuyerVerified: buyer.isVerified,
    provider: held.provider,
    gatewayId: held.gatewayId,
    amountMinor: said.amountMinor,
    currency: said.currency,
    captureMethod: said.captureMethod,
    metadata: buyer.metadata,
    reference: buyer.reference,
    isLive: ports.settings.isLive,
    createdAt: now,
  });
  await nameAdopted(tx, inserted, held.intentId);
  const payment = { ...inserted, providerIntentId: held.intentId };
  const isCaptured = said.state === 'captured';
  const moved = isCaptured ? capture(payment, said, now) : authorize(payment, said, now);
  const settlement = {
    change: { ...moved, ...said.paidWith },
    event: isCaptured ? ('purchase' as const) : ('payment.authorized' as const),
    failure: null,
  };
  await applyToPayment(tx, { payment, operation: null, settlement, now, ports });
  return paymentId;
}

/** Settles the session's attempt on the reading. True when the payment has no open attempt any more. */
async function settle(
  { clientId, id, sessionId }: Payment,
  { said, trace, ports }: { said: MarkedPayment; trace: Trace; ports: Ports },
): Promise<boolean> {
  const operation = await findOpenOperation(ports.database, clientId, id);
  if (operation?.kind !== 'authorize') return true;
  const held = { operation, sessionId, startedAt: operation.firstSentAt };
  await settleAttempt(held, { kind: 'confirmed', payment: said, trace }, ports);
  return (await findOpenOperation(ports.database, clientId, id)) === undefined;
}

/** Records the refunds and disputes that the payment already had. */
async function recordEarlierMoves(
  { clientId, id: purchaseId }: Payment,
  { intentId, provider, ports }: { intentId: string; provider: Provider; ports: Ports },
): Promise<boolean> {
  const refunds = await provider.listRefunds(intentId);
  if (refunds.kind !== 'found') return false;
  for (const refund of refunds.refunds) {
    await recordRefund({ clientId, id: purchaseId }, refund, ports);
  }
  const askedAt = await readAskingTime(ports.database);
  const disputes = await provider.listDisputes(intentId);
  if (disputes.kind !== 'found') return false;
  for (const said of disputes.disputes) {
    await settleDispute({ clientId, purchaseId, said, askedAt }, ports);
  }
  return true;
}
