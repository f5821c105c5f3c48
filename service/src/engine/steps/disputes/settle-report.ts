import type { Payment } from '../../../domain/payments/payment.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';

/** What the provider reported about a purchase of ours. */
export type Report<Said> = {
  readonly clientId: string;
  readonly purchaseId: string;
  readonly said: Said;
  /** The service's time before the provider was asked. */
  readonly askedAt: Date;
  /** The report may come from a copy that lags behind, so it takes nothing a step back. */
  readonly mayLag?: boolean;
};

/** `behind`: the report may be older than the stored state, so the provider has to be asked again. */
export type ReportOutcome = 'settled' | 'nothing_to_change' | 'behind';

/** Settles a report in one transaction under the lock of its purchase, and wakes the webhooks. */
export async function settleReport(
  { clientId, purchaseId }: Report<unknown>,
  ports: Ports,
  settle: (tx: Tx, purchase: Payment) => Promise<ReportOutcome>,
): Promise<ReportOutcome> {
  const outcome = await repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      const purchase = await lockPayment(tx, clientId, purchaseId);
      if (!purchase) throw new Error(`payment ${purchaseId} is missing`);
      return settle(tx, purchase);
    }),
  );
  if (outcome === 'settled') ports.nudge('deliver-webhooks');
  return outcome;
}
