import {
  getSandbox as row,
  type Sandbox,
  type SandboxClockTime,
} from '@svc/contract/developers/sandbox';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { askSandbox, sandboxOf } from '../../engine/steps/sandbox/ask-sandbox.ts';
import { type PlantedFault, showFault } from '../../engine/steps/sandbox/show-fault.ts';
import { listCardAccounts } from '../../storage/gateways/gateways.ts';

/** Reads clock, test cards and the merchant's own faults. Refuses route_not_found outside sandboxes. */
export const getSandbox = implement(row)(async (_input, caller, ports) => {
  const sandbox = sandboxOf(ports);
  const { clientId } = requireServer(caller, row);
  const [accounts, clock, { cards }, { faults }] = await Promise.all([
    listCardAccounts(ports.database, clientId),
    askSandbox<SandboxClockTime>(sandbox, { method: 'GET', path: '/clock' }),
    askSandbox<Pick<Sandbox, 'cards'>>(sandbox, { method: 'GET', path: '/cards' }),
    askSandbox<{ faults: readonly PlantedFault[] }>(sandbox, { method: 'GET', path: '/faults' }),
  ]);
  const own = faults.filter(({ match }) => match.account && accounts.includes(match.account));
  const { now, shiftSeconds } = clock;
  return { status: 200, body: { now, shiftSeconds, cards, faults: own.map(showFault) } };
});
