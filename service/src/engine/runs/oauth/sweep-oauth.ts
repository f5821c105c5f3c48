import { sweepOauth as sweep } from '../../../storage/accounts/oauth-records.ts';
import type { Ports } from '../../ports.ts';

/** Deletes what the OAuth flows left behind and nobody can use any more; answers how much. */
export const sweepOauth = (limit: number, ports: Pick<Ports, 'database'>): Promise<number> =>
  sweep(ports.database, limit);
