import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordRefundRequest } from '../../engine/steps/refund-requests/record-refund-request.ts';
import { showRefundRequest } from '../../engine/steps/refund-requests/show-refund-request.ts';
import { readClock } from '../../storage/database/clock.ts';
import { repeatWhenLost } from '../../storage/database/database.ts';
import { findRoleIn } from '../../storage/members/account-memberships.ts';
import { lockPayment } from '../../storage/payments/payments.ts';
import {
  decideRefundRequest,
  findRefundRequest,
  lockRefundRequest,
} from '../../storage/refund-requests/refund-requests.ts';
import { approvingRoles, findRule } from '../../storage/refund-requests/refund-rules.ts';

const row = rows.declineRefundRequest;

/**
 * Declines a request; a repeat returns the declined request. The person who asked withdraws the
 * request by the same call. Additions §2, Refund requests. Refuses, in order:
 * merchant_role_required, refund_request_not_found, merchant_role_required when the caller neither
 * asked nor may approve, refund_request_decided, refund_request_expired.
 */
export const declineRefundRequest = implement(row)(
  async ({ refundRequestId }, caller, ports, refuse) => {
    const decider = requireServer(caller, row);
    const { clientId, userId } = decider;
    const found = await findRefundRequest(ports.database, clientId, refundRequestId);
    if (!found) return refuse('refund_request_not_found');
    const declined = await repeatWhenLost(() =>
      ports.database.transaction(clientId, async (tx) => {
        // The payment's lock comes first: who forgets its customer holds it, and blanks the event too.
        await lockPayment(tx, clientId, found.payment_id);
        const held = await lockRefundRequest(tx, clientId, refundRequestId);
        if (!held) return refuse('refund_request_not_found');
        const role = await findRoleIn(tx, clientId, userId);
        const approves = approvingRoles(await findRule(tx, clientId));
        const mayDecline = role && (held.requested_by === userId || approves.includes(role));
        if (!mayDecline) return refuse('merchant_role_required');
        if (held.status === 'declined') return held;
        if (held.status === 'approved') return refuse('refund_request_decided');
        if (held.status === 'expired') return refuse('refund_request_expired');
        const now = await readClock(tx);
        const decision = { status: 'declined', by: userId, at: now, refundId: null } as const;
        const decided = await decideRefundRequest(tx, held, decision);
        await recordRefundRequest(tx, decided, 'declined', { by: decider, ports });
        return decided;
      }),
    );
    ports.nudge('deliver-webhooks');
    return { status: 200, body: showRefundRequest(declined) };
  },
);
