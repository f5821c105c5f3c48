import { settleReading } from '../../domain/settlement.ts';
import { readClock } from '../../storage/clock.ts';
import { findOpenOperation } from '../../storage/payment-operations.ts';
import { lockPayment } from '../../storage/payments.ts';
import { applyToPayment } from '../payments/settle-operation.ts';
import type { Ports, ProviderPayment } from '../ports.ts';

/**
 * Moves a payment that nobody is working on to where the provider says it is: forward only, with
 * its event. True when it moved; undefined when an operation is open, which is then what settles.
 */
export async function applyReading(
  payment: { readonly clientId: string; readonly id: string },
  said: ProviderPayment,
  ports: Ports,
): Promise<boolean | undefined> {
  const isMoved = await ports.database.transaction(payment.clientId, async (tx) => {
    const locked = await lockPayment(tx, payment.clientId, payment.id);
    if (!locked || (await findOpenOperation(tx, payment.clientId, payment.id))) return undefined;
    const now = await readClock(tx);
    const settlement = settleReading(locked, said, now);
    if (!settlement) return false;
    await applyToPayment(tx, { payment: locked, operation: null, settlement, now, ports });
    return true;
  });
  if (isMoved) ports.nudge('deliver-webhooks');
  return isMoved;
}
