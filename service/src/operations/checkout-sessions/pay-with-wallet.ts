// A buyer pays with a wallet: an order, its approval on the wallet's page, then the capture. Contract
// §3, Process; decision 0026.

import type { ProcessBody } from '@svc/contract/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors';
import { type CheckoutSession, refuseAttempt } from '../../domain/checkout-session.ts';
import { walletApproved } from '../../domain/operation.ts';
import { chooseGateway } from '../../storage/gateways.ts';
import { findPayment } from '../../storage/payments.ts';
import { refuse } from '../implement.ts';
import type { Caller, Ports } from '../ports.ts';
import { getSession } from './read-session.ts';
import { runAttempt } from './run-attempt.ts';

/**
 * The first call makes the order and answers where to approve it; the same call again, on return,
 * captures what was approved. One order per session at a time; a card that is sent meanwhile gives
 * it up. Refuses, beside what every attempt does: invalid_request, capture_method_not_supported,
 * gateway_unavailable.
 */
export async function payWithWallet(body: ProcessBody, caller: Caller, ports: Ports) {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const sessionId = body.sessionId.toLowerCase();
  const { session, now } = await getSession(sessionId, caller, ports);
  const code = refuseWallet(session, body, now);
  if (code) return refuse(code);
  await assertOwnOrder(session, body, ports);
  const gateway = await chooseGateway(ports.database, session.clientId, {
    provider: 'wallet',
    country: session.country,
  });
  if (!gateway) return refuse('gateway_unavailable', { message: 'The merchant takes no wallet.' });
  return runAttempt(
    {
      sessionId,
      nonceSha256: caller.nonceSha256,
      fingerprint: walletApproved,
      cardTokenSha256: null,
      walletGatewayId: gateway.id,
      refuse: (locked, at) => refuseWallet(locked, body, at),
    },
    caller,
    ports,
  );
}

function refuseWallet(session: CheckoutSession, body: ProcessBody, now: Date): ErrorCode | null {
  const code = refuseAttempt(session, body.accountData, now);
  if (code) return code;
  if (session.captureMethod === 'manual') return 'capture_method_not_supported';
  // Later charges would need a wallet that the buyer has agreed to keep.
  if (session.lines.some((line) => line.kind === 'subscription')) {
    return refuse('capture_method_not_supported', {
      message: 'A wallet that is not kept pays no subscription.',
    });
  }
  return null;
}

/** The token of a wallet is its order's id, and only this session's open order counts. */
async function assertOwnOrder(
  session: CheckoutSession,
  { tokenizedData }: ProcessBody,
  { database }: Ports,
): Promise<void> {
  const { token, paymentMethodId, type } = tokenizedData;
  const isOdd = paymentMethodId !== undefined || type !== 'wallet';
  const payment =
    token !== undefined && session.paymentId
      ? await findPayment(database, session.clientId, session.paymentId)
      : undefined;
  if (!isOdd && (token === undefined || payment?.providerIntentId === token)) return;
  refuse('invalid_request', {
    param: 'tokenizedData',
    message: 'A wallet takes type wallet, and no token but the id of its open order.',
  });
}
