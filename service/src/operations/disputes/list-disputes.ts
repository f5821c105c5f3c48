import { rows } from '@svc/contract';
import { listDisputeRows } from '../../storage/dispute-lists.ts';
import { toDispute } from '../../storage/disputes.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showDispute } from './show-dispute.ts';

/** Lists the merchant's disputes. Contract §2, Lists. */
export const listDisputes = implement(rows.listDisputes)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listDisputeRows(ports.database, clientId, input);
  return { status: 200, body: { data: found.map((row) => showDispute(toDispute(row))), ...page } };
});
