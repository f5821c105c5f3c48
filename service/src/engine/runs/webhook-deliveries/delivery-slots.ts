// Decides which delivery may be sent next. Each endpoint begins with a few deliveries in flight and
// gets more while it answers quickly and well; one that hangs or fails is reduced to the first few
// at once, and a send that hangs takes no slot of other endpoints. When slots are scarce, the
// merchant with the fewest sends gets the next one. docs/decisions/deliveries.md.
import {
  firstInFlight,
  mostInFlight,
  quickAnswerMs,
} from '../../../domain/protocol/webhook-schedule.ts';

export type DeliverySlot = {
  /**
   * Ends the slot. A slow or bad answer reduces the endpoint to its first few slots; undefined,
   * when nothing was sent, changes nothing.
   */
  end(answer: { readonly isGood: boolean; readonly durationMs: number } | undefined): void;
};

/** The endpoint of a delivery that was claimed. */
export type WaitingDelivery = {
  readonly endpointId: string;
  readonly clientId: string;
  /** The endpoint's last answer before this delivery was no success. */
  readonly isFailing: boolean;
};

/** How many deliveries are claimed for each slot of a quick endpoint. */
const aheadOf = 8;

/**
 * When fewer deliveries than this number for each slot wait, more are claimed; so many last until
 * the next claim, on a busy machine too.
 */
const lowTurns = 3;

/** The most endpoints whose slots are remembered while nothing is sent to them. */
const mostRemembered = 10_000;

type QueuedDelivery = {
  readonly visitor: WaitingDelivery;
  readonly resolve: (turn: DeliverySlot | undefined) => void;
};

type Line = {
  readonly clientId: string;
  sockets: number;
  /** Good and quick answers since the number of slots last changed. */
  good: number;
  running: number;
  waiting: QueuedDelivery[];
};

/** The slots of one process, which runs at most this many quick sends at once. */
export class DeliverySlots {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();
  /** The lines that wait for a slot; the line that had one last is at the end. */
  readonly #crowded = new Set<Line>();
  /** Per client: deliveries that are claimed here and do not hang; and of these, the ones being sent. */
  readonly #held = new Map<string, number>();
  readonly #sending = new Map<string, number>();
  #failing = 0;
  #quick = 0;
  #slow = 0;
  #isClosed = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** The number of sends that hang: they count for their endpoint only. */
  get slow(): number {
    return this.#slow;
  }

  /** Deliveries to failing endpoints that wait or are being sent, and do not hang. */
  get failing(): number {
    return this.#failing;
  }

  /** Deliveries of the client that wait or are being sent, and do not hang. */
  heldBy(clientId: string): number {
    return this.#held.get(clientId) ?? 0;
  }

  /** How many deliveries may be claimed for the endpoint; a quick endpoint also gets some to send next. */
  placesOf(endpointId: string): number {
    const sockets = this.#lines.get(endpointId)?.sockets ?? firstInFlight;
    return sockets === firstInFlight ? sockets : sockets * aheadOf;
  }

  /** Whether few claimed deliveries are left for the endpoint, so that more should be claimed. */
  isRunningLow(endpointId: string): boolean {
    const line = this.#lines.get(endpointId);
    if (!line || line.sockets === firstInFlight) return (line?.waiting.length ?? 0) === 0;
    return line.waiting.length < line.sockets * lowTurns;
  }

  /** Waits for a slot. Undefined: none will come, and the delivery has to be given back. */
  enter(visitor: WaitingDelivery): Promise<DeliverySlot | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const line = this.#lineOf(visitor);
    this.#count(visitor, 1);
    if (line.waiting.length === 0 && this.#hasRoom(line)) {
      return Promise.resolve(this.#begin(line, visitor));
    }
    return new Promise((resolve) => {
      line.waiting.push({ visitor, resolve });
      this.#crowded.add(line);
    });
  }

  /** Gives no more slots. */
  close(): void {
    this.#isClosed = true;
    for (const line of this.#crowded) this.#shrink(line);
  }

  #lineOf({ endpointId, clientId }: WaitingDelivery): Line {
    const known = this.#lines.get(endpointId);
    if (known) return known;
    if (this.#lines.size >= mostRemembered) this.#forgetIdle();
    const line: Line = { clientId, sockets: firstInFlight, good: 0, running: 0, waiting: [] };
    this.#lines.set(endpointId, line);
    return line;
  }

  #forgetIdle(): void {
    for (const [id, { running, waiting }] of this.#lines) {
      if (running === 0 && waiting.length === 0) this.#lines.delete(id);
    }
  }

  #count({ clientId, isFailing }: WaitingDelivery, by: 1 | -1): void {
    add(this.#held, clientId, by);
    if (isFailing) this.#failing += by;
  }

  #hasRoom({ running, sockets }: Line): boolean {
    return this.#quick < this.#most && running < sockets;
  }

  #begin(line: Line, visitor: WaitingDelivery): DeliverySlot {
    this.#quick += 1;
    line.running += 1;
    add(this.#sending, line.clientId, 1);
    let isSlow = false;
    const leaveSlot = () => {
      this.#quick -= 1;
      add(this.#sending, line.clientId, -1);
      this.#count(visitor, -1);
    };
    const timer = setTimeout(() => {
      isSlow = true;
      leaveSlot();
      this.#slow += 1;
      this.#shrink(line);
      this.#pump();
    }, quickAnswerMs).unref();
    return {
      end: (answer) => {
        clearTimeout(timer);
        line.running -= 1;
        if (isSlow) this.#slow -= 1;
        else leaveSlot();
        if (answer?.isGood && answer.durationMs < quickAnswerMs) widenLine(line);
        else if (answer) this.#shrink(line);
        this.#pump();
      },
    };
  }

  /**
   * Reduces the endpoint to its first few slots; its waiting deliveries go back to the queue of all
   * processes.
   */
  #shrink(line: Line): void {
    line.sockets = firstInFlight;
    line.good = 0;
    this.#crowded.delete(line);
    for (const { visitor, resolve } of line.waiting.splice(0)) {
      this.#count(visitor, -1);
      resolve(undefined);
    }
  }

  #pump(): void {
    while (this.#quick < this.#most) {
      const line = this.#next();
      const first = line?.waiting.shift();
      if (!line || !first) return;
      this.#crowded.delete(line);
      if (line.waiting.length > 0) this.#crowded.add(line);
      first.resolve(this.#begin(line, first.visitor));
    }
  }

  /**
   * Returns the queue of the merchant with the fewest sends in flight; of several, the queue that
   * has waited longest.
   */
  #next(): Line | undefined {
    let best: Line | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const line of this.#crowded) {
      const sending = this.#sending.get(line.clientId) ?? 0;
      if (sending >= fewest || !this.#hasRoom(line)) continue;
      best = line;
      fewest = sending;
    }
    return best;
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function widenLine(line: Line): void {
  line.good += 1;
  if (line.good < line.sockets * 2 || line.sockets >= mostInFlight) return;
  line.good = 0;
  line.sockets = Math.min(line.sockets * 2, mostInFlight);
}
