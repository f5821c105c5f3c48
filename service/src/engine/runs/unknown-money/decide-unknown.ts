// A person's decision about money that no payment knows: adopt it, release a hold, refund a charge.
// The decision is stored under a lease before the provider is asked. The provider is asked with the
// same key for as long as it may have received it, and the end is written with its audit entry.
// When a process dies in between, the next run continues.

import { resendMs } from '../../../domain/payments/operation.ts';
import {
  type CredentialRefusal,
  type Decision,
  decisionOf,
  endedStates,
  refuseDecision,
  remainingAmount,
  runningStates,
} from '../../../domain/payments/unknown-money.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import { repeatWhenLost } from '../../../storage/database/database.ts';
import { listMarkedGateways } from '../../../storage/gateways/gateways.ts';
import {
  claimUnknown,
  findUnknown,
  finishUnknown,
  type UnknownEnd,
  type UnknownMoney,
} from '../../../storage/payments/unknown-money.ts';
import type { HoldCall, Ports, RefundOutcome } from '../../ports.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { adopt } from './adopt-unknown.ts';
import { lookAtUnknown } from './look-at-unknown.ts';

export type DecisionRefusal =
  | CredentialRefusal
  /** No money with our marks and without a payment has that id. */
  | 'unknown_money_not_found'
  /** Another process works on it. */
  | 'decision_taken_over'
  /** Another decision about it was made. */
  | 'decided_otherwise'
  /** Another installation made it. */
  | 'made_elsewhere';

export type DecisionResult = {
  readonly refusal: DecisionRefusal | null;
  /** The money as it is now; `cause` is why the decision has not ended yet. */
  readonly money?: UnknownMoney;
  readonly cause?: string;
};

export type DecisionRequest = {
  /** The id of the row in `unknown_money`, or of the provider's object. */
  readonly id: string;
  readonly decision: Decision;
  readonly reason: string | null;
};

/** Makes a decision. Repeatable: where the same decision was made already, the present state is returned. */
export async function decideUnknown(wish: DecisionRequest, ports: Ports): Promise<DecisionResult> {
  const found = await findAnywhere(wish.id, ports);
  if (typeof found === 'string') return { refusal: found };
  if (found.status === endedStates[wish.decision]) return { refusal: null, money: found };
  const isUnderWay = found.status === runningStates[wish.decision];
  const isOpen =
    found.status === 'open' || found.status === 'watched' || found.status === 'settled';
  if (!isUnderWay && !isOpen) return { refusal: 'decided_otherwise', money: found };
  if (!isUnderWay) {
    const looked = await lookAtUnknown(found, ports);
    if (looked === 'elsewhere') return { refusal: 'made_elsewhere', money: found };
    const money = (await findUnknown(ports.database, found.id)) ?? found;
    const unfit = refuseDecision(wish.decision, money);
    if (unfit) return { refusal: unfit, money };
  }
  const refusal = await driveDecision(found, wish, ports);
  const money = (await findUnknown(ports.database, found.id)) ?? found;
  if (refusal) return { refusal, money };
  const isDone = money.status === endedStates[wish.decision];
  return { refusal: null, money, ...(isDone ? {} : { cause: money.lastError ?? 'no_answer' }) };
}

/** Continues a decision whose lease holder is gone; false where none is under way. */
export async function continueDecision(money: UnknownMoney, ports: Ports): Promise<boolean> {
  const decision = decisionOf(money.status);
  if (!decision) return false;
  await driveDecision(money, { decision, reason: null }, ports);
  return true;
}

/** Finds the money. An id that no run has listed yet is looked up at every account. */
async function findAnywhere(
  id: string,
  ports: Ports,
): Promise<UnknownMoney | 'unknown_money_not_found' | 'made_elsewhere'> {
  let refusal: 'unknown_money_not_found' | 'made_elsewhere' = 'unknown_money_not_found';
  const found = await findUnknown(ports.database, id);
  if (found || !/^[\w-]{1,255}$/.test(id)) return found ?? refusal;
  for (const { id: gatewayId, clientId } of await listMarkedGateways(ports.database, null)) {
    const looked = await lookAtUnknown({ clientId, gatewayId, intentId: id }, ports);
    const written = looked === 'written' && (await findUnknown(ports.database, id));
    if (written) return written;
    if (looked === 'elsewhere') refusal = 'made_elsewhere';
  }
  return refusal;
}

