import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showSavedCard } from '../../engine/steps/payment-methods/show-saved-card.ts';
import { listSavedCardRows } from '../../storage/payment-methods/saved-card-lists.ts';

/** Lists saved cards with their customers, and the tombstones of removed ones. Additions §5. */
export const listSavedCards = implement(rows.listSavedCards)(async (input, caller, ports) => {
  const server = requireServer(caller);
  const { rows: found, ...page } = await listSavedCardRows(ports.database, server.clientId, input);
  const data = found.map((row) => showSavedCard(row, server));
  return { status: 200, body: { data, ...page } };
});
