// Works stored notices off: each one is a hint to read the provider, whose word then decides. Any
// number and order of notices therefore ends in the provider's truth.

import { findOpenOperation } from '../../storage/payment-operations.ts';
import { findPayment, findPaymentByIntent } from '../../storage/payments.ts';
import { claimDueNotices, closeNotice, type DueNotice } from '../../storage/provider-inbox.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type { Ports } from '../ports.ts';
import { adoptOrder } from './adopt-order.ts';
import { applyReading } from './apply-reading.ts';
import { handOver, isOld } from './hand-over.ts';
import { readDisputeNotice } from './read-dispute-notice.ts';
import { readRefundNotice } from './read-refund-notice.ts';
import { readSetupNotice } from './read-setup-notice.ts';
import { readTokenNotice } from './read-token-notice.ts';

/** One pass over due notices. Returns how many it took up. */
export async function readNotices(
  ports: Ports,
  options: { limit: number; onError: (notice: DueNotice, error: unknown) => void },
): Promise<number> {
  const due = await claimDueNotices(ports.database, options.limit);
  for (const notice of due) {
    try {
      const outcome = await readNotice(notice, ports);
      if (outcome) await closeNotice(ports.database, notice, outcome);
    } catch (error) {
      options.onError(notice, error);
    }
  }
  return due.length;
}

/** What the provider sends when it takes a capture back; for a declined charge as well. */
const failures = new Set(['charge.failed', 'payment_intent.payment_failed']);

/** How the notice ended; undefined leaves it for a later pass. */
async function readNotice(notice: DueNotice, ports: Ports): Promise<string | undefined> {
  if (notice.object === 'refund' && notice.objectId) return readRefundNotice(notice, ports);
  if (notice.object === 'dispute') return readDisputeNotice(notice, ports);
  if (notice.object === 'setup_intent') return readSetupNotice(notice, ports);
  if (notice.object === 'payment_token') return readTokenNotice(notice, ports);
  if (!notice.intentId) return 'not_ours';
  const { database } = ports;
  const found = await findPaymentByIntent(database, notice.gatewayId, notice.intentId);
  if (!found) {
    return (await adoptOrder(notice, ports)) ?? (isOld(notice) ? 'unknown_object' : undefined);
  }
  const open = await findOpenOperation(database, found.clientId, found.id);
  if (!open) return readPayment(found, notice, ports);
  const outcome = await handOver(open, notice, ports);
  // The operation settles on the answer to its own key, which may be older than the take-back.
  return failures.has(notice.type) ? undefined : outcome;
}

async function readPayment(
  { clientId, id }: { clientId: string; id: string },
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const payment = await findPayment(ports.database, clientId, id);
  const isFailure = failures.has(notice.type);
  const mayMove = isFailure ? ['authorized', 'succeeded', 'unknown'] : ['authorized'];
  if (!payment?.providerIntentId || !mayMove.includes(payment.status)) return 'nothing_to_change';
  const gateway = await openGateway(ports, clientId, payment.gatewayId);
  const reading = await ports.provider(gateway).retrieve(payment.providerIntentId);
  if (reading.kind !== 'found') return undefined;
  const isChanged = await applyReading(payment, reading.payment, ports);
  if (isChanged === undefined) return undefined;
  if (isFailure && !(await isEnded(payment, ports))) {
    // The copy that was read may lag behind the notice, or a refund has to end first.
    return isOld(notice) ? 'nothing_to_change' : undefined;
  }
  return isChanged ? 'settled' : 'nothing_to_change';
}

async function isEnded(
  { clientId, id }: { clientId: string; id: string },
  ports: Ports,
): Promise<boolean> {
  const status = (await findPayment(ports.database, clientId, id))?.status;
  return status === 'failed' || status === 'voided';
}
