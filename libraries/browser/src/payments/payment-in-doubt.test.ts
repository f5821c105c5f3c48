// Responses that state nothing about the money, over a network that the test controls: proxies,
// other tabs, limits on repeats. What is in doubt is `processing`, never a refusal. Contract §3,
// Status.

import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PaymentAPI } from '../api/payment-api.ts';
import type { ProcessBody } from '../api/wire.ts';
import { confirmPayment } from './pay-in-page.ts';

const sessionId = '01990000-0000-7000-8000-000000000001';
const userId = '01990000-0000-7000-8000-0000000000aa';
const body: ProcessBody = {
  sessionId,
  tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_1' },
  accountData: { userId, email: 'buyer@example.test' },
};

type Reply = () => Response | Promise<Response>;

const json = (status: number, fields: object): Reply => {
  const headers = { 'content-type': 'application/json' };
  return () => new Response(JSON.stringify(fields), { status, headers });
};
const page = (status: number): Reply => {
  return () => new Response(`<h1>${status}</h1>`, { status });
};
const loseReply: Reply = () => Promise.reject(new TypeError('failed to fetch'));
const busy = json(409, { code: 'checkout_attempt_in_progress', message: 'busy' });
const tooMany = json(429, { code: 'rate_limited', message: 'slow' });
const over = json(409, { code: 'checkout_session_expired', message: 'over' });
const unshowable = json(200, { type: '3ds_required', challenge: { url: null, returnUrl: 'x' } });
const statusReply = (
  status: string,
  result: string | null,
  paymentId: string | null = null,
  declineCode: string | null = null,
): Reply =>
  json(200, {
    data: {
      ...{ status, paymentId, authorizationExpiresAt: null },
      latestTransactionAttempt: result && { id: 'a1', result, declineCode },
    },
  });

// Loads the library before the clock is stopped.
beforeAll(async () => {
  await Promise.all([import('./confirm-payment.ts'), import('../challenge/hand-over.ts')]);
  await Promise.all([
    import('../challenge/challenge-dialog.ts'),
    import('../texts/en.ts'),
    import('../texts/texts.ts'),
  ]);
});
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Network = { readonly calls: Reply[]; readonly status: Reply; readonly decline?: Reply };

/**
 * Pays with these responses. The last response to a call is repeated; the first status is the one
 * before the payment.
 */
async function pay({ calls, status, decline = page(500) }: Network): Promise<unknown> {
  const left = [...calls];
  let isFirst = true;
  const fetch = async (url: string): Promise<Response> => {
    if (url.includes('/process'))
      return ((left.length > 1 ? left.shift() : left[0]) ?? loseReply)();
    if (url.includes('/decline')) return decline();
    if (isFirst) {
      isFirst = false;
      return statusReply('open', null)();
    }
    if (/wait=[1-9]/.test(url)) {
      // biome-ignore lint/plugin: a virtual clock, which the test itself moves on.
      await new Promise((resolve) => setTimeout(resolve, 10_000));
    }
    return status();
  };
  const api = new PaymentAPI('https://pay.example', { fetch });
  api.rememberSession(sessionId, 'nonce');
  let end: unknown;
  const paying = confirmPayment(api, userId, body).then(
    (result) => {
      end = result;
    },
    (error: { code: string; message: string }) => {
      end = { thrown: error.code, message: error.message };
    },
  );
  for (let second = 0; end === undefined && second < 2000; second++) {
    await vi.advanceTimersByTimeAsync(1000);
  }
  await paying;
  return end;
}

const running = statusReply('processing', 'UNKNOWN');
const asked = statusReply('requires_action', 'PENDING');

describe('confirmPayment, in doubt', () => {
  it.each<[string, Network]>([
    [
      'lost, then busy, then too many calls',
      { calls: [loseReply, busy, tooMany], status: running },
    ],
    [
      'lost, then busy, then the session is over',
      { calls: [loseReply, busy, over], status: running },
    ],
    ['busy with another tab, again and over', { calls: [busy, busy, over], status: running }],
    [
      'lost, asked by the bank, then too many',
      { calls: [loseReply, loseReply, tooMany], status: asked },
    ],
    ['a 402 of a proxy after a lost answer', { calls: [loseReply, page(402)], status: running }],
    ['a 404 of a proxy for the status', { calls: [loseReply], status: page(404) }],
    [
      'a question that cannot be shown, and is through when it is let go',
      { calls: [unshowable], status: running, decline: running },
    ],
    [
      'a question that cannot be shown, nor let go',
      { calls: [unshowable], status: asked, decline: page(502) },
    ],
  ])('%s: processing', async (_, network) => {
    expect(await pay(network)).toEqual({ type: 'processing' });
  });

  it('a question that cannot be shown, and was paid: succeeded', async () => {
    const paid = statusReply('completed', 'SUCCEEDED', 'p1');
    expect(await pay({ calls: [unshowable], status: paid, decline: paid })).toMatchObject({
      type: 'succeeded',
      body: { paymentId: 'p1' },
    });
  });

  it.each([
    ['card_token_used', 'card_token_used'],
    [null, 'gateway_unavailable'],
  ])('lost, and failed without a decline, with code %s: thrown as %s', async (told, thrown) => {
    const end = await pay({ calls: [loseReply], status: statusReply('open', 'ERROR', null, told) });
    expect(end).toMatchObject({ thrown });
  });

  it('every call lost, and nothing to be seen: network_error, which promises nothing', async () => {
    const end = await pay({ calls: [loseReply], status: statusReply('open', null) });
    expect(end).toMatchObject({ thrown: 'network_error' });
    expect((end as { message: string }).message).not.toContain('Nothing was charged');
  });
});
