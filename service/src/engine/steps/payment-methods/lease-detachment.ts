// One caller at a time has the lease on a detachment, and each of its writes checks the epoch.
// docs/decisions/saved-cards.md.

import type { ErrorCode } from '@svc/contract/errors/errors';
import type { Event } from '@svc/contract/events/events';
import {
  type Detachment,
  type DetachmentFailure,
  isHeld,
} from '../../../domain/payments/detachment.ts';
import { chooseReplacement, type PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  findDetachment,
  type Lease,
  saveDetachment,
  startDetachment,
  takeOverDetachment,
} from '../../../storage/payment-methods/detachments.ts';
import {
  findDependents,
  isAwaitedSave,
  isOwnMethod,
  listCandidates,
  lockMethods,
} from '../../../storage/payment-methods/method-funding.ts';
import { hasLiveUse } from '../../../storage/payment-methods/payment-method-uses.ts';
import { lockMethod } from '../../../storage/payment-methods/payment-methods.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

/** A detachment run whose lease the caller has. */
export type LeasedDetachment = {
  /** The method as it was when the run was claimed. */
  readonly method: PaymentMethod;
  readonly detachment: Detachment;
  readonly request: Event['request'];
};

export type DetachmentTarget = {
  readonly clientId: string;
  readonly id: string;
  /** Only a method of this customer; another customer's method is treated as missing. */
  readonly userId?: string;
  /** Only continues a run and starts none: a detachment that has failed is not started again. */
  readonly isResumed?: true;
  readonly request: Event['request'];
  /** The caller who asked; absent where a worker continues a run. */
  readonly caller?: Caller;
};

export type DetachmentLease =
  | { readonly kind: 'held'; readonly held: LeasedDetachment }
  | { readonly kind: 'busy' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

const refusedLease = (code: ErrorCode): DetachmentLease => ({ kind: 'refused', code });

/**
 * Starts a detachment, or continues one whose lease holder is gone. It takes the method's lock, which every
 * use takes too, so that a detachment and a use never both succeed. Refuses, in order:
 * payment_method_not_found, …_has_active_payment, …_in_use, …_reassignment_requires_payer_action.
 */
export function leaseDetachment(ports: Ports, wanted: DetachmentTarget): Promise<DetachmentLease> {
  const owner = ports.newId();
  return repeatWhenLost(() =>
    ports.database.transaction(wanted.clientId, async (tx): Promise<DetachmentLease> => {
      const { clientId, id, userId } = wanted;
      const method = await lockMethod(tx, clientId, id);
      const isTheirs = userId === undefined || method?.userId === userId;
      if (!method || !isTheirs || !(await isOwnMethod(tx, method))) {
        return refusedLease('payment_method_not_found');
      }
      if (method.status === 'removed') return { kind: 'removed' };
      const lease = { owner, ms: ports.settings.leaseMs, now: await readClock(tx) };
      const recordStart = () => recordInitiator(tx, method, { caller: wanted.caller, ports });
      const how = { ...lease, begun: recordStart, isResumed: wanted.isResumed === true };
      const detachment = await takeRun(tx, method, how);
      if (detachment === 'busy') return { kind: 'busy' };
      if (typeof detachment === 'string') return refusedLease(detachment);
      return { kind: 'held', held: { method, detachment, request: wanted.request } };
    }),
  );
}

async function takeRun(
  tx: Tx,
  method: PaymentMethod,
  {
    isResumed,
    begun,
    ...lease
  }: Lease & { readonly isResumed: boolean; readonly begun: () => Promise<void> },
): Promise<Detachment | ErrorCode | 'busy'> {
  const running = await findDetachment(tx, method);
  if (running?.state === 'running') {
    if (isHeld(running, lease)) return 'busy';
    return running.leaseOwner === lease.owner ? running : takeOverDetachment(tx, running, lease);
  }
  if (isResumed) return 'busy';
  const no = await judge(tx, method);
  if (no) return no;
  await begun();
  return startDetachment(tx, method, lease);
}

/**
 * Writes the audit entry with the caller who requested the detachment: once per run, also when a
 * worker continues it.
 */
async function recordInitiator(
  tx: Tx,
  { id, clientId, userId }: PaymentMethod,
  { caller, ports }: { readonly caller: Caller | undefined; readonly ports: Ports },
): Promise<void> {
  if (!caller) return;
  const change = {
    action: 'payment_method.removal_asked',
    resourceType: 'payment_method',
    resourceId: id,
    clientId,
    after: { customerId: userId, isByCustomer: caller.kind === 'customer' },
  };
  await recordChange(tx, caller, change, ports);
}

/** Returns why the detachment may not start. */
async function judge(tx: Tx, method: PaymentMethod): Promise<ErrorCode | undefined> {
  if (await hasLiveUse(tx, method)) return 'payment_method_has_active_payment';
  if (await isAwaitedSave(tx, method)) return 'payment_method_has_active_payment';
  const { subscriptions } = await findDependents(tx, method);
  if (subscriptions === 0) return undefined;
  if (!chooseReplacement(method, await listCandidates(tx, method))) return 'payment_method_in_use';
  return method.provider === 'wallet'
    ? 'payment_method_reassignment_requires_payer_action'
    : undefined;
}

export type InStep = {
  readonly tx: Tx;
  readonly now: Date;
  readonly detachment: Detachment;
  /** The locked methods, by id. */
  readonly methods: ReadonlyMap<string, PaymentMethod>;
};

/** The methods that a transaction of the run locks in addition to its own. */
type Locks = LeasedDetachment & { readonly others?: readonly string[] };

/**
 * Runs a transaction of the run, under the locks of the method and of `others`. Returns undefined,
 * and writes nothing, when another caller holds the run by now. When an earlier commit succeeded
 * without an answer, its result is returned and not written again.
 */
export function runLocked<R>(
  ports: Ports,
  { method, detachment: held, others = [] }: Locks,
  work: (step: InStep) => Promise<R>,
): Promise<R | Detachment | undefined> {
  const { clientId, id } = method;
  return repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      const methods = await lockMethods(tx, clientId, [id, ...others]);
      const now = await readClock(tx);
      const detachment = await findDetachment(tx, method);
      const isMine = detachment?.state === 'running' && detachment.epoch === held.epoch;
      if (!detachment || !isMine) return undefined;
      if (detachment.step !== held.step || detachment.tries !== held.tries) return detachment;
      return work({ tx, now, detachment, methods });
    }),
  );
}

/**
 * Runs one step: the detachment that `work` returns is saved and the lease renewed; a failure changes
 * nothing.
 */
export const runStep = (
  ports: Ports,
  locks: Locks,
  work: (step: InStep) => Promise<Detachment | DetachmentFailure>,
): Promise<Detachment | DetachmentFailure | undefined> =>
  runLocked(ports, locks, async (step) => {
    const next = await work(step);
    if (typeof next === 'string') return next;
    const { tx, now } = step;
    const leaseUntil = new Date(now.getTime() + ports.settings.leaseMs);
    return saveDetachment(tx, { ...next, leaseUntil }, { now });
  });
