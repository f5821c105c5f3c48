import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showReconciliation } from '../../engine/steps/reports/show-reconciliation.ts';
import { listReconciliationRows } from '../../storage/reports/reconciliations.ts';

/**
 * Shows what the last comparisons with the providers found of the client's payments, the newest first. They are
 * kept for thirty days. Additions §8. Refuses invalid_query.
 */
export const getReconciliations = implement(rows.getReconciliations)(
  async ({ limit }, caller, { database }) => {
    const { clientId } = requireServer(caller);
    const found = await listReconciliationRows(database, clientId, limit);
    return { status: 200, body: { data: found.map(showReconciliation) } };
  },
);
