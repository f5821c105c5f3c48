// A removal is held by one caller at a time, and every write of it checks its epoch. docs/decisions/saved-cards.md.

import type { ErrorCode } from '@svc/contract/errors';
import type { Event } from '@svc/contract/events-api';
import { chooseReplacement, type PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { isHeld, type Removal, type RemovalFailure } from '../../../domain/payments/removal.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import {
  findDependents,
  isAwaitedSave,
  isOwnMethod,
  listCandidates,
  lockMethods,
} from '../../../storage/payment-methods/method-funding.ts';
import { hasLiveUse } from '../../../storage/payment-methods/payment-method-uses.ts';
import { lockMethod } from '../../../storage/payment-methods/payment-methods.ts';
import {
  findRemoval,
  type Lease,
  saveRemoval,
  startRemoval,
  takeOverRemoval,
} from '../../../storage/payment-methods/removals.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';

/** A removal run whose lease the caller has. */
export type HeldRemoval = {
  /** The method as it was when the run was claimed. */
  readonly method: PaymentMethod;
  readonly removal: Removal;
  readonly request: Event['request'];
};

export type RemovalTarget = {
  readonly clientId: string;
  readonly id: string;
  /** Only a method of this customer; another customer's method is treated as missing. */
  readonly userId?: string;
  /** Only continues a run and starts none: a removal that has failed is not started again. */
  readonly isResumed?: true;
  readonly request: Event['request'];
  /** The caller who asked; absent where a worker continues a run. */
  readonly caller?: Caller;
};

export type Hold =
  | { readonly kind: 'held'; readonly held: HeldRemoval }
  | { readonly kind: 'busy' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

const refusedHold = (code: ErrorCode): Hold => ({ kind: 'refused', code });

/**
 * Starts a removal, or continues one whose lease holder is gone. It takes the method's lock, which every
 * use takes too, so that a removal and a use never both succeed. Refuses, in order:
 * payment_method_not_found, …_has_active_payment, …_in_use, …_reassignment_requires_payer_action.
 */
export function holdRemoval(ports: Ports, wanted: RemovalTarget): Promise<Hold> {
  const owner = ports.newId();
  return repeatWhenLost(() =>
    ports.database.transaction(wanted.clientId, async (tx): Promise<Hold> => {
      const { clientId, id, userId } = wanted;
      const method = await lockMethod(tx, clientId, id);
      const isTheirs = userId === undefined || method?.userId === userId;
      if (!method || !isTheirs || !(await isOwnMethod(tx, method))) {
        return refusedHold('payment_method_not_found');
      }
      if (method.status === 'removed') return { kind: 'removed' };
      const lease = { owner, ms: ports.settings.leaseMs, now: await readClock(tx) };
      const recordStart = () => recordInitiator(tx, method, { caller: wanted.caller, ports });
      const how = { ...lease, begun: recordStart, isResumed: wanted.isResumed === true };
      const removal = await takeRun(tx, method, how);
      if (removal === 'busy') return { kind: 'busy' };
      if (typeof removal === 'string') return refusedHold(removal);
      return { kind: 'held', held: { method, removal, request: wanted.request } };
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
): Promise<Removal | ErrorCode | 'busy'> {
  const running = await findRemoval(tx, method);
  if (running?.state === 'running') {
    if (isHeld(running, lease)) return 'busy';
    return running.leaseOwner === lease.owner ? running : takeOverRemoval(tx, running, lease);
  }
  if (isResumed) return 'busy';
  const no = await judge(tx, method);
  if (no) return no;
  await begun();
  return startRemoval(tx, method, lease);
}

/** Records who asked for the removal, once for each run, whoever continues it. */
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

/** Returns why the removal may not start. */
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
  readonly removal: Removal;
  /** The locked methods, by id. */
  readonly methods: ReadonlyMap<string, PaymentMethod>;
};

/** The methods that a transaction of the run locks in addition to its own. */
type Locks = HeldRemoval & { readonly others?: readonly string[] };

/**
 * Runs a transaction of the run, under the locks of the method and of `others`. Returns undefined,
 * and writes nothing, when another caller holds the run by now. When an earlier commit succeeded
 * without an answer, its result is returned and not written again.
 */
export function runLocked<R>(
  ports: Ports,
  { method, removal: held, others = [] }: Locks,
  work: (step: InStep) => Promise<R>,
): Promise<R | Removal | undefined> {
  const { clientId, id } = method;
  return repeatWhenLost(() =>
    ports.database.transaction(clientId, async (tx) => {
      const methods = await lockMethods(tx, clientId, [id, ...others]);
      const now = await readClock(tx);
      const removal = await findRemoval(tx, method);
      const isMine = removal?.state === 'running' && removal.epoch === held.epoch;
      if (!removal || !isMine) return undefined;
      if (removal.step !== held.step || removal.tries !== held.tries) return removal;
      return work({ tx, now, removal, methods });
    }),
  );
}

/**
 * Runs one step: the removal that `work` returns is saved and the lease renewed; a failure changes
 * nothing.
 */
export const runStep = (
  ports: Ports,
  locks: Locks,
  work: (step: InStep) => Promise<Removal | RemovalFailure>,
): Promise<Removal | RemovalFailure | undefined> =>
  runLocked(ports, locks, async (step) => {
    const next = await work(step);
    if (typeof next === 'string') return next;
    const { tx, now } = step;
    const leaseUntil = new Date(now.getTime() + ports.settings.leaseMs);
    return saveRemoval(tx, { ...next, leaseUntil }, { now });
  });
