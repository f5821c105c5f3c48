import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showListedDispute } from '../../engine/steps/disputes/show-dispute.ts';
import { listDisputeRows } from '../../storage/payments/dispute-lists.ts';

/** Lists the merchant's disputes. Contract §2, Lists. */
export const listDisputes = implement(rows.listDisputes)(async (input, caller, ports) => {
  const server = requireServer(caller);
  const { rows: found, ...page } = await listDisputeRows(ports.database, server.clientId, input);
  const data = found.map((row) => showListedDispute(row, server));
  return { status: 200, body: { data, ...page } };
});
