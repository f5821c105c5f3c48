// Whose turn it is to be sent. Each endpoint begins with a few deliveries in flight and gets more
// while it answers quickly and well; one that hangs or fails is back at the few at once, and a send
// that hangs takes no place of other endpoints. What is scarce goes to the merchant who has least
// of it. Decision 0072.
import {
  firstInFlight,
  mostInFlight,
  quickAnswerMs,
} from '../../../domain/protocol/webhook-schedule.ts';

export type DeliverySlot = {
  /** Ends it; slow or bad answers make the endpoint's turns few again, none says nothing of it. */
  end(answer: { readonly isGood: boolean; readonly durationMs: number } | undefined): void;
};

/** The endpoint of a delivery that was claimed. */
export type WaitingDelivery = {
  readonly endpointId: string;
  readonly clientId: string;
  /** Its last answer before this delivery was no success. */
  readonly isFailing: boolean;
};

/** How many are claimed for one that is in flight, where an endpoint is quick. */
const aheadOf = 8;

/** So many turns of its sockets last for as long as the next claim takes, on a busy machine too. */
const lowTurns = 3;

/** Endpoints that are remembered as quick while nothing is sent to them. */
const mostRemembered = 10_000;

type Waiting = {
  readonly visitor: WaitingDelivery;
  readonly resolve: (turn: DeliverySlot | undefined) => void;
};

type Line = {
  readonly clientId: string;
  sockets: number;
  /** Good and quick answers since the number of sockets last changed. */
  good: number;
  running: number;
  waiting: Waiting[];
};

/** The turns of one process, where so many quick sends run at once. */
export class DeliverySlots {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();
  /** Those that wait for a turn; who had one last is last. */
  readonly #crowded = new Set<Line>();
  /** Per client: claimed here, and neither sent nor hanging; and of these, being sent. */
  readonly #held = new Map<string, number>();
  readonly #sending = new Map<string, number>();
  #failing = 0;
  #quick = 0;
  #slow = 0;
  #isClosed = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Sends that hang: they count with their endpoints, and not with the others. */
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

  /** Deliveries that may be claimed for the endpoint: where it is quick, some to send next. */
  placesOf(endpointId: string): number {
    const sockets = this.#lines.get(endpointId)?.sockets ?? firstInFlight;
    return sockets === firstInFlight ? sockets : sockets * aheadOf;
  }

  /** What is claimed for the endpoint lasts for few turns of its sockets. */
  isRunningLow(endpointId: string): boolean {
    const line = this.#lines.get(endpointId);
    if (!line || line.sockets === firstInFlight) return (line?.waiting.length ?? 0) === 0;
    return line.waiting.length < line.sockets * lowTurns;
  }

  /** Waits for a turn; none: it will not come, the delivery is to be given back. */
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

  /** Turns nobody in any more. */
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
    const leave = () => {
      this.#quick -= 1;
      add(this.#sending, line.clientId, -1);
      this.#count(visitor, -1);
    };
    const timer = setTimeout(() => {
      isSlow = true;
      leave();
      this.#slow += 1;
      this.#shrink(line);
      this.#pump();
    }, quickAnswerMs).unref();
    return {
      end: (answer) => {
        clearTimeout(timer);
        line.running -= 1;
        if (isSlow) this.#slow -= 1;
        else leave();
        if (answer?.isGood && answer.durationMs < quickAnswerMs) grow(line);
        else if (answer) this.#shrink(line);
        this.#pump();
      },
    };
  }

  /** Back to the few; what waits for more of them goes back to the queue of all processes. */
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

  /** Of the merchant with the fewest sends under way; of several, who has waited longest. */
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

function grow(line: Line): void {
  line.good += 1;
  if (line.good < line.sockets * 2 || line.sockets >= mostInFlight) return;
  line.good = 0;
  line.sockets = Math.min(line.sockets * 2, mostInFlight);
}
