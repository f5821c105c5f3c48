// Sends a signed notice of our own to the address of a gateway's notices, as the provider would: the way
// through proxies and TLS, the headers, the bytes of the body and the clock are tried together.

import { createHmac } from 'node:crypto';
import { isLoopbackHost } from '@svc/contract/servers/loopback';
import { type AccountCheck, type NoticeToTry, ownNoticeType } from '../../engine/ports.ts';

const patienceMs = 5_000;
const what = 'own notice';

/** Never throws. */
export async function tryNotice({
  noticeUrl,
  secret,
  isLive,
  id,
}: NoticeToTry): Promise<AccountCheck> {
  const seconds = Math.floor(Date.now() / 1000);
  const body = JSON.stringify({
    ...{
      id: `evt_svc_${id}`,
      object: 'event',
      type: ownNoticeType,
      created: seconds,
      livemode: isLive,
    },
    data: { object: { id: `svc_${id}`, object: 'svc.check' } },
  });
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'stripe-signature': `t=${seconds},v1=${mac}`,
  };
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const sent = { method: 'POST', body, headers, signal, redirect: 'manual' } as const;
    const answer = await fetch(noticeUrl, sent);
    return judge(answer.status, await answer.text(), noticeUrl);
  } catch (error) {
    const { cause, name } = error as Error;
    const { code = name } = (cause ?? {}) as NodeJS.ErrnoException;
    // Before the first start nobody listens at an address of this machine.
    const verdict = isLoopbackHost(new URL(noticeUrl).hostname) ? 'note' : 'wrong';
    return {
      what,
      verdict,
      said: `${noticeUrl} does not answer (${code}): start the service, and let the proxy pass /provider-notices/`,
    };
  }
}

function judge(status: number, text: string, noticeUrl: string): AccountCheck {
  if (status === 200 && text.includes('"received":true')) {
    return { what, verdict: 'good', said: `a signed notice is accepted at ${noticeUrl}` };
  }
  const isOurs = status === 400 && text.includes('"invalid_request"');
  const said = isOurs
    ? `the service refuses a notice that is signed with the stored secret: a proxy on the way to ${noticeUrl} ` +
      'changes the body or the header stripe-signature, or another installation answers there'
    : `${noticeUrl} answers with status ${status}: let the proxy pass /provider-notices/ to the service unchanged`;
  return { what, verdict: 'wrong', said };
}
