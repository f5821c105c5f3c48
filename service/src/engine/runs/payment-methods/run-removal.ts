// Drives a held removal until it is complete or stops. A removal that stops is put back as it was
// or, once a detach may have reached the provider, left to be continued later. docs/decisions/saved-cards.md.

import {
  beforeDefault,
  endsRemoval,
  pauseMs,
  type Removal,
  type RemovalFailure,
} from '../../../domain/payments/removal.ts';
import {
  moveCustomerDefault,
  moveMethodSubscriptions,
} from '../../../storage/payment-methods/method-funding.ts';
import { saveRemoval } from '../../../storage/payment-methods/removals.ts';
import type { Ports } from '../../ports.ts';
import { withDefaultLease } from '../../steps/customers/lease-default.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { forgetVaultedCard } from '../../steps/payment-methods/forget-vaulted-card.ts';
import {
  type HeldRemoval,
  type InStep,
  runLocked,
  runStep,
} from '../../steps/payment-methods/hold-removal.ts';
import {
  leaveTombstone,
  removalStepTable,
  restoreProviderDefault,
  type Saga,
} from '../../steps/payment-methods/removal-steps.ts';

export type RemovalEnd =
  | { readonly kind: 'removed' }
  /** Another caller holds the removal by now. */
  | { readonly kind: 'lost' }
  /** `isOver`: the method is as it was before. Otherwise the removal continues later. */
  | { readonly kind: 'stopped'; readonly failure: RemovalFailure; readonly isOver: boolean };

/** Bounds the run, which chooses again whenever its replacement is taken away. */
const mostSteps = 60;

export async function runRemoval(held: HeldRemoval, ports: Ports): Promise<RemovalEnd> {
  const { clientId, gatewayId, status } = held.method;
  if (status === 'pending') return removePending(held, ports);
  const gateway = await openGateway(ports, clientId, gatewayId);
  const { providerCustomerId: customerId, providerPaymentMethodId: methodId } = held.method;
  if (customerId === null || methodId === null) throw new Error('an active method was verified');
  let saga: Saga = { held, customerId, methodId, keeper: ports.methodKeeper(gateway), ports };
  for (let count = 0; count < mostSteps; count++) {
    const { removal } = saga.held;
    if (removal.step === 'removed') return { kind: 'removed' };
    const next = await removalStepTable[removal.step](saga);
    if (next === undefined) return { kind: 'lost' };
    if (typeof next === 'string') return stopRemoval(saga.held, next, { ports, saga });
    saga = { ...saga, held: { ...held, removal: next } };
  }
  return stopRemoval(saga.held, 'funding_not_moved', { ports, saga });
}

/**
 * Removes a method that was never active. Nothing is saved at the provider, and no event has
 * reported it: only the vault may know the card.
 */
async function removePending(held: HeldRemoval, ports: Ports): Promise<RemovalEnd> {
  if (!(await forgetVaultedCard(held.method, ports)))
    return stopRemoval(held, 'vault_in_doubt', { ports });
  const end = await runLocked(ports, held, (step) => leaveTombstone(step, { held, ports }));
  return { kind: end === undefined ? 'lost' : 'removed' };
}

async function stopRemoval(
  held: HeldRemoval,
  failure: RemovalFailure,
  { ports, saga }: { ports: Ports; saga?: Saga },
): Promise<RemovalEnd> {
  // A step may have saved progress before it failed, so the removal is read again.
  const current = await runStep(ports, held, async ({ removal }) => removal);
  if (typeof current !== 'object') return { kind: 'lost' };
  const now = { ...held, removal: current };
  if (!endsRemoval(current, failure) || !saga) return endRemoval(now, failure, ports);
  const ended = await withDefaultLease(held.method, ports, {
    work: () => undoRemoval({ ...saga, held: now }, failure),
    busy: undefined,
  });
  // Another change of the default takes long: the worker continues later.
  return ended ?? endRemoval(now, failure, ports, { isLeft: true });
}

/**
 * Puts a failed removal back. The saved step goes back before the provider's default is restored: a
 * process that takes over in between then moves the default again, and reads it, before anything is
 * detached.
 */
async function undoRemoval(saga: Saga, failure: RemovalFailure): Promise<RemovalEnd> {
  const { held, ports } = saga;
  const current = await runStep(ports, held, async ({ removal }) => beforeDefault(removal));
  if (typeof current !== 'object') return { kind: 'lost' };
  const before = { ...held, removal: current };
  await restoreProviderDefault({ ...saga, held: before });
  return endRemoval(before, failure, ports);
}

async function endRemoval(
  held: HeldRemoval,
  failure: RemovalFailure,
  ports: Ports,
  { isLeft = false } = {},
): Promise<RemovalEnd> {
  const others = held.removal.replacementId === null ? [] : [held.removal.replacementId];
  let isOver = false;
  const ended = await runLocked(ports, { ...held, others }, async (step) => {
    isOver = !isLeft && endsRemoval(step.removal, failure);
    return isOver ? failRemoval(step, { held, failure }) : pause(step);
  });
  return ended === undefined ? { kind: 'lost' } : { kind: 'stopped', failure, isOver };
}

/**
 * Ends a removal as failed. The method is as it was before: listed, usable, and paying for what it
 * paid for.
 */
async function failRemoval(
  { tx, now, removal }: InStep,
  { held, failure }: { held: HeldRemoval; failure: RemovalFailure },
): Promise<Removal> {
  const { clientId, id } = held.method;
  const over = { state: 'failed', leaseOwner: null, leaseUntil: null } as const;
  const ended = await saveRemoval(tx, { ...removal, ...over, failureReason: failure }, { now });
  const { replacementId, movedSubscriptions, hasMovedDefault, customerVersion } = removal;
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

/** Leaves the removal without a lease holder until its next try is due, or until somebody asks for it again. */
function pause({ tx, now, removal }: InStep): Promise<Removal> {
  const nextTryAt = new Date(now.getTime() + pauseMs(removal.tries));
  return saveRemoval(tx, { ...removal, leaseOwner: null, leaseUntil: null }, { now, nextTryAt });
}
