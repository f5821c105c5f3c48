import { rows } from '@svc/contract';
import { may } from '@svc/contract/rows/roles';
import { refundBlockingStatuses } from '../../domain/payments/dispute.ts';
import {
  refundableMinor,
  refundMinor,
  refuseRefund,
  refuseRefundOf,
} from '../../domain/payments/refund.ts';
import { refundRequestLifeMs } from '../../domain/payments/refund-rule.ts';
import { implement, type OperationInput, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { recordRefundRequest } from '../../engine/steps/refund-requests/record-refund-request.ts';
import { showRefundRequest } from '../../engine/steps/refund-requests/show-refund-request.ts';
import { readClock } from '../../storage/database/clock.ts';
import { isUniqueViolation, repeatWhenLost, type Tx } from '../../storage/database/database.ts';
import { findRoleIn } from '../../storage/members/account-memberships.ts';
import { hasDisputeOf } from '../../storage/payments/disputes.ts';
import { lockPayment } from '../../storage/payments/payments.ts';
import {
  findRefundRequestByKey,
  insertRefundRequest,
  type RefundRequestRow,
} from '../../storage/refund-requests/refund-requests.ts';
import { findApprovers, findRule } from '../../storage/refund-requests/refund-rules.ts';

const row = rows.createRefundRequest;
type Input = OperationInput<typeof row>;

/**
 * Asks somebody else to approve a refund, once per idempotency key; a repeat returns the request as
 * it is now. Additions §2, Refund requests. Refuses, in order: merchant_role_required,
 * payment_not_found, idempotency_key_reused, no_second_person, amount_precision, payment_disputed,
 * and the refusals of a refund.
 */
export const createRefundRequest = implement(row)(async (input, caller, ports) => {
  const asker = requireServer(caller, row);
  const request = () =>
    repeatWhenLost(() =>
      ports.database.transaction(asker.clientId, (tx) =>
        insertRequest(tx, { input, asker, ports }),
      ),
    );
  // A request of another payment may write the same key at the same time; it is found then.
  const { known, made } = await request().catch((error: unknown) =>
    isUniqueViolation(error) ? request() : Promise.reject(error),
  );
  if (known) {
    const replay = JSON.stringify(showRefundRequest(known));
    return { status: 201, replay, isReplayed: true };
  }
  ports.nudge('deliver-webhooks');
  return { status: 201, body: showRefundRequest(made) };
});

type RequestResult =
  | { readonly known: RefundRequestRow; readonly made?: never }
  | { readonly known?: never; readonly made: RefundRequestRow };

type CallContext = { readonly input: Input; readonly asker: ServerCaller; readonly ports: Ports };

async function insertRequest(tx: Tx, { input, asker, ports }: CallContext): Promise<RequestResult> {
  const { clientId, userId } = asker;
  const { idempotencyKey, canonSha256, body } = input;
  // The payment's lock keeps repeats of one key apart, and the payment unchanged.
  const purchase = await lockPayment(tx, clientId, input.paymentId);
  if (!purchase) return refuse('payment_not_found');
  if (!may(await findRoleIn(tx, clientId, userId), 'refunds.make')) {
    return refuse('merchant_role_required');
  }
  const known = await findRefundRequestByKey(tx, clientId, idempotencyKey);
  if (known) {
    const isSame = known.payment_id === purchase.id && known.canon_sha256.equals(canonSha256);
    return isSame ? { known } : refuse('idempotency_key_reused');
  }
  const rule = await findRule(tx, clientId);
  if ((await findApprovers(tx, { clientId, userId }, rule)).length === 0) {
    return refuse('no_second_person');
  }
  const misfit = refuseRefundOf(purchase);
  if (misfit) return refuse(misfit);
  const amountMinor =
    body.amount === undefined ? refundableMinor(purchase) : refundMinor(body.amount, purchase);
  const isDisputed = await hasDisputeOf(tx, purchase, refundBlockingStatuses);
  const code = refuseRefund(purchase, amountMinor, isDisputed);
  if (code) return refuse(code);
  const now = await readClock(tx);
  const made = await insertRefundRequest(tx, {
    id: ports.newId(),
    clientId,
    paymentId: purchase.id,
    amountMinor,
    currency: purchase.currency,
    reason: body.reason ?? null,
    note: body.note ?? null,
    idempotencyKey,
    canonSha256,
    requestedBy: userId,
    now,
    expiresAt: new Date(now.getTime() + refundRequestLifeMs),
  });
  const recorded = { by: asker, key: idempotencyKey, ports };
  await recordRefundRequest(tx, made, 'created', recorded);
  return { made };
}
