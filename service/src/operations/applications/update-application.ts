import { updateApplication as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { isMadeAlready } from '../../engine/is-made-already.ts';
import { requireServer } from '../../engine/require-server.ts';
import { readApplication } from '../../engine/steps/applications/read-application.ts';
import {
  auditedOf,
  knownScopesOf,
  showApplication,
} from '../../engine/steps/applications/show-application.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { lockApplication, updateApplication as save } from '../../storage/oauth/applications.ts';

/**
 * Changes the fields that are given, under the application's lock. Contract §6. Refuses, in order:
 * invalid_request, application_not_found, version_conflict.
 */
export const updateApplication = implement(row)(async ({ id, body }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, row);
  const { scopes, version } = body;
  const read = { ...readApplication(body), ...(scopes ? { scopes: knownScopesOf(scopes) } : {}) };
  return ports.database.transaction(clientId, async (tx) => {
    const application = await lockApplication(tx, clientId, id);
    if (!application) return refuse('application_not_found');
    const isConflict = version !== undefined && version !== application.version;
    if (isConflict && !isMadeAlready(application, { from: version, change: read })) {
      return refuse('version_conflict');
    }
    const isNothing = isConflict || Object.keys(read).length === 0;
    if (isNothing) return { status: 200, body: showApplication(application) };
    const saved = await save(tx, { ...application, ...read });
    const change = {
      action: 'application.changed',
      resourceType: 'application',
      resourceId: id,
      before: auditedOf(application),
      after: auditedOf(saved),
    };
    await recordChange(tx, caller, change, ports);
    return { status: 200, body: showApplication(saved) };
  });
});
