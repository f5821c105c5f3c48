// Whose turn it is to be sent. Each endpoint begins with a few deliveries in flight and gets more
// while it answers quickly and well; one that hangs or fails is back at the few at once, and a send
// that hangs takes no place of other endpoints. Decision 0072.
import { firstInFlight, mostInFlight, quickAnswerMs } from '../../domain/webhook-schedule.ts';

export type Turn = {
  /** Ends it; slow or bad answers make the endpoint's turns few again. */
  end(answer: { readonly isGood: boolean; readonly durationMs: number }): void;
};

/** How many are claimed for one that is in flight, where an endpoint is quick. */
const aheadOf = 4;

/** Endpoints that are remembered as quick while nothing is sent to them. */
const mostRemembered = 10_000;

type Line = {
  sockets: number;
  /** Good and quick answers since the number of sockets last changed. */
  good: number;
  running: number;
  waiting: ((turn: Turn | undefined) => void)[];
};

/** The turns of one process, where so many quick sends run at once. */
export class Gate {
  readonly #most: number;
  readonly #lines = new Map<string, Line>();
  readonly #crowded = new Set<Line>();
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

  /** Deliveries that may be claimed for the endpoint: where it is quick, some to send next. */
  placesOf(endpointId: string): number {
    const sockets = this.#lines.get(endpointId)?.sockets ?? firstInFlight;
    return sockets === firstInFlight ? sockets : sockets * aheadOf;
  }

  /** Claimed for the endpoint and waiting for a turn. */
  waitingFor(endpointId: string): number {
    return this.#lines.get(endpointId)?.waiting.length ?? 0;
  }

  /** Waits for a turn; none: it will not come, the delivery is to be given back. */
  async enter(endpointId: string): Promise<Turn | undefined> {
    if (this.#isClosed) return undefined;
    const line = this.#lineOf(endpointId);
    if (line.waiting.length === 0 && this.#hasRoom(line)) return this.#begin(line);
    return new Promise((resolve) => {
      line.waiting.push(resolve);
      this.#crowded.add(line);
    });
  }

  /** Turns nobody in any more. */
  close(): void {
    this.#isClosed = true;
    for (const line of this.#crowded) this.#shrink(line);
  }

  #lineOf(id: string): Line {
    const known = this.#lines.get(id);
    if (known) return known;
    if (this.#lines.size >= mostRemembered) this.#forgetIdle();
    const line: Line = { sockets: firstInFlight, good: 0, running: 0, waiting: [] };
    this.#lines.set(id, line);
    return line;
  }

  #forgetIdle(): void {
    for (const [id, { running, waiting }] of this.#lines) {
      if (running === 0 && waiting.length === 0) this.#lines.delete(id);
    }
  }

  #hasRoom({ running, sockets }: Line): boolean {
    return this.#quick < this.#most && running < sockets;
  }

  #begin(line: Line): Turn {
    this.#quick += 1;
    line.running += 1;
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#quick -= 1;
      this.#slow += 1;
      this.#shrink(line);
      this.#pump();
    }, quickAnswerMs).unref();
    return {
      end: ({ isGood, durationMs }) => {
        clearTimeout(timer);
        line.running -= 1;
        if (isSlow) this.#slow -= 1;
        else this.#quick -= 1;
        if (!isGood || durationMs >= quickAnswerMs) this.#shrink(line);
        else grow(line);
        this.#pump();
      },
    };
  }

  /** Back to the few; what waits for more of them goes back to the queue of all processes. */
  #shrink(line: Line): void {
    line.sockets = firstInFlight;
    line.good = 0;
    for (const resolve of line.waiting.splice(0)) resolve(undefined);
    this.#crowded.delete(line);
  }

  #pump(): void {
    for (const line of this.#crowded) {
      while (line.waiting.length > 0 && this.#hasRoom(line)) {
        line.waiting.shift()?.(this.#begin(line));
      }
      if (line.waiting.length === 0) this.#crowded.delete(line);
      if (this.#quick >= this.#most) return;
    }
  }
}

function grow(line: Line): void {
  line.good += 1;
  if (line.good < line.sockets * 2 || line.sockets >= mostInFlight) return;
  line.good = 0;
  line.sockets = Math.min(line.sockets * 2, mostInFlight);
}
