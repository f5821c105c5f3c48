import { hash } from 'node:crypto';
import { rows } from '@svc/contract';
import { may, type Role } from '@svc/contract/rows/roles';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { type RefundWish, runRefund } from '../../engine/runs/payments/run-refund.ts';
import { recordRefundRequest } from '../../engine/steps/refund-requests/record-refund-request.ts';
import { showRefundRequest } from '../../engine/steps/refund-requests/show-refund-request.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { RefundStop } from '../../storage/payments/claim-refund.ts';
import {
  decideRefundRequest,
  findRefundRequest,
  keepRolesOf,
  lockRefundRequest,
  type RefundRequestRow,
} from '../../storage/refund-requests/refund-requests.ts';
import { approvingRoles, findRule } from '../../storage/refund-requests/refund-rules.ts';

const row = rows.approveRefundRequest;

/**
 * Approves a refund that somebody else asked for, and makes it. The approval is written in the
 * transaction that claims the refund, under the purchase's lock, and the refund's idempotency key
 * is made from the request's id. So there is one refund even when two people approve, or one
 * approves twice. Additions §2, Refund requests. Refuses, in order: merchant_role_required,
 * refund_request_not_found, own_refund_request, refund_request_decided, refund_request_expired,
 * payment_disputed, refund_amount_exceeds_available, refund_requester_gone,
 * gateway_outcome_unknown.
 */
export const approveRefundRequest = implement(row)(async ({ refundRequestId }, caller, ports) => {
  const approver = requireServer(caller, row);
  const { clientId, userId, role } = approver;
  const found = await findRefundRequest(ports.database, clientId, refundRequestId);
  if (!found) return refuse('refund_request_not_found');
  if (found.requested_by === userId) return refuse('own_refund_request');
  const rule = await findRule(ports.database, clientId);
  if (!approvingRoles(rule).includes(role)) return refuse('merchant_role_required');
  const code = closedCode(found);
  if (code) return refuse(code);
  await runRefund(refundWishOf(found, approver, ports), approver, ports);
  const decided = await findRefundRequest(ports.database, clientId, found.id);
  return { status: 200, body: showRefundRequest(decided ?? found) };
});

/**
 * An approved request is not closed: its refund may still be in progress, and a repeat continues
 * it.
 */
const closedCode = ({ status }: RefundRequestRow) =>
  status === 'declined'
    ? 'refund_request_decided'
    : status === 'expired'
      ? 'refund_request_expired'
      : null;

/**
 * Contains a character that the API refuses in a key, so that no merchant's own key is equal to it.
 */
const keyOf = (id: string): string => `refund-request·${id}`;

function refundWishOf(found: RefundRequestRow, approver: ServerCaller, ports: Ports): RefundWish {
  const { id, payment_id: paymentId, reason } = found;
  const sha256 = hash('sha256', `refund-request ${id}`, 'buffer');
  let held: RefundRequestRow | undefined;
  return {
    paymentId,
    idempotencyKey: keyOf(id),
    rawSha256: sha256,
    canonSha256: sha256,
    amountOf: () => Number(found.amount_minor),
    reason,
    metadata: {},
    ifVersion: null,
    permission: 'refunds.approve',
    answered: async () => undefined,
    async mayStart(tx) {
      held = await lockRefundRequest(tx, found.client_id, id);
      return judge(tx, held ?? found, approver);
    },
    async started(tx, refund, now) {
      const decision = { status: 'approved', by: approver.userId, at: now } as const;
      const decided = await decideRefundRequest(tx, held ?? found, {
        ...decision,
        refundId: refund.id,
      });
      await recordRefundRequest(tx, decided, 'approved', { by: approver, ports });
    },
  };
}

/**
 * Checks under the lock what may have changed since the first read: the decision, the time, the
 * rule, and the roles of both people.
 */
async function judge(
  tx: Tx,
  held: RefundRequestRow,
  { clientId, userId }: ServerCaller,
): Promise<RefundStop | null> {
  const code = held.status === 'approved' ? 'refund_request_decided' : closedCode(held);
  if (code) return { code };
  const roles = await keepRolesOf(tx, clientId, [userId, held.requested_by]);
  const approves = approvingRoles(await findRule(tx, clientId));
  if (!approves.includes(roles.get(userId) as Role)) return { code: 'merchant_role_required' };
  if (!may(roles.get(held.requested_by), 'refunds.make')) return { code: 'refund_requester_gone' };
  return null;
}
