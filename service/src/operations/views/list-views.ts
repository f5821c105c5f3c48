import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showView } from '../../engine/steps/views/show-view.ts';
import { listViewRows } from '../../storage/views/views.ts';

/** Lists the person's own views and those for everyone. Additions §2, Views. */
export const listViews = implement(rows.listViews)(async (input, caller, ports) => {
  const { rows: found, ...page } = await listViewRows(ports.database, requireServer(caller), input);
  return { status: 200, body: { data: found.map(showView), ...page } };
});
