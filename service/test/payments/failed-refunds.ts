// A refund that fails at the provider after it succeeded, and what the service hears of it.

import { findPayment } from '../../src/storage/payments/payments.ts';
import type { World } from '../world.ts';
import { deliverNotice, providerEvents, readAllNotices } from './notices.ts';

export async function failRefund(world: World, refundId: string): Promise<void> {
  const refund = await findPayment(world.database, world.client.id, refundId);
  await world.control('POST', `/_control/refunds/${refund?.providerRefundId}/fail`);
  for (const event of await providerEvents(world, refund?.providerIntentId ?? '')) {
    await deliverNotice(world, event);
  }
  await readAllNotices(world);
}
