import { plantSandboxFault as row, type SandboxFaultName } from '@svc/contract/developers/sandbox';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { askSandbox, sandboxOf } from '../../engine/steps/sandbox/ask-sandbox.ts';
import { type PlantedFault, showFault } from '../../engine/steps/sandbox/show-fault.ts';
import { listCardAccounts } from '../../storage/gateways/gateways.ts';

/** Reads of the provider go on all the time; only a call that changes something is to meet the fault. */
const matchOf = (action: SandboxFaultName, account: string) =>
  /webhook/.test(action) ? { account, event: '*' } : { account, method: 'POST' };

/**
 * Plants a fault that only calls and notices of the merchant's own account meet. Refuses
 * route_not_found outside sandboxes, gateway_not_configured without an account for cards.
 */
export const plantSandboxFault = implement(row)(async ({ body }, caller, ports, refuse) => {
  const sandbox = sandboxOf(ports);
  const { clientId } = requireServer(caller, row);
  const { action, count = 1 } = body;
  const [account] = await listCardAccounts(ports.database, clientId);
  if (account === undefined) return refuse('gateway_not_configured');
  const planted = await askSandbox<PlantedFault>(sandbox, {
    method: 'POST',
    path: '/faults',
    body: { match: matchOf(action, account), action, count },
    param: 'action',
  });
  return { status: 201, body: showFault(planted) };
});
