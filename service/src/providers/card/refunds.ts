// Refunds at the card provider. No state prevents a repeated refund: only the key keeps a repeat
// from returning the money twice, so every answer that is not clear leaves the refund in doubt.

import type Stripe from 'stripe';
import { configurationCode, isKeyRefused } from '../../domain/protocol/key-refused.ts';
import { markMetadata } from '../../domain/protocol/marks.ts';
import type {
  ProviderRefund,
  RefundCall,
  RefundList,
  RefundOutcome,
  Trace,
} from '../../engine/ports.ts';
import { fromProviderAmount, toProviderAmount } from './amounts.ts';
import { readBalance, readReversal } from './balance.ts';
import { heldBackOutcome } from './holds.ts';
import { isHeldBack, read, sendAgain, type Wire } from './wire.ts';

const expand = ['balance_transaction'];
/** A refund that is read later may have failed after it was booked. */
const expandLater = [...expand, 'failure_balance_transaction'];

const inDoubtOutcome = (cause: string, trace: Trace): RefundOutcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

/**
 * Sends the refund, unless an earlier send may have made it: then first looks for it. When the
 * provider may have forgotten the key, it is not sent again.
 */
export async function refund(wire: Wire, call: RefundCall): Promise<RefundOutcome> {
  const { sendUntil } = call;
  if (sendUntil !== null && call.isFirstSend) return sendRefund({ ...wire, sendUntil }, call);
  const found = await findRefundOf(wire, call);
  if (found.kind === 'found') return judge(found.refund, call, found.trace);
  // The refund is not sent when the look-up failed, either.
  if (found.kind === 'unread') {
    return found.isHeldBack
      ? heldBackOutcome(found.trace)
      : inDoubtOutcome('read_failed', found.trace);
  }
  // Not finding the refund proves nothing.
  if (sendUntil === null) return inDoubtOutcome('no_answer', found.trace);
  return sendRefund({ ...wire, sendUntil }, call);
}

async function sendRefund(wire: Wire, call: RefundCall): Promise<RefundOutcome> {
  const sent = await sendAgain(wire, ({ timeout }) =>
    wire.sdk.refunds.create(
      {
        payment_intent: call.intentId,
        amount: toProviderAmount(call.amountMinor, call.currency),
        metadata: {
          operation_id: call.operationId,
          refund_id: call.refundId,
          ...markMetadata(wire.making, call.operationId),
        },
        expand,
        ...(call.reason === null || call.reason === 'other' ? {} : { reason: call.reason }),
      },
      { idempotencyKey: call.key, timeout },
    ),
  );
  const { answer, mayHaveActed, mayHaveArrived } = sent;
  const { trace } = answer;
  if (sent.isHeldBack) return heldBackOutcome(trace);
  if (answer.kind === 'ok') {
    const isOurs = answer.value.metadata?.operation_id === call.operationId;
    return isOurs ? judge(answer.value, call, trace) : findRefundAgain(wire, call, { trace });
  }
  if (!mayHaveArrived && call.isFirstSend) return inDoubtOutcome('unavailable', trace);
  if (answer.kind === 'lost' || answer.status >= 500 || [409, 429].includes(answer.status)) {
    return findRefundAgain(wire, call, { trace });
  }
  const isOurs = isKeyRefused(answer.status);
  const { code = isOurs ? 'key_refused' : 'refused', rawType } = answer.error;
  // The key was used before with other parameters: that request may have taken effect.
  if (rawType === 'idempotency_error') {
    return findRefundAgain(wire, call, { trace, otherwise: 'key_used_before' });
  }
  if (call.isFirstSend && !mayHaveActed) return { kind: 'refused', code, trace };
  // The provider answered before it looked at the key: the answer proves nothing about an earlier send.
  if ([401, 403, 404].includes(answer.status)) {
    return findRefundAgain(wire, call, { trace, otherwise: configurationCode(answer.status) });
  }
  return findRefundAgain(wire, call, { trace, refusal: code });
}

/** Reads one refund again. */
export async function retrieveRefund(wire: Wire, refundId: string): Promise<RefundOutcome> {
  const answer = await read(wire, (options) =>
    wire.sdk.refunds.retrieve(refundId, { expand: expandLater }, options),
  );
  const { trace } = answer;
  if (answer.kind !== 'ok') return inDoubtOutcome('read_failed', trace);
  if (answer.value.id !== refundId) return inDoubtOutcome('answer_mismatch', trace);
  return { kind: 'confirmed', refund: translateRefund(answer.value), trace };
}

