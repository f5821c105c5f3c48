// Holds that have expired. Our clock only determines when to look: the payment changes by the
// provider's answer. Spec: States and transitions, provider expiry. Contract §2, Hold.

import { captureMarginMs } from '../../../domain/payments/payment.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { claimExpiry } from '../../../storage/payments/claim-expiry.ts';
import type { OpenHold } from '../../../storage/payments/open-holds.ts';
import {
  listExpiredHolds,
  listHoldsToWarn,
  takeHoldWarning,
} from '../../../storage/payments/open-holds.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';
import { applyToPayment } from '../../steps/payments/apply-to-payment.ts';
import { sendHoldOperation } from '../../steps/payments/send-hold-operation.ts';
import { settleHold } from '../../steps/payments/settle-hold.ts';

type Pass = { readonly limit: number; readonly onError: (hold: OpenHold, error: unknown) => void };

/**
 * Makes one pass: warns of holds that expire soon, and ends those that have expired. Returns how
 * many it touched.
 */
export async function expireHolds(ports: Ports, pass: Pass): Promise<number> {
  const toWarn = await listHoldsToWarn(ports.database, pass.limit);
  const expired = await listExpiredHolds(ports.database, pass.limit, captureMarginMs);
  let touched = 0;
  const forHold = async (hold: OpenHold, work: () => Promise<boolean>) => {
    try {
      if (await work()) touched += 1;
    } catch (error) {
      pass.onError(hold, error);
    }
  };
  for (const hold of toWarn) await forHold(hold, () => warnOfExpiry(hold, ports));
  await Promise.all(expired.map((hold) => forHold(hold, () => expireHold(hold, ports))));
  return touched;
}

/** Appends `payment.authorization_expiring`, once per hold. */
async function warnOfExpiry(hold: OpenHold, ports: Ports): Promise<boolean> {
  const isTold = await ports.database.transaction(hold.clientId, async (tx) => {
    const payment = await lockPayment(tx, hold.clientId, hold.paymentId);
    // A hold in doubt may become active again; its warning is kept until then.
    if (payment?.status !== 'authorized' || !(await takeHoldWarning(tx, hold))) return false;
    await applyToPayment(tx, {
      payment,
      operation: null,
      settlement: { change: {}, event: 'payment.authorization_expiring', failure: null },
      now: await readClock(tx),
      ports,
    });
    return true;
  });
  if (isTold) ports.nudge('deliver-webhooks');
  return isTold;
}

/** Reads the provider, releases what it still holds, and settles on its answer. */
async function expireHold(hold: OpenHold, ports: Ports): Promise<boolean> {
  const claim = await claimExpiry(ports.database, {
    ...hold,
    operationId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs: ports.settings.leaseMs,
  });
  if (!claim) return false;
  const outcome = await sendHoldOperation({ ...claim, isFirstSend: true }, ports);
  const { operation, now } = claim;
  await settleHold({ operation, startedAt: now }, outcome, ports);
  return true;
}
