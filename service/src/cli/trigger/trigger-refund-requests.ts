// Events of refund requests, which two people of the merchant make.

import { randomUUID } from 'node:crypto';
import { CommandError } from '../line/command.ts';
import { checkout, type Trigger, type TriggerScene } from './trigger-scene.ts';

type RefundRequest = { readonly id: string; readonly expiresAt: string };

const asks = [...checkout, 'request'];
const minute = 60_000;

/** Asks somebody else at the merchant to approve a refund. */
async function askForRefund({ shop, payment }: TriggerScene): Promise<RefundRequest> {
  const { id } = payment ?? (await shop.purchase());
  return shop.api<RefundRequest>(`POST /v1/payments/${id}/refund-requests`, {
    body: shop.bodies.of('request', {}),
    headers: { 'idempotency-key': randomUUID() },
  });
}

const on = 'a paid payment';

export const refundRequestTriggers = {
  'refund_request.created': { asks, on, run: async (scene) => (await askForRefund(scene)).id },
  'refund_request.approved': {
    asks,
    on,
    async run(scene) {
      const { approver } = scene;
      if (approver === null) {
        throw new CommandError(
          'nobody approves a refund of their own: --approver-token takes the API token of another owner or admin',
        );
      }
      const { id } = await askForRefund(scene);
      await approver(`POST /v1/refund-requests/${id}/approve`, { body: {} });
      return id;
    },
  },
  'refund_request.declined': {
    asks,
    on,
    async run(scene) {
      const { id } = await askForRefund(scene);
      await scene.shop.api(`POST /v1/refund-requests/${id}/decline`, { body: {} });
      return id;
    },
  },
  'refund_request.expired': {
    asks,
    on,
    async run(scene) {
      const { id, expiresAt } = await askForRefund(scene);
      await scene.shop.passTo(new Date(Date.parse(expiresAt) + minute));
      return id;
    },
  },
} satisfies Record<string, Trigger>;
