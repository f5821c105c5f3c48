import { sweepOldDeliveries } from '../../../storage/webhooks/webhook-deliveries.ts';
import type { Ports } from '../../ports.ts';

/** Deletes at most `most` deliveries that ended over 90 days ago; returns how many. */
export const sweepDeliveries = (
  most: number,
  { database }: Pick<Ports, 'database'>,
): Promise<number> => sweepOldDeliveries(database, most);
