import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { checkViewQuery, requireShare } from '../../engine/steps/views/check-view.ts';
import { showView, viewFacts } from '../../engine/steps/views/show-view.ts';
import {
  findView,
  findViewNamed,
  isScopeFull,
  lockViews,
  updateViewRow,
} from '../../storage/views/views.ts';

/**
 * Changes the person's own view, or one for everyone. Additions §2, Views. Refuses, in order:
 * view_not_found, merchant_role_required, invalid_request, version_conflict, view_name_taken,
 * view_limit_reached.
 */
export const updateView = implement(rows.updateView)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller);
  const { clientId, userId } = server;
  const { version, ...given } = input.body;
  return ports.database.transaction(clientId, async (tx) => {
    await lockViews(tx, clientId);
    const view = await findView(tx, { clientId, userId }, input.viewId);
    if (!view) return refuse('view_not_found');
    const { name = view.name, query = view.query, isShared = view.is_shared } = given;
    if (view.is_shared || isShared) requireShare(server);
    checkViewQuery(view.list, query);
    const wanted = { name: name.trim(), query, isShared };
    const isSame = wanted.name === view.name && query === view.query && isShared === view.is_shared;
    // The client repeats a change whose response was lost.
    if (isSame) return { status: 200, body: showView(view) };
    if (version !== undefined && version !== view.version) return refuse('version_conflict');
    const shelf = { clientId, userId: view.author_id, isShared };
    const named = await findViewNamed(tx, { ...shelf, list: view.list, name: wanted.name });
    if (named && named.id !== view.id) return refuse('view_name_taken');
    const moves = isShared !== view.is_shared;
    if (moves && (await isScopeFull(tx, shelf))) return refuse('view_limit_reached');
    const saved = await updateViewRow(tx, view, wanted);
    if (view.is_shared || isShared) {
      const change = { action: 'view.updated', resourceType: 'view', resourceId: view.id };
      const facts = { before: viewFacts(view), after: viewFacts(saved) };
      await recordChange(tx, caller, { ...change, ...facts }, ports);
    }
    return { status: 200, body: showView(saved) };
  });
});
