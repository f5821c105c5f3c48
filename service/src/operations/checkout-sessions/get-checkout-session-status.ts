import { getCheckoutSessionStatus as row } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { implement } from '../../engine/implement.ts';
import { getSession, showStatus } from '../../engine/steps/checkout-sessions/get-session.ts';
import { statusOf } from '../../engine/steps/checkout-sessions/show-session.ts';
import { isGoneWithin } from '../../engine/steps/pacing/is-gone-within.ts';

const pollMs = 250;

/**
 * Reads the status. With `wait` it answers as soon as status or cart change or the caller has left,
 * and at once when the session has ended. Spec: Checkout sessions, status.
 */
export const getCheckoutSessionStatus = implement(row)(async (input, caller, ports) => {
  const read = () => getSession(input.sessionId, caller, ports);
  let { session, now } = await read();
  const { cartVersion } = session;
  const before = statusOf(session, now);
  const deadline = performance.now() + (input.wait ?? 0) * 1000;
  const { gone } = caller;
  const isAsBefore = () => statusOf(session, now) === before && session.cartVersion === cartVersion;
  while (!hasEnded(before) && isAsBefore()) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) break;
    // The last reading is then the answer.
    if (await isGoneWithin(Math.ceil(Math.min(pollMs, leftMs)), gone)) break;
    ({ session, now } = await read());
  }
  return { status: 200, body: await showStatus(session, now, ports) };
});

/** The status does not change any more, so there is nothing to wait for. */
const hasEnded = (status: CheckoutSession['status']): boolean =>
  status === 'completed' ||
  status === 'authorized' ||
  status === 'expired' ||
  status === 'canceled';
