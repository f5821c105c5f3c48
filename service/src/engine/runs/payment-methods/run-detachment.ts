// Runs the steps of a leased detachment until it is complete or stops. A stopped detachment is
// undone or, once a detach may have reached the provider, continued later.
// docs/decisions/saved-cards.md.

import {
  beforeDefault,
  type Detachment,
  type DetachmentFailure,
  endsDetachment,
  pauseMs,
} from '../../../domain/payments/detachment.ts';
import { saveDetachment } from '../../../storage/payment-methods/detachments.ts';
import {
  moveCustomerDefault,
  moveMethodSubscriptions,
} from '../../../storage/payment-methods/method-funding.ts';
import type { Ports } from '../../ports.ts';
import { withDefaultLease } from '../../steps/customers/lease-default.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import {
  detachmentStepTable,
  leaveTombstone,
  restoreProviderDefault,
  type Saga,
} from '../../steps/payment-methods/detachment-steps.ts';
import { forgetVaultedCard } from '../../steps/payment-methods/forget-vaulted-card.ts';
import {
  type InStep,
  type LeasedDetachment,
  runLocked,
  runStep,
} from '../../steps/payment-methods/lease-detachment.ts';

export type DetachmentEnd =
  | { readonly kind: 'removed' }
  /** Another caller has taken over the detachment. */
  | { readonly kind: 'lost' }
  /** `isOver`: the method is as it was before. Otherwise the detachment continues later. */
  | { readonly kind: 'stopped'; readonly failure: DetachmentFailure; readonly isOver: boolean };

/** Bounds the run, which chooses again whenever its replacement is taken away. */
const mostSteps = 60;

export async function runDetachment(held: LeasedDetachment, ports: Ports): Promise<DetachmentEnd> {
  const { clientId, gatewayId, status } = held.method;
  if (status === 'pending') return removePending(held, ports);
  const gateway = await openGateway(ports, clientId, gatewayId);
  const { providerCustomerId: customerId, providerPaymentMethodId: methodId } = held.method;
  if (customerId === null || methodId === null) throw new Error('an active method was verified');
  let saga: Saga = { held, customerId, methodId, keeper: ports.methodKeeper(gateway), ports };
  for (let count = 0; count < mostSteps; count++) {
    const { detachment } = saga.held;
    if (detachment.step === 'removed') return { kind: 'removed' };
    const next = await detachmentStepTable[detachment.step](saga);
    if (next === undefined) return { kind: 'lost' };
    if (typeof next === 'string') return stopDetachment(saga.held, next, { ports, saga });
    saga = { ...saga, held: { ...held, detachment: next } };
  }
  return stopDetachment(saga.held, 'funding_not_moved', { ports, saga });
}

/**
 * Removes a method that was never active. Nothing is saved at the provider, and no event has
 * reported it: only the vault may know the card.
 */
async function removePending(held: LeasedDetachment, ports: Ports): Promise<DetachmentEnd> {
  if (!(await forgetVaultedCard(held.method, ports)))
    return stopDetachment(held, 'vault_in_doubt', { ports });
  const end = await runLocked(ports, held, (step) => leaveTombstone(step, { held, ports }));
  return { kind: end === undefined ? 'lost' : 'removed' };
}

async function stopDetachment(
  held: LeasedDetachment,
  failure: DetachmentFailure,
  { ports, saga }: { ports: Ports; saga?: Saga },
): Promise<DetachmentEnd> {
  // A step may have saved progress before it failed, so the detachment is read again.
  const current = await runStep(ports, held, async ({ detachment }) => detachment);
  if (typeof current !== 'object') return { kind: 'lost' };
  const now = { ...held, detachment: current };
  if (!endsDetachment(current, failure) || !saga) return endDetachment(now, failure, ports);
  const ended = await withDefaultLease(held.method, ports, {
    work: () => undoDetachment({ ...saga, held: now }, failure),
    busy: undefined,
  });
  // Another change of the default takes long: the worker continues later.
  return ended ?? endDetachment(now, failure, ports, { isLeft: true });
}

/**
 * Puts a failed detachment back. The saved step goes back before the provider's default is restored: a
 * process that takes over in between then moves the default again, and reads it, before anything is
 * detached.
 */
async function undoDetachment(saga: Saga, failure: DetachmentFailure): Promise<DetachmentEnd> {
  const { held, ports } = saga;
  const current = await runStep(ports, held, async ({ detachment }) => beforeDefault(detachment));
  if (typeof current !== 'object') return { kind: 'lost' };
  const before = { ...held, detachment: current };
  await restoreProviderDefault({ ...saga, held: before });
  return endDetachment(before, failure, ports);
}

async function endDetachment(
  held: LeasedDetachment,
  failure: DetachmentFailure,
  ports: Ports,
  { isLeft = false } = {},
): Promise<DetachmentEnd> {
  const others = held.detachment.replacementId === null ? [] : [held.detachment.replacementId];
  let isOver = false;
  const ended = await runLocked(ports, { ...held, others }, async (step) => {
    isOver = !isLeft && endsDetachment(step.detachment, failure);
    return isOver ? failDetachment(step, { held, failure }) : pause(step);
  });
  return ended === undefined ? { kind: 'lost' } : { kind: 'stopped', failure, isOver };
}

/**
 * Ends a detachment as failed. The method stays listed and usable, and its subscriptions keep it.
 */
async function failDetachment(
  { tx, now, detachment }: InStep,
  { held, failure }: { held: LeasedDetachment; failure: DetachmentFailure },
): Promise<Detachment> {
  const { clientId, id } = held.method;
  const over = { state: 'failed', leaseOwner: null, leaseUntil: null } as const;
  const ended = await saveDetachment(
    tx,
    { ...detachment, ...over, failureReason: failure },
    { now },
  );
  const { replacementId, movedSubscriptions, hasMovedDefault, customerVersion } = detachment;
  if (replacementId !== null && movedSubscriptions.length > 0) {
    const move = { clientId, from: replacementId, to: id, now };
    await moveMethodSubscriptions(tx, move, movedSubscriptions);
  }
  if (hasMovedDefault) {
    const back = { from: replacementId, to: id, now, version: customerVersion };
    await moveCustomerDefault(tx, held.method, back);
  }
  return ended;
}

/** Leaves the detachment without a lease holder until its next try is due, or until somebody asks for it again. */
function pause({ tx, now, detachment }: InStep): Promise<Detachment> {
  const nextTryAt = new Date(now.getTime() + pauseMs(detachment.tries));
  return saveDetachment(
    tx,
    { ...detachment, leaseOwner: null, leaseUntil: null },
    { now, nextTryAt },
  );
}
