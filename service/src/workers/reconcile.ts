import type { Ports } from '../engine/ports.ts';
import { listLostNotices } from '../engine/runs/notices/list-lost-notices.ts';
import { describeUndecided, undecidedMend } from '../engine/runs/operator/installations.ts';
import { isBeginning, type UnreadPayments } from '../engine/runs/reconcile/choose-payments.ts';
import { describeDifference } from '../engine/runs/reconcile/describe-difference.ts';
import { recordRun } from '../engine/runs/reconcile/record-run.ts';
import { runInTurn } from '../engine/runs/reconcile/take-turn.ts';
import { findOpenMoney } from '../engine/runs/unknown-money/find-open-money.ts';
import { findUnknownMoney } from '../engine/runs/unknown-money/find-unknown-money.ts';
import {
  byMerchant,
  describeMoney,
  describeRest,
} from '../engine/runs/unknown-money/notify-operator.ts';
import { pause } from '../engine/steps/pacing/even-pace.ts';
import type { Worker } from './passes.ts';

export type ReconcileLog = {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
};

/** Describes where the next run continues among the older settled payments. */
const describeLeft = ({ othersAfter }: UnreadPayments): string => {
  if (othersAfter === null) return '';
  const at = isBeginning(othersAfter) ? 'begins with the oldest' : `goes on after ${othersAfter}`;
  return `; of the older settled ones the next run ${at}`;
};

const hourMs = 3_600_000;
/** The most lines of the log about one merchant's unknown money. */
const mostUnknownLines = 20;
const minuteMs = 60_000;

/**
 * Compares payments with the provider each hour, for the first time soon after the start if the
 * last run is an hour ago. It moves payments forward to the provider's state and logs the other
 * differences. Before that, it lists notices that never arrived and money that no payment knows.
 * Any number of processes may run it: one of them makes each run.
 */
export function startReconcile(
  ports: Ports,
  options: { log: ReconcileLog; everyMs?: number; firstAfterMs?: number; pollMs?: number },
): Worker {
  const { log, everyMs = hourMs, firstAfterMs = minuteMs, pollMs = minuteMs } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    await listLostNotices(ports, {
      signal,
      onError: ({ id, clientId }, error) =>
        log.error({ err: error, clientId }, `notices of gateway ${id} not listed`),
    });
    await findUnknownMoney(ports, {
      signal,
      onError: ({ id, clientId }, error) =>
        log.error({ err: error, clientId }, `payments of gateway ${id} not listed`),
    });
    if (signal.aborted) return;
    const undecided = await describeUndecided(ports);
    if (undecided) log.warn({ errorCode: 'copied_database' }, `${undecided}: ${undecidedMend}`);
    for (const ofOne of byMerchant(await findOpenMoney(ports, mostUnknownLines))) {
      const clientId = ofOne[0]?.clientId ?? '';
      for (const line of [...ofOne.map(describeMoney), ...describeRest(ofOne)]) {
        log.warn({ clientId, errorCode: 'unknown_money' }, `money that no payment knows: ${line}`);
      }
    }
    const { givenUp, left, compared, differences } = await recordRun(ports, {
      isSettling: true,
      signal,
      onError: (payment, error) =>
        log.error({ err: error, clientId: payment.clientId }, `payment ${payment.id} not compared`),
      onDifference: (difference, end) => {
        const { clientId, paymentId, type, kind } = difference;
        const words = end === 'settled' ? 'moved forward' : 'differs from the provider';
        const said = `${type}: ${describeDifference(difference)}`;
        log.warn({ clientId, errorCode: kind }, `payment ${paymentId} ${words}: ${said}`);
      },
    });
    if (signal.aborted) return;
    const seen = `${compared} payments compared, ${differences} differences`;
    if (left.watched > 0) {
      const missed = `${left.watched} that are unsettled or disputed were not`;
      log.warn(
        {},
        `reconcile reached its time limit: ${seen}; ${missed}, the next run continues there`,
      );
    } else log.info({}, `reconcile: ${seen}${describeLeft(left)}`);
    for (const { gatewayId, clientId, error } of givenUp) {
      log.error({ err: error, clientId }, `gateway ${gatewayId} not reconciled`);
    }
  };
  const running = (async () => {
    await pause(firstAfterMs, signal);
    while (!signal.aborted) {
      try {
        await runInTurn(ports, { everyMs, signal }, run);
      } catch (error) {
        log.error({ err: error }, 'reconcile failed');
      }
      await pause(Math.min(everyMs, pollMs), signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
