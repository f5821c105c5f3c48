import {
  advanceSandboxClock as row,
  type SandboxClockTime,
} from '@svc/contract/developers/sandbox';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { askSandbox, sandboxOf } from '../../engine/steps/sandbox/ask-sandbox.ts';
import { moveSignInAlong } from '../../storage/people/sign-ins.ts';

/**
 * Moves the sandbox's clock, which moves the service's: what became due happens at once. The clock is
 * that of every merchant of the sandbox. Refuses route_not_found outside sandboxes.
 */
export const advanceSandboxClock = implement(row)(async ({ body: { seconds } }, caller, ports) => {
  const sandbox = sandboxOf(ports);
  const { via, tokenId } = requireServer(caller, row);
  // First the sign-in: once the clock has moved, the next call of the same page would find it expired.
  if (via === 'person') await moveSignInAlong(ports.database, tokenId, seconds);
  const { now, shiftSeconds } = await askSandbox<SandboxClockTime>(sandbox, {
    method: 'POST',
    path: '/clock/advance',
    body: { seconds },
  });
  return { status: 200, body: { now, shiftSeconds } };
});
