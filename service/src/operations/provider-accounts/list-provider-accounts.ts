import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showProviderAccount } from '../../engine/steps/gateways/show-provider-account.ts';
import { listAccounts } from '../../storage/gateways/provider-accounts.ts';

/** Lists the merchant's accounts at providers, those in use first. Additions §2, Provider accounts. */
export const listProviderAccounts = implement(rows.listProviderAccounts)(
  async (_input, caller, { database, settings }) => {
    const { clientId } = requireServer(caller);
    const found = await listAccounts(database, clientId);
    return { status: 200, body: { data: found.map((row) => showProviderAccount(row, settings)) } };
  },
);
