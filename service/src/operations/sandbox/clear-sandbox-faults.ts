import { clearSandboxFaults as row } from '@svc/contract/developers/sandbox';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { askSandbox, sandboxOf } from '../../engine/steps/sandbox/ask-sandbox.ts';
import { listCardAccounts } from '../../storage/gateways/gateways.ts';

/** Removes the merchant's own faults, and nobody else's. Refuses route_not_found outside sandboxes. */
export const clearSandboxFaults = implement(row)(async (_input, caller, ports) => {
  const sandbox = sandboxOf(ports);
  const { clientId } = requireServer(caller, row);
  for (const account of await listCardAccounts(ports.database, clientId)) {
    const path = `/faults?account=${encodeURIComponent(account)}`;
    await askSandbox(sandbox, { method: 'DELETE', path });
  }
  return { status: 204 };
});
