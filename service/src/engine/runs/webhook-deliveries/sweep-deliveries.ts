import { sweepOldDeliveries } from '../../../storage/webhooks/webhook-deliveries.ts';
import type { Ports } from '../../ports.ts';

/** Deletes so many deliveries at most that were over 90 days ago; returns how many. */
export const sweepDeliveries = (
  most: number,
  { database }: Pick<Ports, 'database'>,
): Promise<number> => sweepOldDeliveries(database, most);
