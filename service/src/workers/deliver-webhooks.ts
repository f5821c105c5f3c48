// Delivers events to merchants' endpoints: woken by commits, and by a poll for what was left
// behind. Any number of processes may run it. Contract §7, Delivery.
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
  /** Calls the listener after each commit that left an event; returns how to stop listening. */
  readonly onNudge: (listener: () => void) => () => void;
  readonly pollMs?: number;
  /** Deliveries in flight in this process; those that hang do not count. */
  readonly concurrency?: number;
};

/**
 * Claimed deliveries, in flight or waiting for their turn, per delivery in flight: so many turns of
 * answers that are just quick are over before what waits may not be begun any more.
 */
const claimedPerTurn = Math.floor(latestStartMs / quickAnswerMs) - 1;

/** So many may hang before failing endpoints have to wait: each costs little, but not nothing. */
const mostSlow = 2000;

/** Looked at again after this when every place is taken: by then a send that hangs has given its up. */
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

  const follow = (delivery: StartedDelivery) => {
    const end = () => {
      inFlight.delete(delivery);
      // While there is enough to send next nothing need be claimed.
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
    // One that hangs is no longer among them: holes would take them all for as long as a send lasts.
    const failingLimit =
      slow >= mostSlow ? 0 : Math.max(0, Math.ceil(concurrency / 2) - gate.failing);
    const limits = { limit, failingLimit, gate };
    const { started, nextDueInMs } = await startDueDeliveries(ports, limits);
    for (const delivery of started) follow(delivery);
    // As much as fitted was taken: more may be waiting.
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
    /** Takes nothing new and waits for what is in flight; what is not done then comes back. */
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

/** A pause that can be cut short; a ring during the work before it counts. */
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
