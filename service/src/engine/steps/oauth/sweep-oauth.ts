import { sweepOauth as sweep } from '../../../storage/oauth/oauth-records.ts';
import type { Ports } from '../../ports.ts';

/** Deletes OAuth records that nobody can use any more; returns how many. */
export const sweepOauth = (limit: number, ports: Pick<Ports, 'database'>): Promise<number> =>
  sweep(ports.database, limit);
