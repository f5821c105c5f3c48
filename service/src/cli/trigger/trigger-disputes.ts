// Events of disputes, as the buyer's bank causes them.

import { checkout, type Trigger, type TriggerScene } from './trigger-scene.ts';
import type { Payment } from './trigger-shop.ts';

const asks = [...checkout, 'dispute'];

/** Opens a dispute at the bank; returns the provider's id. */
async function openDispute({ shop }: TriggerScene, payment: Payment): Promise<string> {
  const { charge } = await shop.atProvider(payment);
  const body = shop.bodies.of('dispute', { charge });
  const { id } = await shop.control<{ id: string }>('POST /disputes', body);
  return id;
}

type Dispute = { readonly providerDisputeId: string; readonly status: string };

/** Returns the payment's open dispute, or a new one, once the merchant has its event. */
async function disputeOf(scene: TriggerScene): Promise<{ payment: Payment; id: string }> {
  const payment = scene.payment ?? (await scene.shop.purchase());
  const { data } = await scene.shop.api<{ data: Dispute[] }>(
    `GET /v1/disputes?paymentId[eq]=${payment.id}`,
  );
  const known = data.find(({ status }) => !/^(won|lost|warning_closed|prevented)$/.test(status));
  if (known) return { payment, id: known.providerDisputeId };
  const id = await openDispute(scene, payment);
  await scene.seen('chargeback.withdrawn', payment.id);
  return { payment, id };
}

const openDisputeOf = async (scene: TriggerScene): Promise<string> => {
  const payment = scene.payment ?? (await scene.shop.purchase());
  await openDispute(scene, payment);
  return payment.id;
};

export const disputeTriggers = {
  'dispute.opened': { asks, on: 'a paid payment', run: openDisputeOf },
  'chargeback.withdrawn': { asks, on: 'a paid payment', run: openDisputeOf },
  'dispute.updated': {
    asks: [...asks, 'evidence'],
    on: 'a paid payment',
    async run(scene) {
      const { payment, id } = await disputeOf(scene);
      const body = scene.shop.bodies.of('evidence', {});
      await scene.shop.control(`POST /disputes/${id}/evidence`, body);
      return payment.id;
    },
  },
  'dispute.closed': {
    asks: [...asks, 'end'],
    on: 'a paid payment',
    async run(scene) {
      const { payment, id } = await disputeOf(scene);
      const body = scene.shop.bodies.of('end', { outcome: 'lost' });
      await scene.shop.control(`POST /disputes/${id}/close`, body);
      return payment.id;
    },
  },
  'chargeback.reinstated': {
    asks,
    on: 'a paid payment',
    async run(scene) {
      const { payment, id } = await disputeOf(scene);
      await scene.shop.control(`POST /disputes/${id}/close`, { outcome: 'won' });
      return payment.id;
    },
  },
} satisfies Record<string, Trigger>;