async function driveDecision(
  { id }: UnknownMoney,
  { decision, reason }: Omit<DecisionRequest, 'id'>,
  ports: Ports,
): Promise<DecisionRefusal | null> {
  const { database, settings } = ports;
  const held = await claimUnknown(
    database,
    { id },
    { decision, reason, leaseMs: settings.leaseMs },
  );
  if (!held) {
    const now = await findUnknown(database, id);
    if (now?.status === endedStates[decision]) return null;
    return now?.status === runningStates[decision] ? 'decision_taken_over' : 'decided_otherwise';
  }
  const act = { adopt, release, refund }[decision];
  const end = await act(held, ports);
  const isMine = await repeatWhenLost(() =>
    database.transaction(held.clientId, async (tx) => {
      const isFinished = await finishUnknown(tx, held, end);
      if (isFinished && end.status === endedStates[decision]) await record(tx, held, end, ports);
      return isFinished;
    }),
  );
  return isMine || (await findUnknown(database, id))?.status === end.status
    ? null
    : 'decision_taken_over';
}

function record(
  tx: Parameters<typeof recordOperatorChange>[0],
  held: UnknownMoney,
  end: UnknownEnd,
  ports: Ports,
): Promise<void> {
  const { id, clientId, intentId, marks, amountMinor, currency, reason } = held;
  const change = {
    action: `unknown_money.${end.status}`,
    resourceType: 'payment',
    resourceId: held.adoptedPaymentId ?? marks.paymentId,
    clientId,
    after: { id, providerIntentId: intentId, amountMinor, currency, reason },
  };
  return recordOperatorChange(tx, change, ports);
}

/** The provider call of a decision. The id in its key is that of the decision's row. */
const callOf = (held: UnknownMoney, amountMinor: number): HoldCall => ({
  key: `op-${held.id}-${held.attempt}`,
  isFirstSend: held.sends === 1,
  ...(held.attempt > 1 ? { mayHaveActed: true } : {}),
  operationId: held.id,
  paymentId: held.marks.paymentId,
  intentId: held.intentId,
  amountMinor,
  currency: held.currency,
});

/** The provider has refused: the money has to be decided again. */
const reopenEnd = (error: string): UnknownEnd => ({ status: 'open', error, isRefused: true });

async function release(held: UnknownMoney, ports: Ports): Promise<UnknownEnd> {
  const gateway = await openGateway(ports, held.clientId, held.gatewayId);
  const outcome = await ports.provider(gateway).cancel(callOf(held, held.amountMinor));
  if (outcome.kind === 'confirmed' && outcome.payment.state === 'released') {
    return { status: 'released', state: 'released' };
  }
  if (outcome.kind === 'refused') {
    const { state } = outcome.payment ?? {};
    // Another caller has released the hold meanwhile: the decision is carried out.
    if (state === 'released') return { status: 'released', state };
    return { ...reopenEnd(outcome.code), ...(state ? { state } : {}) };
  }
  const cause = outcome.kind === 'in_doubt' ? outcome.cause : 'still_held';
  return { status: 'releasing', error: cause };
}

async function refund(held: UnknownMoney, ports: Ports): Promise<UnknownEnd> {
  const gateway = await openGateway(ports, held.clientId, held.gatewayId);
  const provider = ports.provider(gateway);
  const amountMinor = held.refundMinor ?? remainingAmount(held);
  const askedAtMs = Date.now();
  const now = await readAskingTime(ports.database);
  const ageMs = now.getTime() - (held.firstSentAt ?? now).getTime();
  const outcome = held.providerRefundId
    ? await provider.retrieveRefund(held.providerRefundId)
    : await provider.refund({
        ...callOf(held, amountMinor),
        refundId: held.id,
        reason: null,
        sendUntil: ageMs < resendMs ? askedAtMs + 60_000 : null,
      });
  return endRefund(held, outcome, amountMinor);
}

function endRefund(held: UnknownMoney, outcome: RefundOutcome, amountMinor: number): UnknownEnd {
  if (outcome.kind === 'refused') return reopenEnd(outcome.code);
  if (outcome.kind === 'in_doubt') return { status: 'refunding', error: outcome.cause };
  const { state, refundId, failureReason } = outcome.refund;
  if (state === 'failed') {
    return { ...reopenEnd(failureReason ?? 'refund_failed'), providerRefundId: null };
  }
  if (state === 'pending') {
    return { status: 'refunding', providerRefundId: refundId, error: 'refund_pending' };
  }
  const refundedMinor = held.refundedMinor + amountMinor;
  return { status: 'refunded', providerRefundId: refundId, refundedMinor };
}
