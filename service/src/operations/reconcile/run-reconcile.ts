// Compares payments with the provider: every one that is old enough and unsettled, is being disputed, or
// lacks the provider's date of a movement, and a sample of the settled ones. Bounded in memory, and in
// what it asks of the provider.

import type { Payment } from '../../domain/payment.ts';
import { type Choice, choosePage, countPayments } from '../../storage/reconcile.ts';
import type { Ports } from '../ports.ts';
import { type Difference, differ } from './compare.ts';
import { type Compared, comparePayment } from './compare-payment.ts';
import { inParallel } from './in-parallel.ts';
import { pace } from './pace.ts';

export type ReconcileSettings = Partial<Choice> & {
  /** Moves payments forward to where the provider says they are; else nothing is written. */
  readonly isSettling: boolean;
  readonly readsPerSecond?: number;
  readonly signal?: AbortSignal;
  readonly pageSize?: number;
  readonly onProgress?: (done: number, total: number) => void;
  /** Every difference that stands, and every one that was settled. */
  readonly onDifference?: (
    difference: Difference,
    end: 'stands' | 'settled',
  ) => void | Promise<void>;
  /** Why a payment could not be compared, which is a difference of the kind `unread`. */
  readonly onError?: (payment: Payment, error: unknown) => void;
};

/** A gateway of which no payment could be compared; those that were left were not tried. */
export type GivenUp = {
  readonly gatewayId: string;
  readonly clientId: string;
  readonly error: unknown;
};

export type Reconciliation = {
  readonly compared: number;
  readonly differences: number;
  readonly settled: number;
  /** In doubt before, and waiting for their buyers. */
  readonly awaited: number;
  readonly givenUp: readonly GivenUp[];
  /** False when it was broken off. */
  readonly isComplete: boolean;
};

const start = '00000000-0000-0000-0000-000000000000';
const tenMinutesMs = 600_000;
/** So many of a gateway that cannot be compared one after the other are no matter of the payments. */
const mostFailing = 10;

/**
 * One run. Ends early, incomplete, when the signal is aborted. A payment that cannot be compared is told,
 * and the run goes on. A gateway of which none can be is given up, and the others are gone through.
 */
export async function runReconcile(
  ports: Ports,
  settings: ReconcileSettings,
): Promise<Reconciliation> {
  const { signal, pageSize = 2000, onProgress, isSettling } = settings;
  const choice = {
    olderThanMs: settings.olderThanMs ?? tenMinutesMs,
    sample: settings.sample ?? 0.01,
    since: settings.since ?? null,
  };
  const asking = { ports, isSettling, turn: pace(settings.readsPerSecond, signal) };
  const sums = { compared: 0, differences: 0, settled: 0, awaited: 0 };
  const givenUp = new Map<string, GivenUp>();
  /** By gateway: how many one after the other, without one that was compared. */
  const failing = new Map<string, number>();
  const compare = async (payment: Payment): Promise<Compared | undefined> => {
    const { gatewayId, clientId } = payment;
    if (givenUp.has(gatewayId)) return undefined;
    try {
      const compared = await comparePayment(payment, asking);
      failing.delete(gatewayId);
      return compared;
    } catch (error) {
      // By others that were on their way together.
      if (givenUp.has(gatewayId)) return undefined;
      const count = (failing.get(gatewayId) ?? 0) + 1;
      failing.set(gatewayId, count);
      if (count >= mostFailing) givenUp.set(gatewayId, { gatewayId, clientId, error });
      settings.onError?.(payment, error);
      const { code, name } = error as Error & { code?: unknown };
      const status = `not compared: ${typeof code === 'string' ? code : name}`;
      return {
        differences: [differ(payment, 'unread', { status })],
        settled: [],
        isAwaited: false,
      };
    }
  };
  const each = async (payment: Payment) => {
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
  const total = onProgress ? await countPayments(ports.database) : 0;
  let done = 0;
  onProgress?.(done, total);
  for (let after: string | null = start; after !== null && !signal?.aborted; ) {
    const page = await choosePage(ports.database, after, { size: pageSize, choice });
    // What is left out is done at once; the others as they are compared.
    done += page.lookedAt - page.chosen.length;
    await inParallel(page.chosen, signal, async (payment) => {
      await each(payment);
      done += 1;
      onProgress?.(done, total);
    });
    if (!signal?.aborted) onProgress?.(done, total);
    after = page.next;
  }
  return { ...sums, givenUp: [...givenUp.values()], isComplete: !signal?.aborted };
}
