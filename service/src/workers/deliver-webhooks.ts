// Delivers events to merchants' endpoints. Commits wake it, and a poll finds what was missed. Any
// number of processes may run it. Contract §7, Delivery.
import { latestStartMs, quickAnswerMs } from '../domain/protocol/webhook-schedule.ts';
import {
  type StartedDelivery,
  startDueDeliveries,
} from '../engine/runs/webhook-deliveries/deliver-due.ts';
import type { DeliveryPorts } from '../engine/runs/webhook-deliveries/delivery-ports.ts';
import { DeliverySlots } from '../engine/runs/webhook-deliveries/delivery-slots.ts';
import type { RecordedDelivery } from '../engine/runs/webhook-deliveries/record-delivery.ts';

export type WorkerLog = {
  warn(facts: Readonly<Record<string, unknown>>, text: string): void;
  error(facts: Readonly<Record<string, unknown>>, text: string): void;
};

export type DeliverWebhooksSettings = {
  readonly log: WorkerLog;
  /** Registers a listener for each commit that wrote an event. Returns a function that stops listening. */
  readonly onNudge: (listener: () => void) => () => void;
  readonly pollMs?: number;
  /** The most deliveries in flight in this process; deliveries that hang do not count. */
  readonly concurrency?: number;
};

/**
 * How many deliveries are claimed, in flight or waiting, for each delivery in flight. Even if every
 * answer only just counts as quick, the waiting ones get their turn before they are too old to be
 * sent.
 */
const claimedPerTurn = Math.floor(latestStartMs / quickAnswerMs) - 1;

/** How many sends may hang before failing endpoints have to wait: each one costs little, but not nothing. */
const mostSlow = 2000;

/**
 * When every place is taken, the next look is after this time: by then a send that hangs has freed
 * its place.
 */
const crowdedMs = 250;

const drainMs = 18_000;
const shortestPauseMs = 5;

export function startDeliverWebhooks(
  ports: DeliveryPorts,
  { log, onNudge, pollMs = 1000, concurrency = 64 }: DeliverWebhooksSettings,
): { stop(): Promise<void> } {
  const inFlight = new Set<StartedDelivery>();
  const gate = new DeliverySlots(concurrency);
  const alarm = new Alarm();
  const stopListening = onNudge(() => alarm.ring());
  let isStopping = false;

  const followDelivery = (delivery: StartedDelivery) => {
    const end = () => {
      inFlight.delete(delivery);
      // While enough deliveries wait to be sent, no more need to be claimed.
      if (gate.isRunningLow(delivery.endpointId)) alarm.ring();
    };
    inFlight.add(delivery);
    delivery.recorded.then(
      (recorded) => {
        end();
        report(log, recorded);
      },
      (error: unknown) => {
        end();
        log.error({ err: error }, 'webhook delivery not recorded');
      },
    );
  };

  const pass = async (): Promise<number> => {
    const slow = gate.slow;
    const limit = concurrency * claimedPerTurn - (inFlight.size - slow);
    if (limit <= 0 || slow >= 2 * mostSlow) return Math.min(pollMs, crowdedMs);
    // Deliveries that hang are not counted in `gate.failing`: endpoints that never answer would
    // otherwise take all of these places for as long as a send lasts.
    const failingLimit =
      slow >= mostSlow ? 0 : Math.max(0, Math.ceil(concurrency / 2) - gate.failing);
    const limits = { limit, failingLimit, gate };
    const { started, nextDueInMs } = await startDueDeliveries(ports, limits);
    for (const delivery of started) followDelivery(delivery);
    // The pass claimed as many as it could, so more may be waiting.
    if (started.length === limit) alarm.ring();
    return Math.min(pollMs, Math.max(shortestPauseMs, nextDueInMs ?? pollMs));
  };

  const loop = (async () => {
    while (!isStopping) {
      let pauseMs = pollMs;
      alarm.reset();
      try {
        pauseMs = await pass();
      } catch (error) {
        log.error({ err: error }, 'webhook deliveries not claimed');
        alarm.reset();
      }
      await alarm.wait(pauseMs);
    }
  })();

  return {
    /**
     * Claims nothing new and waits for deliveries in flight; those that do not finish in time are
     * sent again after their lease.
     */
    async stop() {
      isStopping = true;
      stopListening();
      alarm.ring();
      await loop;
      gate.close();
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs);
      });
      const settled = Promise.allSettled([...inFlight].map(({ recorded }) => recorded));
      await Promise.race([settled, tooLong]);
      clearTimeout(timer);
    },
  };
}

function report(log: WorkerLog, { claimed, ...result }: RecordedDelivery): void {
  if (result.outcome === 'delivered' || result.outcome === 'given_back') return;
  const { eventId, endpointId, clientId, attempt } = claimed;
  const facts = {
    eventId,
    endpointId,
    clientId,
    attempt,
    outcome: result.outcome,
    status: result.status,
    errorCode: result.error,
    disabledBy: result.disabledBy,
  };
  log.warn(facts, result.disabledBy ? 'webhook endpoint disabled' : 'webhook delivery failed');
}

/** A pause that `ring` cuts short. A ring that came before the pause, during the work, counts too. */
class Alarm {
  #isRung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  reset(): void {
    this.#isRung = false;
  }

  async wait(ms: number): Promise<void> {
    if (this.#isRung) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
