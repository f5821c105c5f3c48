// A saved card that somebody detached at the provider can never be charged again: it is gone here as well.
// What it paid for moves to the customer's other card, or is left without one, and is told of.

import { chooseReplacement, type PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { insertCardFacts } from '../../../storage/notifications/facts.ts';
import {
  findDetachment,
  saveDetachment,
  startDetachment,
} from '../../../storage/payment-methods/detachments.ts';
import {
  listCandidates,
  lockMethods,
  moveCustomerDefault,
  moveMethodSubscriptions,
  tombstoneMethod,
  unfundSubscriptions,
} from '../../../storage/payment-methods/method-funding.ts';
import { hasLiveUse } from '../../../storage/payment-methods/payment-method-uses.ts';
import { isBeingRemoved } from '../../../storage/payment-methods/payment-methods.ts';
import type { Ports } from '../../ports.ts';
import { appendDeletedEvent, appendReplacedEvent } from './detachment-events.ts';

/**
 * Ends the method in one transaction. `waits`: the vault cannot be reached, a payment with the card has
 * not ended, or somebody here removes the card already.
 */
export async function removeDetached(
  method: PaymentMethod,
  ports: Ports,
): Promise<'settled' | 'nothing_to_change' | 'waits'> {
  const { clientId, providerPaymentMethodId } = method;
  if (providerPaymentMethodId === null) return 'nothing_to_change';
  const forgotten = await ports.vault.forget({ clientId, providerPaymentMethodId });
  if (forgotten.kind === 'in_doubt') return 'waits';
  const outcome = await repeatWhenLost(() =>
    ports.database.transaction(clientId, (tx) => endMethod(tx, method, ports)),
  );
  if (outcome === 'settled') ports.nudge('deliver-webhooks');
  return outcome;
}

async function endMethod(tx: Tx, { clientId, id, ...rest }: PaymentMethod, ports: Ports) {
  const known = { clientId, id, ...rest };
  const chosen = chooseReplacement(known, await listCandidates(tx, known));
  const methods = await lockMethods(tx, clientId, chosen ? [id, chosen.id] : [id]);
  const method = methods.get(id);
  if (method?.status !== 'active') return 'nothing_to_change' as const;
  if ((await isBeingRemoved(tx, method)) || (await hasLiveUse(tx, method))) return 'waits' as const;
  const now = await readClock(tx);
  const heir = await usableHeir(tx, chosen && methods.get(chosen.id));
  const run = await detachedRun(tx, method, { heir, now, ports });
  const to = heir?.id ?? null;
  const subscriptions =
    to === null
      ? await unfundSubscriptions(tx, method, now)
      : await moveMethodSubscriptions(tx, { clientId, from: id, to, now });
  const version = await moveCustomerDefault(tx, method, { from: id, to, now });
  const hasMovedDefault = to !== null && version !== undefined;
  const telling = { request: null, now, ports };
  if (to !== null && (subscriptions.length > 0 || hasMovedDefault)) {
    const moved = { ...run, movedSubscriptions: subscriptions, hasMovedDefault };
    await appendReplacedEvent(tx, method, { detachment: moved, ...telling });
  }
  const tombstone = await tombstoneMethod(tx, method, { now, removedBy: 'provider' });
  const left = to === null ? subscriptions : [];
  await appendDeletedEvent(tx, tombstone, { left, ...telling });
  await insertCardFacts(tx, { clientId, methodId: id, subscriptions, now });
  const over = { step: 'removed', state: 'removed', leaseOwner: null, leaseUntil: null } as const;
  await saveDetachment(tx, { ...run, ...over }, { now });
  return 'settled' as const;
}

async function usableHeir(
  tx: Tx,
  method: PaymentMethod | undefined,
): Promise<PaymentMethod | undefined> {
  return method?.status === 'active' && !(await isBeingRemoved(tx, method)) ? method : undefined;
}

type Ending = {
  readonly heir: PaymentMethod | undefined;
  readonly now: Date;
  readonly ports: Ports;
};

/** The record of a detachment whose last step the provider has done already. */
async function detachedRun(tx: Tx, method: PaymentMethod, { heir, now, ports }: Ending) {
  const known = await findDetachment(tx, method);
  if (known?.state === 'removed') throw new Error(`payment method ${method.id} is removed`);
  const lease = { owner: ports.newId(), ms: ports.settings.leaseMs, now };
  const begun = await startDetachment(tx, method, lease);
  const step = { step: 'detached', replacementId: heir?.id ?? null } as const;
  return saveDetachment(tx, { ...begun, ...step }, { now });
}