function judge(said: Stripe.Refund, call: RefundCall, trace: Trace): RefundOutcome {
  const refund = translateRefund(said);
  const isOurs = refund.amountMinor === call.amountMinor && refund.currency === call.currency;
  return isOurs ? { kind: 'confirmed', refund, trace } : inDoubtOutcome('answer_mismatch', trace);
}

type Unread = { readonly kind: 'unread'; readonly isHeldBack: boolean; readonly trace: Trace };
type FoundRefund =
  | { readonly kind: 'found'; readonly refund: Stripe.Refund; readonly trace: Trace }
  | { readonly kind: 'none'; readonly trace: Trace }
  | Unread;

/** Finds the operation's refund among those of the intent. */
async function findRefundOf(wire: Wire, call: RefundCall): Promise<FoundRefund> {
  const listed = await readRefunds(wire, call.intentId);
  const { trace } = listed;
  if (listed.kind === 'unread') return listed;
  const refund = listed.refunds.find((one) => one.metadata?.operation_id === call.operationId);
  return refund ? { kind: 'found', refund, trace } : { kind: 'none', trace };
}

/**
 * Looks for the refund after an answer that is not final. A refusal counts when the provider gave
 * it for this key and the refund is not among those of the intent.
 */
async function findRefundAgain(
  wire: Wire,
  call: RefundCall,
  said: { readonly trace: Trace; readonly refusal?: string; readonly otherwise?: string },
): Promise<RefundOutcome> {
  const { trace, refusal, otherwise = 'no_answer' } = said;
  const found = await findRefundOf(wire, call);
  if (found.kind === 'found') return judge(found.refund, call, trace);
  if (found.kind === 'unread') return inDoubtOutcome('read_failed', trace);
  return refusal === undefined
    ? inDoubtOutcome(otherwise, trace)
    : { kind: 'refused', code: refusal, trace };
}

type ListedRefunds =
  | { readonly kind: 'read'; readonly refunds: readonly Stripe.Refund[]; readonly trace: Trace }
  | Unread;

/** Returns all refunds of the intent, whoever made them; newest first. */
async function readRefunds(wire: Wire, intentId: string): Promise<ListedRefunds> {
  const refunds: Stripe.Refund[] = [];
  for (;;) {
    const last = refunds.at(-1)?.id;
    const answer = await read(wire, (options) =>
      wire.sdk.refunds.list(
        {
          payment_intent: intentId,
          limit: 100,
          expand: expandLater.map((path) => `data.${path}`),
          ...(last ? { starting_after: last } : {}),
        },
        options,
      ),
    );
    const { trace } = answer;
    if (answer.kind !== 'ok') return { kind: 'unread', isHeldBack: isHeldBack(answer), trace };
    refunds.push(...answer.value.data);
    const isWhole = !answer.value.has_more || answer.value.data.length === 0;
    if (isWhole) return { kind: 'read', refunds, trace };
  }
}

/** Returns the refunds of an intent, whoever made them. */
export async function listRefunds(wire: Wire, intentId: string): Promise<RefundList> {
  const listed = await readRefunds(wire, intentId);
  const { trace } = listed;
  if (listed.kind === 'unread') return { kind: 'in_doubt', cause: 'read_failed', trace };
  return { kind: 'found', refunds: listed.refunds.map(translateRefund), trace };
}

const states: Readonly<Record<string, ProviderRefund['state']>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
};

function translateRefund(said: Stripe.Refund): ProviderRefund {
  const currency = said.currency.toUpperCase();
  const balance = typeof said.balance_transaction === 'object' ? said.balance_transaction : null;
  return {
    refundId: said.id,
    state: states[said.status ?? ''] ?? 'pending',
    failureReason: said.failure_reason ?? null,
    amountMinor: fromProviderAmount(said.amount, currency),
    currency,
    chargeId: typeof said.charge === 'string' ? said.charge : (said.charge?.id ?? null),
    effectiveAt: balance ? new Date(balance.created * 1000) : null,
    balance: readBalance(balance),
    ...readReversal(said.failure_balance_transaction),
    intentId:
      typeof said.payment_intent === 'string'
        ? said.payment_intent
        : (said.payment_intent?.id ?? null),
    operationId: said.metadata?.operation_id ?? null,
  };
}
