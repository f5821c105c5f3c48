// A wallet says later than the payment that it is kept: by a notice, or by the last look before what is
// still pending is forgotten. The order is read either way. Decision 0057.

import { findKeptMethod } from '../../storage/attempt-methods.ts';
import { type AwaitedSave, listOldAwaited } from '../../storage/awaited-saves.ts';
import { findLines } from '../../storage/checkout-sessions.ts';
import { readClock } from '../../storage/clock.ts';
import { repeatWhenLost, type Tx } from '../../storage/database.ts';
import { findMethodUse, isBeingRemoved } from '../../storage/payment-method-uses.ts';
import { dropPendingMethod, lockMethod } from '../../storage/payment-methods.ts';
import { lockPayment } from '../../storage/payments.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import type { Ports, ProviderPayment } from '../ports.ts';
import { startSubscriptions } from '../subscriptions/start-subscriptions.ts';
import { activate } from './activate.ts';

/**
 * Reads the order of a paid payment, and activates what the wallet keeps by now. False while it keeps
 * nothing, or cannot be read. Repeatable.
 */
export async function settleLateSave(save: AwaitedSave, ports: Ports): Promise<boolean> {
  const { clientId, gatewayId, paymentId, orderId } = save;
  if (orderId === null) return false;
  const gateway = await openGateway(ports, clientId, gatewayId);
  const reading = await ports.provider(gateway).retrieve(orderId);
  const saved = reading.kind === 'found' ? reading.payment.saved : undefined;
  if (!saved) return false;
  await repeatWhenLost(() =>
    ports.database.transaction(clientId, (tx) =>
      keepLate(tx, { clientId, paymentId, saved, ports }),
    ),
  );
  ports.nudge('deliver-webhooks');
  return true;
}

type Late = {
  readonly clientId: string;
  readonly paymentId: string;
  readonly saved: NonNullable<ProviderPayment['saved']>;
  readonly ports: Ports;
};

/** What the payment bought to be renewed starts with it. Locks payment, then method. */
async function keepLate(tx: Tx, { clientId, paymentId, saved, ports }: Late): Promise<void> {
  const payment = await lockPayment(tx, clientId, paymentId);
  const use = await findMethodUse(tx, clientId, paymentId);
  if (!payment?.sessionId || use?.purpose !== 'save') return;
  if (payment.status !== 'succeeded' && payment.status !== 'partially_refunded') return;
  const method = await lockMethod(tx, clientId, use.paymentMethodId);
  if (method?.status !== 'pending' || (await isBeingRemoved(tx, method))) return;
  const now = await readClock(tx);
  const { customerId: providerCustomerId, providerPaymentMethodId, payerEmail } = saved;
  const kept = await findKeptMethod(tx, payment, providerPaymentMethodId);
  // The same wallet was kept before: one row stands for it.
  if (kept !== undefined) await dropPendingMethod(tx, method);
  else {
    const nothing = { brand: null, lastFour: null, expiryMonth: null, expiryYear: null };
    const facts = { type: 'wallet', ...nothing, payerEmail } as const;
    const verified = { providerCustomerId, providerPaymentMethodId, facts, request: null, now };
    await activate(tx, method, verified, ports);
  }
  const lines = await findLines(tx, clientId, payment.sessionId);
  await startSubscriptions(tx, { payment, lines, methodId: kept ?? method.id, now, ports });
}

/** The last look at those whose session ended so long ago; returns how many are kept now. */
export async function settleLateSaves(
  ports: Ports,
  old: { readonly graceMs: number; readonly limit: number },
): Promise<number> {
  let kept = 0;
  for (const save of await listOldAwaited(ports.database, old)) {
    if (await settleLateSave(save, ports)) kept += 1;
  }
  return kept;
}
