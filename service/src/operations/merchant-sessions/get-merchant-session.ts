import { getMerchantSession as row } from '@svc/contract/checkout-sessions/merchant-sessions';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showMerchantSession } from '../../engine/steps/checkout-sessions/show-merchant-session.ts';
import { findMerchantSession } from '../../storage/checkout-sessions/merchant-sessions.ts';
import { readAskingTime } from '../../storage/database/clock.ts';

/**
 * Reads a session with every attempt to pay it. Additions §3. Refuses checkout_session_not_found,
 * also for another merchant's session.
 */
export const getMerchantSession = implement(row)(async ({ sessionId }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const [now, found] = await Promise.all([
    readAskingTime(ports.database),
    findMerchantSession(ports.database, clientId, sessionId),
  ]);
  if (!found) return refuse('checkout_session_not_found');
  const attempts = found.attempts.map((each) => ({
    paymentId: each.id,
    status: each.status,
    declineCode: each.decline_code,
    failureCode: each.failure_code,
    createdAt: each.created_at.toISOString(),
  }));
  return { status: 200, body: { ...showMerchantSession(found.session, now), attempts } };
});
