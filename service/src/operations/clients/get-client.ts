import assert from 'node:assert';
import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showClient } from '../../engine/steps/clients/show-client.ts';
import { findClient } from '../../storage/clients/clients.ts';

/** Reads the merchant's own settings. Contract §3, Origins. */
export const getClient = implement(rows.getClient)(async (_input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const client = await findClient(ports.database, clientId);
  assert(client, 'a credential belongs to a client');
  return { status: 200, body: showClient(client) };
});
