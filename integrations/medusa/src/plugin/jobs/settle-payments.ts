// Every minute: payments that changed at Svc, compared with the orders, so that no webhook is needed to be right.

import { remedyOf } from '@svc/server/shops';
import { accountsOf } from '../../accounts.ts';
import { type Settling, type Shop, settle } from '../../settle.ts';

const day = 86_400_000;
/** The first run of a process looks back further: at what happened while the shop was down. */
const firstLook = 3 * day;
const overlap = 600_000;
const seen = new Map<string, number>();

export default async function settlePayments(shop: Shop): Promise<void> {
  for (const [name, at] of accountsOf(shop)) {
    const warn = (what: string, error: unknown) =>
      shop.resolve('logger').warn(`@svc/medusa: ${what}: ${remedyOf(error)}`);
    // An account that does not answer keeps no other one from being settled, and is looked at from the same time again.
    await settleAccount(name, at, warn).catch((error) =>
      warn(`the payments of ${name} could not be compared with the orders`, error),
    );
  }
}

async function settleAccount(
  name: string,
  at: Settling,
  warn: (what: string, error: unknown) => void,
): Promise<void> {
  const now = Date.now();
  const from = new Date((seen.get(name) ?? now - firstLook) - overlap - at.olderThan);
  const changed = at.svc.payments.list({
    updatedAt: { gte: from.toISOString() },
    type: { eq: 'purchase' },
    limit: 100,
  });
  for await (const payment of changed) {
    await settle(at, payment).catch((error) =>
      warn(`payment ${payment.id} could not be settled`, error),
    );
  }
  seen.set(name, now);
}

export const config = { name: 'svc-settle-payments', schedule: '* * * * *' };
