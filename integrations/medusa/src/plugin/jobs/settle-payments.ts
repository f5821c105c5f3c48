// Every minute: payments that changed at Svc, compared with the orders, so that no webhook is needed to be right.

import { remedyOf } from '@svc/server/shops';
import { accountsOf } from '../../accounts.ts';
import { type Shop, settle } from '../../settle.ts';

const day = 86_400_000;
/** The first run of a process looks back further: at what happened while the shop was down. */
const firstLook = 3 * day;
const overlap = 600_000;
const seen = new Map<string, number>();

export default async function settlePayments(shop: Shop): Promise<void> {
  for (const [name, at] of accountsOf(shop)) {
    const now = Date.now();
    const from = new Date((seen.get(name) ?? now - firstLook) - overlap - at.olderThan);
    const changed = at.svc.payments.list({
      updatedAt: { gte: from.toISOString() },
      type: { eq: 'purchase' },
      limit: 100,
    });
    for await (const payment of changed) {
      await settle(at, payment).catch((error: unknown) => {
        const why = `@svc/medusa: payment ${payment.id} could not be settled: ${remedyOf(error)}`;
        shop.resolve('logger').warn(why);
      });
    }
    seen.set(name, now);
  }
}

export const config = { name: 'svc-settle-payments', schedule: '* * * * *' };
