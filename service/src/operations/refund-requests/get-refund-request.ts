import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showRefundRequest } from '../../engine/steps/refund-requests/show-refund-request.ts';
import { findRefundRequest } from '../../storage/refund-requests/refund-requests.ts';

/**
 * Reads one refund request. Additions §2. Refuses refund_request_not_found, also for another
 * merchant's request.
 */
export const getRefundRequest = implement(rows.getRefundRequest)(
  async ({ refundRequestId }, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const found = await findRefundRequest(ports.database, clientId, refundRequestId);
    if (!found) return refuse('refund_request_not_found');
    return { status: 200, body: showRefundRequest(found) };
  },
);
