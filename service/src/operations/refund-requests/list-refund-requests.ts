import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showRefundRequest } from '../../engine/steps/refund-requests/show-refund-request.ts';
import { listRefundRequestRows } from '../../storage/refund-requests/refund-requests.ts';

/** Lists refund requests. Additions §2, Refund requests. */
export const listRefundRequests = implement(rows.listRefundRequests)(
  async (input, caller, ports) => {
    const { clientId } = requireServer(caller);
    const { rows: found, ...page } = await listRefundRequestRows(ports.database, clientId, input);
    return { status: 200, body: { data: found.map(showRefundRequest), ...page } };
  },
);
