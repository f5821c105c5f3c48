import { listOpenMoney, type OpenMoney } from '../../../storage/payments/unknown-money.ts';
import type { Ports } from '../../ports.ts';

export type { OpenMoney };

/**
 * Lists unknown money that waits for an operator's decision or whose decision is being carried out,
 * merchant by merchant, the oldest first, of each at most `most`.
 */
export const findOpenMoney = (ports: Ports, most: number): Promise<OpenMoney[]> =>
  listOpenMoney(ports.database, most);
