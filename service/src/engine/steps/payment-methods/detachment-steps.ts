// The steps of a detachment: each calls the provider or the vault outside of any transaction, then
// saves the result in one. Every step may be repeated. Contract §5. docs/decisions/saved-cards.md.

import type {
  Detachment,
  DetachmentFailure,
  DetachmentStep,
} from '../../../domain/payments/detachment.ts';
import { chooseReplacement, type PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { saveDetachment } from '../../../storage/payment-methods/detachments.ts';
import {
  findCustomerVersion,
  findDependents,
  listCandidates,
  moveCustomerDefault,
  moveMethodSubscriptions,
  tombstoneMethod,
} from '../../../storage/payment-methods/method-funding.ts';
import { findMethod, isBeingRemoved } from '../../../storage/payment-methods/payment-methods.ts';
import type { CustomerReading, MethodKeeper, MethodReading, Ports } from '../../ports.ts';
import { withDefaultLease } from '../customers/lease-default.ts';
import { appendDeletedEvent, appendReplacedEvent } from './detachment-events.ts';
import { type InStep, type LeasedDetachment, runLocked, runStep } from './lease-detachment.ts';

/** The detachment after the step, or a failure; undefined when another caller holds the run. */
export type StepEnd = Promise<Detachment | DetachmentFailure | undefined>;

export type Saga = {
  readonly held: LeasedDetachment;
  /** The provider's ids of customer and method. */
  readonly customerId: string;
  readonly methodId: string;
  readonly keeper: MethodKeeper;
  readonly ports: Ports;
};

type Step = (saga: Saga) => StepEnd;

/** The next step, by the step that is done. */
export const detachmentStepTable: Readonly<Record<Exclude<DetachmentStep, 'removed'>, Step>> = {
  claimed: choose,
  replacement_chosen: moveSubscriptions,
  subscriptions_moved: moveDefault,
  default_moved: verify,
  verified: wipe,
  vault_wiped: detach,
  detached: finishDetachment,
};

const keyOf = ({ held: { method, detachment } }: Saga, step: string): string =>
  `detachment-${method.id}-${detachment.epoch}-${step}`;

const otherMethodsOf = ({ held }: Saga): string[] =>
  held.detachment.replacementId === null ? [] : [held.detachment.replacementId];

const isKeptFor = (customerId: string, reading: MethodReading | null): boolean =>
  reading?.kind === 'found' && reading.method.customerId === customerId;

const isDefault = (methodId: string, reading: CustomerReading): boolean =>
  reading.kind === 'found' && reading.customer.defaultMethodId === methodId;

/** Whether the locked method may take over the funding: it is active and not being removed. */
async function mayTakeOver({ tx, methods }: InStep, id: string): Promise<boolean> {
  const method = methods.get(id);
  return method?.status === 'active' && !(await isBeingRemoved(tx, method));
}

/** The chosen replacement is not available any more: the run chooses again. */
const chooseAgain = (detachment: Detachment): Detachment => ({
  ...detachment,
  step: 'claimed',
  replacementId: null,
});

/** Reads the provider before anything is moved, so that a detachment that cannot be completed is not begun. */
async function choose(saga: Saga): StepEnd {
  const { held, keeper, ports, customerId, methodId } = saga;
  const { method } = held;
  const candidate = chooseReplacement(method, await listCandidates(ports.database, method));
  const [customer, own, other] = await Promise.all([
    keeper.retrieveCustomer(customerId),
    keeper.retrieveMethod(methodId),
    candidate ? keeper.retrieveMethod(candidate.providerPaymentMethodId ?? '') : null,
  ]);
  if ([customer, own, other].some((reading) => reading?.kind === 'in_doubt')) {
    return 'provider_unreadable';
  }
  if (own.kind === 'found' && own.method.customerId && own.method.customerId !== customerId) {
    return 'kept_for_another';
  }
  // A card of a customer that is gone at the provider cannot take over.
  const chosen = customer.kind === 'missing' ? undefined : candidate;
  // When the run chooses again, the provider's default may have been moved already.
  const wasProviderDefault = held.detachment.wasProviderDefault || isDefault(methodId, customer);
  const others = chosen ? [chosen.id] : [];
  return runStep(ports, { ...held, others }, async (step) => {
    const { subscriptions, isDefault: isOurDefault } = await findDependents(step.tx, method);
    const customerVersion =
      step.detachment.customerVersion ?? (await findCustomerVersion(step.tx, method));
    const known = { ...step.detachment, wasProviderDefault, customerVersion };
    const next = { ...known, step: 'replacement_chosen' } as const;
    if (subscriptions === 0 && !isOurDefault && !wasProviderDefault) return next;
    if (!chosen) return subscriptions > 0 ? 'no_replacement' : next;
    if (!(await mayTakeOver(step, chosen.id))) return step.detachment;
    return isKeptFor(customerId, other)
      ? { ...next, replacementId: chosen.id }
      : 'replacement_gone';
  });
}

/** Moves all subscriptions at once: each is paid by one card or the other at any time, never by none. */
function moveSubscriptions(saga: Saga): StepEnd {
  const { held, ports } = saga;
  return runStep(ports, { ...held, others: otherMethodsOf(saga) }, async (step) => {
    const { tx, now, detachment } = step;
    const { clientId, id } = held.method;
    const to = detachment.replacementId;
    const next = { ...detachment, step: 'subscriptions_moved' } as const;
    if (to === null) {
      const { subscriptions } = await findDependents(tx, held.method);
      return subscriptions > 0 ? chooseAgain(detachment) : next;
    }
    if (!(await mayTakeOver(step, to))) return chooseAgain(detachment);
    const moved = await moveMethodSubscriptions(tx, { clientId, from: id, to, now });
    return { ...next, movedSubscriptions: [...detachment.movedSubscriptions, ...moved] };
  });
}

/** Moves the customer's default, the provider's and ours, wherever it is the method. */
function moveDefault(saga: Saga): StepEnd {
  return withDefaultLease(saga.held.method, saga.ports, {
    work: () => moveHeldDefault(saga),
    busy: 'default_in_doubt',
  });
}

async function moveHeldDefault(saga: Saga): StepEnd {
  const { held, keeper, ports, customerId, methodId } = saga;
  const { clientId, id } = held.method;
  const to = held.detachment.replacementId;
  const customer = await keeper.retrieveCustomer(customerId);
  if (customer.kind === 'in_doubt') return 'default_in_doubt';
  if (isDefault(methodId, customer)) {
    const replacement = to === null ? undefined : await findMethod(ports.database, clientId, to);
    const outcome = await keeper.setDefaultMethod({
      key: keyOf(saga, `default-${to ?? 'none'}`),
      customerId,
      methodId: replacement?.providerPaymentMethodId ?? null,
    });
    if (outcome.kind === 'refused') return 'default_refused';
    if (outcome.kind === 'in_doubt') return 'default_in_doubt';
  }
  return runStep(ports, { ...held, others: otherMethodsOf(saga) }, async (step) => {
    const { tx, now, detachment } = step;
    if (to !== null && !(await mayTakeOver(step, to))) return chooseAgain(detachment);
    const next = { ...detachment, step: 'default_moved' } as const;
    const customerVersion = await moveCustomerDefault(tx, held.method, { from: id, to, now });
    return customerVersion === undefined
      ? next
      : { ...next, hasMovedDefault: true, customerVersion };
  });
}

/**
 * Verifies that no subscription or default refers to the method any more, and that the replacement
 * exists at the provider.
 */
async function verify(saga: Saga): StepEnd {
  const { held, keeper, ports, customerId, methodId } = saga;
  const [other = null] = otherMethodsOf(saga);
  const replacement =
    other === null ? undefined : await findMethod(ports.database, held.method.clientId, other);
  const [customer, reading] = await Promise.all([
    keeper.retrieveCustomer(customerId),
    replacement ? keeper.retrieveMethod(replacement.providerPaymentMethodId ?? '') : null,
  ]);
  if (customer.kind === 'in_doubt' || reading?.kind === 'in_doubt') return 'funding_unreadable';
  if (isDefault(methodId, customer)) return 'funding_not_moved';
  if (replacement && !isKeptFor(customerId, reading)) return 'replacement_gone';
  return runStep(ports, held, async ({ tx, detachment }) => {
    const { subscriptions, isDefault: isOurDefault } = await findDependents(tx, held.method);
    if (subscriptions > 0 || isOurDefault) return chooseAgain(detachment);
    return { ...detachment, step: 'verified' };
  });
}

/** Erases the card in the vault before it is detached, because only the detach cannot be undone. */
async function wipe({ held, ports, methodId }: Saga): StepEnd {
  const { clientId } = held.method;
  const outcome = await ports.vault.forget({ clientId, providerPaymentMethodId: methodId });
  if (outcome.kind === 'in_doubt') return 'vault_in_doubt';
  return runStep(ports, held, async ({ detachment }) => ({ ...detachment, step: 'vault_wiped' }));
}

/**
 * Detaches the card at the provider. The try is counted before it is sent: from then on the detachment
 * can only go forward.
 */
async function detach(saga: Saga): StepEnd {
  const { held, keeper, ports, methodId } = saga;
  const sent = await runStep(ports, held, async ({ detachment }) => ({
    ...detachment,
    tries: detachment.tries + 1,
  }));
  if (typeof sent !== 'object') return sent;
  const outcome = await keeper.detachMethod({ key: keyOf(saga, 'detach'), methodId });
  if (outcome.kind === 'refused') return 'detach_refused';
  if (outcome.kind === 'not_done') return 'detach_not_done';
  if (outcome.kind === 'in_doubt') return 'detach_in_doubt';
  return runStep(ports, { ...held, detachment: sent }, async ({ tx, now, detachment, methods }) => {
    const method = methods.get(held.method.id);
    const hasMoved =
      detachment.replacementId !== null &&
      (detachment.movedSubscriptions.length > 0 || detachment.hasMovedDefault);
    // Reported only now, when it is final: a detachment that failed earlier has put everything back.
    if (method && hasMoved) {
      await appendReplacedEvent(tx, method, { detachment, request: held.request, now, ports });
    }
    return { ...detachment, step: 'detached', movedSubscriptions: [], hasMovedDefault: false };
  });
}

/** Reads the provider again, then reduces the method to its tombstone. */
async function finishDetachment(saga: Saga): StepEnd {
  const { held, keeper, ports, customerId, methodId } = saga;
  const [own, customer] = await Promise.all([
    keeper.retrieveMethod(methodId),
    keeper.retrieveCustomer(customerId),
  ]);
  if (own.kind === 'in_doubt' || customer.kind === 'in_doubt') return 'detached_unreadable';
  if (own.kind === 'found' && own.method.customerId !== null) {
    const back = await runStep(ports, held, async ({ detachment }) => ({
      ...detachment,
      step: 'vault_wiped',
    }));
    return typeof back === 'object' ? 'still_attached' : back;
  }
  if (isDefault(methodId, customer)) {
    const key = keyOf(saga, 'default-after');
    const cleared = await keeper.setDefaultMethod({ key, customerId, methodId: null });
    if (cleared.kind !== 'confirmed') return 'detached_unreadable';
  }
  return runLocked(ports, held, (step) => leaveTombstone(step, saga));
}

export async function leaveTombstone(
  { tx, now, detachment, methods }: InStep,
  { held, ports }: Pick<Saga, 'held' | 'ports'>,
): Promise<Detachment> {
  const method = methods.get(held.method.id);
  if (method && method.status !== 'removed') {
    const tombstone = await tombstoneMethod(tx, method, { now, removedBy: 'request' });
    if (method.status === 'active') {
      await appendDeletedEvent(tx, tombstone, { left: [], request: held.request, now, ports });
    }
  }
  const ended = { step: 'removed', state: 'removed', leaseOwner: null, leaseUntil: null } as const;
  return saveDetachment(tx, { ...detachment, ...ended }, { now });
}

/**
 * Restores the provider's default as far as possible. A failure is harmless: our own charges always
 * name a card.
 */
export async function restoreProviderDefault(saga: Saga): Promise<void> {
  const { held, keeper, ports, customerId, methodId } = saga;
  const { method, detachment } = held;
  if (!detachment.wasProviderDefault) return;
  const [other = null] = otherMethodsOf(saga);
  const replacement: PaymentMethod | undefined =
    other === null ? undefined : await findMethod(ports.database, method.clientId, other);
  const customer = await keeper.retrieveCustomer(customerId);
  if (customer.kind !== 'found') return;
  // Another default was chosen since, perhaps the replacement itself: it stays.
  const { customerVersion } = detachment;
  const version = await findCustomerVersion(ports.database, method);
  if (customerVersion !== null && version !== customerVersion) return;
  const ours = replacement?.providerPaymentMethodId ?? null;
  if (customer.customer.defaultMethodId !== ours) return;
  await keeper.setDefaultMethod({ key: keyOf(saga, 'restore'), customerId, methodId });
}
