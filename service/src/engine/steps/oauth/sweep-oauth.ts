import { sweepOauth as sweep } from '../../../storage/oauth/oauth-records.ts';
import type { Ports } from '../../ports.ts';

/** Deletes OAuth records that can no longer be used; returns how many. */
export const sweepOauth = (limit: number, ports: Pick<Ports, 'database'>): Promise<number> =>
  sweep(ports.database, limit);
