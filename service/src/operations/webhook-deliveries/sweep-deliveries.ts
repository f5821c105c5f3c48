import { sweepOldDeliveries } from '../../storage/webhook-deliveries.ts';
import type { Ports } from '../ports.ts';

/** Deletes what is kept 90 days and older, so many rows of a kind at most; tells how many. */
export const sweepDeliveries = (
  most: number,
  { database }: Pick<Ports, 'database'>,
): Promise<number> => sweepOldDeliveries(database, most);
