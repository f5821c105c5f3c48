// The mails that a sandbox without SMTP did not send: reading them, and the link to their page.

import type { SandboxMail } from '@svc/contract/settings/members';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../calls.ts';

/**
 * Lists the waiting mails. The service refuses it when mails are sent, or when the browser is on another
 * machine.
 */
export const listMails = async (): Promise<readonly SandboxMail[]> =>
  (await call('GET /v1/sandbox/mails', {}, { isVisitor: true })).data;

/** True when mails can wait: in a sandbox, for a browser on the same machine. Otherwise no call is made. */
async function mayWait(): Promise<boolean> {
  if (!/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(location.hostname)) return false;
  return (await call('GET /readyz', {}, { isVisitor: true })).mode === 'sandbox';
}

/** Returns whether mails wait on this machine, as far as this browser can know it. */
export function useWaitingMails(): boolean {
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    mayWait()
      .then(async (may) => may && setWaiting(Array.isArray(await listMails())))
      .catch(() => {});
  }, []);
  return isWaiting;
}

/** A link to the waiting mails. */
export const WaitingMails = () => (
  <p class="fine">
    This sandbox has no mail server: <a href="/account/mails">read the waiting mails</a>.
  </p>
);

/** The same link, shown only where mails wait. */
export const MailsHint = () => useWaitingMails() && <WaitingMails />;
