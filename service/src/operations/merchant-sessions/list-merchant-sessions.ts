import { listMerchantSessions as row } from '@svc/contract/checkout-sessions/merchant-sessions';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showMerchantSession } from '../../engine/steps/checkout-sessions/show-merchant-session.ts';
import { listRecentSessions } from '../../storage/checkout-sessions/merchant-sessions.ts';
import { readAskingTime } from '../../storage/database/clock.ts';

/** Lists the sessions of the last 30 days, without their nonces. Additions §3. */
export const listMerchantSessions = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const [now, found] = await Promise.all([
    readAskingTime(ports.database),
    listRecentSessions(ports.database, clientId, input),
  ]);
  const { rows, ...page } = found;
  return {
    status: 200,
    body: { data: rows.map((each) => showMerchantSession(each, now)), ...page },
  };
});
