import assert from 'node:assert';
import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { checkGateway } from '../../engine/runs/operator/check-gateways.ts';
import { gatewayOf } from '../../engine/runs/operator/gateways.ts';
import { showProviderAccount } from '../../engine/steps/gateways/show-provider-account.ts';
import { claimKeyCheck, listAccounts } from '../../storage/gateways/provider-accounts.ts';

const busy = {
  retryAfter: 10,
  message: 'These keys were checked seconds ago. Wait ten seconds, then check them again.',
};

/**
 * Tries the stored keys at the card provider now. Each try is some twenty calls to the provider, so one in ten seconds
 * is let through. Additions §2, Provider accounts. Refuses, in order: provider_account_not_found, rate_limited.
 */
export const checkProviderAccount = implement(rows.checkProviderAccount)(
  async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller, rows.checkProviderAccount);
    const { database, settings } = ports;
    const id = input.id.toLowerCase();
    const gateway = await gatewayOf(id, ports);
    if (gateway?.clientId !== clientId || gateway.provider !== 'cardprovider')
      return refuse('provider_account_not_found');
    if (!(await claimKeyCheck(database, { id, clientId }))) return refuse('rate_limited', busy);
    const found = await checkGateway(gateway, ports);
    const row = (await listAccounts(database, clientId)).find((account) => account.id === id);
    assert(row, 'an account is never deleted');
    const checks = found.map(({ what, verdict, said }) => ({
      what,
      result: verdict,
      detail: said,
    }));
    return { status: 200, body: { account: showProviderAccount(row, settings), checks } };
  },
);
