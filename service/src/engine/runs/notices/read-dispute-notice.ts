// Handles a notice about a dispute: whatever step it reports, the dispute is read.

import { isClosed, isShortOf, type ProviderDispute } from '../../../domain/payments/dispute.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import { findPaymentByIntent } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';
import { settleDispute } from '../../steps/disputes/settle-dispute.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { isOld } from '../../steps/notices/leave-to-operation.ts';
import { readUnknownMoney } from './read-unknown-money.ts';

/** How often a reading that was overtaken by another change is repeated at once. */
const mostReadings = 3;

/** Returns how the notice ended; undefined leaves it for a later pass. */
export async function readDisputeNotice(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const { database } = ports;
  const disputeId = notice.objectId;
  // Every payment of ours has an intent, so a dispute of one names it.
  if (!notice.intentId || !disputeId) return 'not_ours';
  const purchase = await findPaymentByIntent(database, notice.gatewayId, notice.intentId);
  // A dispute carries no marks of ours. Disputes are few, so each is treated as possibly ours.
  if (!purchase) return readUnknownMoney({ ...notice, isMarked: true }, ports);
  const gateway = await openGateway(ports, purchase.clientId, notice.gatewayId);
  const provider = ports.provider(gateway);
  for (let reading = 1; reading <= mostReadings; reading++) {
    const askedAt = await readAskingTime(database);
    const read = await provider.retrieveDispute(disputeId);
    if (read.kind === 'missing' && isOld(notice)) return 'unknown_object';
    if (read.kind !== 'found') return undefined;
    const said = read.dispute;
    if (said.intentId !== notice.intentId) return 'not_ours';
    const { clientId, id: purchaseId } = purchase;
    const word = { clientId, purchaseId, said, askedAt, mayLag: !isOld(notice) };
    const outcome = await settleDispute(word, ports);
    if (outcome === 'behind') continue;
    return isReported(notice, said) || isOld(notice) ? outcome : undefined;
  }
  return undefined;
}

const hasReached: Readonly<Record<string, (said: ProviderDispute) => boolean>> = {
  'charge.dispute.funds_withdrawn': (said) =>
    said.movements.some(({ amountMinor }) => amountMinor > 0),
  'charge.dispute.funds_reinstated': (said) =>
    said.movements.some(({ amountMinor }) => amountMinor < 0),
  'charge.dispute.closed': ({ status }) => isClosed(status) || status.startsWith('appeal_'),
};

/** Whether the reading contains what the notice reports; if not, the provider's copy lags behind. */
const isReported = (
  { type, movements, disputeStatus }: DueNotice,
  said: ProviderDispute,
): boolean =>
  said.movements.length >= (movements ?? 0) &&
  !(disputeStatus && isShortOf(said.status, disputeStatus)) &&
  (hasReached[type]?.(said) ?? true);
