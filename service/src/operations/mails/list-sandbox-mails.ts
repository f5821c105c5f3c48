import { isLoopbackHost } from '@svc/contract/servers/loopback';
import { listSandboxMails as row } from '@svc/contract/settings/members';
import { implement, refuse } from '../../engine/implement.ts';
import { readWaitingMails } from '../../engine/steps/mails/read-waiting-mails.ts';

/**
 * Lists the mails of a sandbox without SMTP, those of every merchant and of the operator, with links that let
 * their reader sign in. A credential would shut out whoever has to read an invitation or the link for a new
 * password first. So it is only for a person at the machine itself: the call comes from a loopback address, and
 * the service's own address is one too, because behind a proxy every call would seem to. Otherwise refuses
 * route_not_found, as the rows of the sandbox do in test and live mode.
 */
export const listSandboxMails = implement(row)(async (_input, caller, ports) => {
  const { mode, baseUrl } = ports.settings;
  const isAtMachine =
    isLoopbackHost(new URL(baseUrl).hostname) && isLoopbackHost(caller.address ?? '');
  if (mode !== 'sandbox' || ports.mail !== null || !isAtMachine) return refuse('route_not_found');
  const mails = await readWaitingMails(ports);
  return {
    status: 200,
    body: {
      data: mails.map(({ createdAt, lastError: _, ...mail }) => ({
        ...mail,
        createdAt: createdAt.toISOString(),
      })),
    },
  };
});
