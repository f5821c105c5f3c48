import assert from 'node:assert';
import { rows } from '@svc/contract';
import { findClient } from '../../storage/clients.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showClient } from './show-client.ts';

/** Reads the merchant's own settings. Contract §3, Origins. */
export const getClient = implement(rows.getClient)(async (_input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const client = await findClient(ports.database, clientId);
  assert(client, 'a credential belongs to a client');
  return { status: 200, body: showClient(client) };
});
