import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { requireShare } from '../../engine/steps/views/check-view.ts';
import { viewFacts } from '../../engine/steps/views/show-view.ts';
import { deleteViewRow, findView, lockViews } from '../../storage/views/views.ts';

/**
 * Deletes the person's own view, or one for everyone. Additions §2, Views. Refuses, in order:
 * view_not_found, merchant_role_required.
 */
export const deleteView = implement(rows.deleteView)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller);
  const { clientId } = server;
  return ports.database.transaction(clientId, async (tx) => {
    await lockViews(tx, clientId);
    const view = await findView(tx, server, input.viewId);
    if (!view) return refuse('view_not_found');
    if (view.is_shared) requireShare(server);
    await deleteViewRow(tx, view);
    if (view.is_shared) {
      const change = { action: 'view.deleted', resourceType: 'view', resourceId: view.id };
      await recordChange(tx, caller, { ...change, before: viewFacts(view) }, ports);
    }
    return { status: 204 };
  });
});
