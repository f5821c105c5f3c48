import assert from 'node:assert';
import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { goLiveOf } from '../../engine/steps/clients/go-live.ts';
import { showProviderAccount } from '../../engine/steps/gateways/show-provider-account.ts';
import { findClient } from '../../storage/clients/clients.ts';
import { readReadiness } from '../../storage/clients/readiness.ts';
import { listAccounts } from '../../storage/gateways/provider-accounts.ts';

/**
 * Reads what the merchant needs before real money. Additions §2, Going live. Refuses
 * merchant_role_required: the steps name people without a second proof.
 */
export const getGoLive = implement(rows.getGoLive)(async (_input, caller, ports) => {
  const { clientId } = requireServer(caller, rows.getGoLive);
  const { database, settings } = ports;
  const [client, accounts, readiness] = await Promise.all([
    findClient(database, clientId),
    listAccounts(database, clientId),
    readReadiness(database, clientId),
  ]);
  assert(client, 'a credential belongs to a client');
  const shown = accounts.map((row) => showProviderAccount(row, settings));
  const body = goLiveOf({
    ...{ client, readiness, mode: settings.mode, hasMailServer: ports.mail !== null },
    accounts: shown.filter(({ active }) => active),
  });
  return { status: 200, body };
});
