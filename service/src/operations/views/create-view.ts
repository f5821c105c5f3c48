import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { checkViewQuery, requireShare } from '../../engine/steps/views/check-view.ts';
import { showView, viewFacts } from '../../engine/steps/views/show-view.ts';
import { findViewNamed, insertView, isScopeFull, lockViews } from '../../storage/views/views.ts';

/**
 * Stores a view for the person behind the credential, or for everyone. Additions §2, Views. A repeat
 * with the same values returns the stored view. Refuses, in order: invalid_request,
 * merchant_role_required, view_name_taken, view_limit_reached.
 */
export const createView = implement(rows.createView)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller);
  const { clientId, userId } = server;
  const { list, query, isShared = false } = input.body;
  const name = input.body.name.trim();
  checkViewQuery(list, query);
  if (isShared) requireShare(server);
  return ports.database.transaction(clientId, async (tx) => {
    await lockViews(tx, clientId);
    const shelf = { clientId, userId, isShared };
    const same = await findViewNamed(tx, { ...shelf, list, name });
    // The client repeats a call whose response was lost.
    if (same?.query === query && same.name === name && same.author_id === userId) {
      return { status: 201, body: showView(same) };
    }
    if (same) return refuse('view_name_taken');
    if (await isScopeFull(tx, shelf)) return refuse('view_limit_reached');
    const saved = await insertView(tx, { ...shelf, id: ports.newId(), list, name, query });
    if (isShared) {
      const change = { action: 'view.created', resourceType: 'view', resourceId: saved.id };
      await recordChange(tx, caller, { ...change, after: viewFacts(saved) }, ports);
    }
    return { status: 201, body: showView(saved) };
  });
});
