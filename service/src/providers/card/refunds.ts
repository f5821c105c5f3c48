// Refunds at the card provider. Not guarded by state: only the key keeps a repeat from giving the
// money back twice, so everything but a clear answer stays in doubt.

import type Stripe from 'stripe';
import type {
  ProviderRefund,
  RefundCall,
  RefundList,
  RefundOutcome,
  Trace,
} from '../../operations/ports.ts';
import { fromProviderAmount, toProviderAmount } from './translate.ts';
import { read, sendAgain, type Wire } from './wire.ts';

const expand = ['balance_transaction'];

const inDoubt = (cause: string, trace: Trace): RefundOutcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

/** Sends the refund, or, where the key may be forgotten, looks whether it is there. */
export async function refund(wire: Wire, call: RefundCall): Promise<RefundOutcome> {
  const { sendUntil } = call;
  if (sendUntil === null) return findRefund(wire, call, null);
  const { answer, mayHaveArrived } = await sendAgain({ ...wire, sendUntil }, ({ timeout }) =>
    wire.sdk.refunds.create(
      {
        payment_intent: call.intentId,
        amount: toProviderAmount(call.amountMinor, call.currency),
        metadata: { operation_id: call.operationId, refund_id: call.refundId },
        expand,
        ...(call.reason === null || call.reason === 'other' ? {} : { reason: call.reason }),
      },
      { idempotencyKey: call.key, timeout },
    ),
  );
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const isOurs = answer.value.metadata?.operation_id === call.operationId;
    return isOurs ? judge(answer.value, call, trace) : findRefund(wire, call, trace);
  }
  if (!mayHaveArrived && call.isFirstSend) return inDoubt('unavailable', trace);
  const isRefused =
    answer.kind === 'error' && answer.status < 500 && ![409, 429].includes(answer.status);
  if (isRefused) return { kind: 'refused', code: answer.error.code ?? 'refused', trace };
  return findRefund(wire, call, trace);
}

/** Reads one refund again. */
export async function retrieveRefund(wire: Wire, refundId: string): Promise<RefundOutcome> {
  const answer = await read(wire, (options) =>
    wire.sdk.refunds.retrieve(refundId, { expand }, options),
  );
  const { trace } = answer;
  if (answer.kind !== 'ok') return inDoubt('read_failed', trace);
  if (answer.value.id !== refundId) return inDoubt('answer_mismatch', trace);
  return { kind: 'confirmed', refund: translateRefund(answer.value), trace };
}

function judge(said: Stripe.Refund, call: RefundCall, trace: Trace): RefundOutcome {
  const refund = translateRefund(said);
  const isOurs = refund.amountMinor === call.amountMinor && refund.currency === call.currency;
  return isOurs ? { kind: 'confirmed', refund, trace } : inDoubt('answer_mismatch', trace);
}

/** Looks for the operation's refund among those of the intent. Not finding it proves nothing. */
async function findRefund(
  wire: Wire,
  call: RefundCall,
  asked: Trace | null,
): Promise<RefundOutcome> {
  const listed = await readRefunds(wire, call.intentId);
  const trace = asked ?? listed.trace;
  if (listed.kind !== 'ok') return inDoubt('read_failed', trace);
  const found = listed.value.data.find((one) => one.metadata?.operation_id === call.operationId);
  return found ? judge(found, call, trace) : inDoubt('no_answer', trace);
}

const readRefunds = (wire: Wire, intentId: string) =>
  read(wire, (options) =>
    wire.sdk.refunds.list(
      { payment_intent: intentId, limit: 100, expand: expand.map((path) => `data.${path}`) },
      options,
    ),
  );

/** The refunds of an intent, whoever made them; the newest hundred. */
export async function listRefunds(wire: Wire, intentId: string): Promise<RefundList> {
  const listed = await readRefunds(wire, intentId);
  const { trace } = listed;
  if (listed.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  return { kind: 'found', refunds: listed.value.data.map(translateRefund), trace };
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
    intentId:
      typeof said.payment_intent === 'string'
        ? said.payment_intent
        : (said.payment_intent?.id ?? null),
    operationId: said.metadata?.operation_id ?? null,
  };
}
