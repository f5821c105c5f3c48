// Runs a capture or a cancel from start to end: record, call, settle. Spec: Payments, PUT capture and cancel.

import { type ErrorCode, errorEntry } from '@svc/contract/errors/errors';
import type { Operation } from '../../../domain/payments/operation.ts';
import { keyRefused } from '../../../domain/protocol/key-refused.ts';
import type { RefusalFacts } from '../../../domain/protocol/refusal.ts';
import { claimOperation } from '../../../storage/payments/claim-operation.ts';
import { type RequestKey, refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { sendHoldOperation } from '../../steps/payments/send-hold-operation.ts';
import { settleHold } from '../../steps/payments/settle-hold.ts';
import { recallAnswer } from '../../steps/payments/show-payment.ts';
import { waitForOperation } from '../../steps/payments/wait-for-operation.ts';

export type HoldRequest = RequestKey & { readonly paymentId: string };

export type HoldAnswer = { status: 200; replay: string; isReplayed: boolean };

/**
 * Claims the operation, asks the provider outside any transaction, settles. A repeat with the same
 * key returns the stored final answer, waits for an operation that is running, or drives an open
 * one on.
 */
export async function runHoldOperation(
  kind: 'capture' | 'cancel',
  request: HoldRequest,
  caller: Caller & { kind: 'server' },
  ports: Ports,
): Promise<HoldAnswer> {
  const once = { operationId: ports.newId(), leaseOwner: ports.newId() };
  const deadline = stopWaitingAt(ports);
  let isUnderway = false;
  for (;;) {
    const claim = await claimOperation(ports.database, {
      ...request,
      ...once,
      kind,
      clientId: caller.clientId,
      requestId: caller.requestId,
      asker: caller,
      isUnderway,
      leaseMs: ports.settings.leaseMs,
    });
    if (claim.kind === 'refused') {
      if (!isUnderway) await caller.recalled?.confirm();
      return refuse(claim.code);
    }
    if (claim.kind === 'replay') return replay(claim.operation, ports);
    if (claim.kind === 'wait') {
      if (!(await waitForOperation(claim.operationId, caller.clientId, { deadline, ports }))) {
        return refuse('payment_operation_in_progress');
      }
      continue;
    }
    isUnderway = true;
    const { payment, operation, lines, now } = claim;
    const clock = clockFrom(now);
    const outcome = await sendHoldOperation(claim, ports);
    const settled = await settleHold(
      {
        operation,
        startedAt: now,
        ...(lines ? { usual: { payment, lines, clock } } : {}),
      },
      outcome,
      ports,
    );
    // Another process took the operation over while the provider was asked: its result is used.
    if (!settled) continue;
    const { answer, failure } = settled.settlement;
    if (!('status' in answer)) return refuse(answer.code, refusalFactsOf(failure?.code));
    return { status: 200, replay: settled.body ?? '', isReplayed: false };
  }
}

/**
 * Returns a clock that starts at the service's time just read and is advanced by a monotonic clock,
 * which saves another query.
 */
function clockFrom(now: Date): () => Date {
  const from = performance.now();
  return () => new Date(now.getTime() + Math.round(performance.now() - from));
}

/**
 * The facts of a refusal. Where repeating does not help before the operator has acted, the answer
 * says that; the same key works again after that.
 */
const refusalFactsOf = (failureCode: string | undefined): RefusalFacts =>
  failureCode === keyRefused
    ? { message: errorEntry('gateway_refused').message, retryable: false }
    : {};

/** Returns the stored answer unchanged. A stored refusal is thrown again. */
async function replay(operation: Operation, ports: Ports): Promise<HoldAnswer> {
  const body = await recallAnswer(operation, ports);
  if (operation.responseStatus === 200) return { status: 200, replay: body, isReplayed: true };
  return refuse((JSON.parse(body) as { code: ErrorCode }).code, {
    headers: { 'Idempotent-Replayed': 'true' },
  });
}
