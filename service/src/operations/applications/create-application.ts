import { createApplication as row } from '@svc/contract/developers/applications';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { newSecret } from '../../engine/steps/applications/new-secret.ts';
import { readApplication } from '../../engine/steps/applications/read-application.ts';
import {
  auditedOf,
  knownScopesOf,
  showApplication,
} from '../../engine/steps/applications/show-application.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { insertApplication } from '../../storage/oauth/applications.ts';

/** Creates an application; its secret is only in this answer. Contract §6. Refuses invalid_request. */
export const createApplication = implement(row)(async ({ body }, caller, ports) => {
  const { clientId } = requireServer(caller, row);
  const { name = body.name, uri = null, redirectUris = [] } = readApplication(body);
  const made = body.kind === 'confidential' ? newSecret(ports) : null;
  const wish = {
    id: ports.newId(),
    clientId,
    name,
    uri,
    kind: body.kind,
    redirectUris,
    scopes: knownScopesOf(body.scopes),
  };
  const application = await ports.database.transaction(clientId, async (tx) => {
    const inserted = await insertApplication(tx, wish, made?.sha256 ?? null);
    const change = {
      action: 'application.created',
      resourceType: 'application',
      resourceId: inserted.id,
      after: auditedOf(inserted),
    };
    await recordChange(tx, caller, change, ports);
    return inserted;
  });
  return { status: 201, body: { ...showApplication(application), secret: made?.secret ?? null } };
});
