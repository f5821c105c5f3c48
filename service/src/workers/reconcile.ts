import type { Ports } from '../operations/ports.ts';
import { listLostNotices } from '../operations/provider-notices/list-lost-notices.ts';
import { describeDifference } from '../operations/reconcile/describe-difference.ts';
import { pause } from '../operations/reconcile/pace.ts';
import { runReconcile } from '../operations/reconcile/run-reconcile.ts';
import { takeTurn } from '../operations/reconcile/take-turn.ts';
import type { Worker } from './passes.ts';

export type ReconcileLog = {
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
};

const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * Compares payments with the provider each hour, soon after a start where that is over, moves forward
 * what the provider has moved, and logs the rest. Before, it has the provider list the notices that never
 * came. Any number of processes may run it: one of them does it.
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
    const { givenUp } = await runReconcile(ports, {
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
    for (const { gatewayId, clientId, error } of givenUp) {
      log.error({ err: error, clientId }, `gateway ${gatewayId} given up by reconcile`);
    }
  };
  const running = (async () => {
    await pause(firstAfterMs, signal);
    while (!signal.aborted) {
      try {
        await takeTurn(ports, { everyMs, signal }, run);
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
