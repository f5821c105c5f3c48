import { listOpenMoney, type OpenMoney } from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';

export type { OpenMoney };

/** Lists the money that somebody has to decide about or is deciding, the oldest first, at most `most`. */
export const findOpenMoney = (ports: Ports, most: number): Promise<OpenMoney[]> =>
  listOpenMoney(ports.database, most);
