// A wallet reports later than the payment that it was saved: by a notice, or found by the last
// reading before a pending method is dropped. The order is read in both cases. docs/decisions/wallet.md.

import { findLines } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { findMethodUse } from '../../../storage/payment-methods/payment-method-uses.ts';
import {
  dropPendingMethod,
  isBeingRemoved,
  lockMethod,
} from '../../../storage/payment-methods/payment-methods.ts';
import {
  listOldPending,
  type PendingVaulting,
} from '../../../storage/payment-methods/pending-vaultings.ts';
import { findKeptMethod } from '../../../storage/payments/attempt-methods.ts';
import { lockPayment } from '../../../storage/payments/payments.ts';
import type { Ports, ProviderPayment } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import { findSale, startFunded } from '../subscriptions/start-subscriptions.ts';
import { activate } from './activate-method.ts';

/** `unread`: it is not known whether the wallet was saved; `silent`: the provider did not answer either. */
type LateSaveResult = 'kept' | 'nothing' | 'unread' | 'silent';

/** Reads the order of a paid payment, and activates the wallet when it was saved by now. Repeatable. */
export async function settleLateSave(save: PendingVaulting, ports: Ports): Promise<LateSaveResult> {
  const { clientId, gatewayId, paymentId, orderId } = save;
  if (orderId === null) return 'nothing';
  const gateway = await openGateway(ports, clientId, gatewayId);
  const reading = await ports.provider(gateway).retrieve(orderId);
  if (reading.kind === 'in_doubt') return reading.cause === 'read_failed' ? 'silent' : 'unread';
  const saved = reading.kind === 'found' ? reading.payment.saved : undefined;
  if (!saved) return 'nothing';
  await repeatWhenLost(() =>
    ports.database.transaction(clientId, (tx) =>
      saveLateWallet(tx, { clientId, paymentId, saved, ports }),
    ),
  );
  ports.nudge('deliver-webhooks');
  return 'kept';
}

type LateSave = {
  readonly clientId: string;
  readonly paymentId: string;
  readonly saved: NonNullable<ProviderPayment['saved']>;
  readonly ports: Ports;
};

/**
 * Activates the saved wallet, and starts the subscriptions that the payment bought. Locks payment,
 * then method.
 */
async function saveLateWallet(
  tx: Tx,
  { clientId, paymentId, saved, ports }: LateSave,
): Promise<void> {
  const payment = await lockPayment(tx, clientId, paymentId);
  const use = await findMethodUse(tx, clientId, paymentId);
  if (!payment?.sessionId || use?.purpose !== 'save') return;
  if (payment.status !== 'succeeded' && payment.status !== 'partially_refunded') return;
  const method = await lockMethod(tx, clientId, use.paymentMethodId);
  if (method?.status !== 'pending' || (await isBeingRemoved(tx, method))) return;
  const now = await readClock(tx);
  const { customerId: providerCustomerId, providerPaymentMethodId, payerEmail } = saved;
  const kept = await findKeptMethod(tx, payment, providerPaymentMethodId);
  // The same wallet was saved before: its existing row is used.
  if (kept !== undefined) await dropPendingMethod(tx, method);
  else {
    const nothing = { brand: null, lastFour: null, expiryMonth: null, expiryYear: null };
    const facts = { type: 'wallet', ...nothing, payerEmail } as const;
    const verified = { providerCustomerId, providerPaymentMethodId, facts, request: null, now };
    await activate(tx, method, verified, ports);
  }
  const lines = await findLines(tx, clientId, payment.sessionId);
  const sale = findSale(payment, { lines, now, ports });
  if (sale) await startFunded(tx, sale, kept ?? method.id);
}

type LateSaveOptions = {
  readonly graceMs: number;
  readonly limit: number;
  readonly onError: (save: PendingVaulting, error: unknown) => void;
};

/**
 * Reads the orders of pending methods whose session ended more than `graceMs` ago. Returns the ids
 * of the methods that were read: no other may be dropped yet.
 */
export async function settleLateSaves(
  ports: Ports,
  { onError, ...old }: LateSaveOptions,
): Promise<string[]> {
  const looked: string[] = [];
  // The gateways that did not answer: each is asked once in a pass.
  const silentGateways = new Set<string>();
  for (const save of await listOldPending(ports.database, old)) {
    if (silentGateways.has(save.gatewayId)) continue;
    try {
      const look = await settleLateSave(save, ports);
      if (look === 'silent') silentGateways.add(save.gatewayId);
      else if (look !== 'unread') looked.push(save.methodId);
    } catch (error) {
      onError(save, error);
    }
  }
  return looked;
}
