// Compares the disputes of a purchase with the provider's. The provider is asked only where its
// reading of the payment reports a dispute, or we have one.

import type { Payment } from '../../../domain/payments/payment.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import { findBookedMovements, findDisputesOf } from '../../../storage/payments/disputes.ts';
import type { Ports, ProviderDispute, ProviderPayment } from '../../ports.ts';
import type { DisputeWord } from '../../steps/disputes/settle-dispute.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { type Difference, differenceOf } from './compare.ts';
import { compareDisputes } from './compare-disputes.ts';

export type DisputeLook = {
  readonly differences: readonly Difference[];
  /** The provider's reports of the differing disputes, ready to be recorded. */
  readonly words: readonly DisputeWord[];
};

type Disputes = Awaited<ReturnType<typeof findDisputesOf>>;

const attempts = 3;
const dayMs = 24 * 3600 * 1000;

/** Disputes that changed while the provider was read are read again, as they are now. */
export async function lookAtDisputes(
  purchase: Payment,
  said: ProviderPayment,
  { ports, turn }: { readonly ports: Ports; readonly turn: () => Promise<void> },
): Promise<DisputeLook> {
  const { database } = ports;
  let disputes = await findDisputesOf(database, purchase);
  if (!said.isDisputed && disputes.length === 0) return { differences: [], words: [] };
  const gateway = await openGateway(ports, purchase.clientId, purchase.gatewayId);
  const provider = ports.provider(gateway);
  for (let attempt = 1; ; attempt++) {
    await turn();
    const askedAt = await readAskingTime(database);
    const list = await provider.listDisputes(said.intentId);
    const booked = await findBookedMovements(database, purchase);
    const now = await findDisputesOf(database, purchase);
    const hasMoved = versionsOf(now) !== versionsOf(disputes);
    disputes = now;
    if (hasMoved && attempt < attempts) continue;
    if (list.kind === 'in_doubt') {
      const status = `disputes: ${list.cause}`;
      return { differences: [differenceOf(purchase, 'unread', { status })], words: [] };
    }
    const differences = compareDisputes(purchase, { disputes, ...booked }, list.disputes);
    const differing = new Set(differences.map(({ providers }) => providers.id));
    const { clientId, id: purchaseId } = purchase;
    const words = list.disputes
      .filter(({ disputeId }) => differing.has(disputeId))
      .map((said) => ({
        clientId,
        purchaseId,
        said,
        askedAt,
        mayLag: isYoung(said, now, askedAt),
      }));
    return { differences, words };
  }
}

/** Whether the dispute changed within a day, so that the reading may come from a copy that lags behind. */
const isYoung = (said: ProviderDispute, ours: Disputes, askedAt: Date): boolean =>
  ours.some(
    ({ providerDisputeId, updatedAt }) =>
      providerDisputeId === said.disputeId && askedAt.getTime() - updatedAt.getTime() < dayMs,
  );

const versionsOf = (disputes: Disputes): string =>
  disputes.map(({ id, version }) => `${id} ${version}`).join();
