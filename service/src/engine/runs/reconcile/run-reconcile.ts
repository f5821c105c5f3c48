// Compares payments with the provider: each one that is old enough and unsettled, is disputed, or
// lacks the provider's date of a movement, and a sample of the settled ones. Memory and requests to
// the provider are bounded, and so is the time where `timeUp` is given.

import type { Payment } from '../../../domain/payments/payment.ts';
import type { Choice } from '../../../storage/payments/reconcile.ts';
import type { Ports } from '../../ports.ts';
import { pace } from '../../steps/pacing/even-pace.ts';
import { runInParallel } from '../../steps/pacing/in-parallel.ts';
import {
  type Bounds,
  chooseAll,
  chooseBounded,
  nothingUnread,
  type UnreadPayments,
} from './choose-payments.ts';
import { type Difference, differenceOf } from './compare.ts';
import { type CompareContext, type ComparisonResult, comparePayment } from './compare-payment.ts';

export type ReconcileSettings = Partial<Choice> & {
  /** Moves payments forward to the provider's state; otherwise nothing is written. */
  readonly isSettling: boolean;
  readonly readsPerSecond?: number;
  /** Compares only a part of the payments; absent: every one since `since`. */
  readonly bounds?: Bounds;
  /**
   * When it aborts, no more payments are compared, and those that are left are counted. Absent: no
   * time limit.
   */
  readonly timeUp?: AbortSignal;
  readonly signal?: AbortSignal;
  readonly pageSize?: number;
  readonly onProgress?: (done: number, total: number) => void;
  /** Called with every difference, settled or not. */
  readonly onDifference?: (
    difference: Difference,
    end: 'stands' | 'settled',
  ) => void | Promise<void>;
  /** Called when a payment could not be compared, which is a difference of the kind `unread`. */
  readonly onError?: (payment: Payment, error: unknown) => void;
};

/** A gateway of which no payment could be compared; its remaining payments were not tried. */
export type AbandonedGateway = {
  readonly gatewayId: string;
  readonly clientId: string;
  readonly error: unknown;
};

export type Reconciliation = {
  readonly compared: number;
  readonly differences: number;
  readonly settled: number;
  /** The number of payments that were in doubt and now wait for their buyers. */
  readonly awaited: number;
  readonly givenUp: readonly AbandonedGateway[];
  readonly left: UnreadPayments;
  /** False when the run was aborted by `signal`. A run that `timeUp` ended is complete: see `left`. */
  readonly isComplete: boolean;
};

const tenMinutesMs = 600_000;
/** After so many failures of a gateway in succession, the gateway and not the payments is the cause. */
const mostFailing = 10;

/**
 * Makes one run. Ends early when its time is over, and incomplete when the signal is aborted. A
 * payment that cannot be compared is reported, and the run continues. A gateway of which none can
 * be compared is given up, and the other gateways continue.
 */
export async function runReconcile(
  ports: Ports,
  settings: ReconcileSettings,
): Promise<Reconciliation> {
  const { signal, pageSize = 2000, onProgress, bounds, timeUp } = settings;
  const choice = {
    olderThanMs: settings.olderThanMs ?? tenMinutesMs,
    sample: settings.sample ?? 0.01,
    since: settings.since ?? null,
  };
  const end = AbortSignal.any([signal, timeUp].filter((one) => one !== undefined));
  const givenUp = new Map<string, AbandonedGateway>();
  const asking = {
    ports,
    isSettling: settings.isSettling,
    turn: pace(settings.readsPerSecond, end),
  };
  const compare = openCompare(asking, { givenUp, onError: settings.onError });
  const sums = { compared: 0, differences: 0, settled: 0, awaited: 0 };
  const compareOne = async (payment: Payment) => {
    const compared = await compare(payment);
    if (!compared) return;
    const { differences, settled, isAwaited } = compared;
    sums.compared += 1;
    sums.differences += differences.length;
    sums.settled += settled.length;
    sums.awaited += isAwaited ? 1 : 0;
    for (const difference of differences) await settings.onDifference?.(difference, 'stands');
    for (const difference of settled) await settings.onDifference?.(difference, 'settled');
  };
  const { database } = ports;
  const chosen = bounds
    ? await chooseBounded(database, { choice, pageSize, bounds })
    : await chooseAll(database, { choice, pageSize });
  const total = onProgress ? await chosen.total() : 0;
  let done = 0;
  onProgress?.(done, total);
  for await (const page of chosen.pages()) {
    // Payments that are left out count at once; the others as they are compared.
    done += page.lookedAt - page.chosen.length;
    await runInParallel(page.chosen, end, async (payment) => {
      await compareOne(payment);
      done += 1;
      onProgress?.(done, total);
    });
    if (end.aborted) break;
    onProgress?.(done, total);
  }
  const isComplete = !signal?.aborted;
  const left = isComplete ? await chosen.left() : nothingUnread;
  return { ...sums, givenUp: [...givenUp.values()], left, isComplete };
}

type AbandonContext = {
  readonly givenUp: Map<string, AbandonedGateway>;
  readonly onError: ReconcileSettings['onError'];
};

/** Compares one payment; undefined where its gateway was given up. */
function openCompare(asking: CompareContext, { givenUp, onError }: AbandonContext) {
  /** Failures in succession, by gateway; a payment that could be compared resets the count. */
  const failing = new Map<string, number>();
  return async (payment: Payment): Promise<ComparisonResult | undefined> => {
    const { gatewayId, clientId } = payment;
    if (givenUp.has(gatewayId)) return undefined;
    try {
      const compared = await comparePayment(payment, asking);
      failing.delete(gatewayId);
      return compared;
    } catch (error) {
      // Payments that were compared at the same time have given the gateway up meanwhile.
      if (givenUp.has(gatewayId)) return undefined;
      const count = (failing.get(gatewayId) ?? 0) + 1;
      failing.set(gatewayId, count);
      if (count >= mostFailing) givenUp.set(gatewayId, { gatewayId, clientId, error });
      onError?.(payment, error);
      const { code, name } = error as Error & { code?: unknown };
      const status = `not compared: ${typeof code === 'string' ? code : name}`;
      return {
        differences: [differenceOf(payment, 'unread', { status })],
        settled: [],
        isAwaited: false,
      };
    }
  };
}
