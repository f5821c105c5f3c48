// The turns of one limit: calls wait for them by urgency, and a process takes them in small shares
// that all processes take from one count. So a turn costs no write of its own, and a process
// without neighbours has the whole rate.

import type { PaceShare, PaceWish, TakePaceShare, Urgency } from '../../engine/ports.ts';
import { RecentCalls } from './recent-calls.ts';
import { SlowerRate } from './slower-rate.ts';

/** From the most urgent to the least. */
const urgencies: readonly Urgency[] = ['buyer', 'money', 'upkeep'];

/** How far ahead turns may be taken: a buyer never waits behind more than a quarter of a second of captures. */
const aheadMs: Readonly<Record<Urgency, number>> = { buyer: 2000, money: 250, upkeep: 0 };

/** The share of a second's calls that may go at once after a quiet time. */
const burstShare = 0.6;
/** Upkeep leaves this much of that burst to payments. */
const upkeepShare = 0.5;
/** A turn that nobody used lapses after this time. */
const lapseMs = 1000;
/** The least time between two questions for a share. */
const askEveryMs = 50;

export type Limit = {
  readonly accountId: string;
  /** Empty: the calls of the account in all. */
  readonly endpoint: string;
  readonly perSecond: number;
};

type Waiter = { readonly since: number; readonly answer: (mayGo: boolean) => void };

const never = Number.POSITIVE_INFINITY;

export class Turns {
  readonly #limit: Limit;
  readonly #takeShare: TakePaceShare;
  readonly #queues: Readonly<Record<Urgency, Set<Waiter>>> = {
    buyer: new Set(),
    money: new Set(),
    upkeep: new Set(),
  };
  readonly #recent = new RecentCalls();
  readonly #rate = new SlowerRate();
  /** When each turn that this process has may be used, in their order. */
  #turns: number[] = [];
  #isAsking = false;
  /** Calls of each urgency may ask again from then on. */
  readonly #mayAskAt: Record<Urgency, number> = { buyer: 0, money: 0, upkeep: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor(limit: Limit, takeShare: TakePaceShare) {
    this.#limit = limit;
    this.#takeShare = takeShare;
  }

  /** Returns true at once or when the turn has come, and false once `untilMs` (`performance.now()`) has passed. */
  take(urgency: Urgency, untilMs: number): boolean | Promise<boolean> {
    const now = performance.now();
    this.#dropLapsed(now);
    if ((this.#turns[0] ?? never) <= now && !this.#mostUrgent()) {
      this.#turns.shift();
      this.#recent.add(now);
      return true;
    }
    if (untilMs <= now) return false;
    return new Promise((resolve) => {
      const queue = this.#queues[urgency];
      const end = setTimeout(() => {
        queue.delete(waiter);
        resolve(false);
      }, untilMs - now);
      const waiter: Waiter = {
        since: now,
        answer: (mayGo) => {
          clearTimeout(end);
          resolve(mayGo);
        },
      };
      queue.add(waiter);
      this.#serve();
    });
  }

  /** The provider has refused a call because of this limit: all processes pause, and this one goes more slowly. */
  slowDown(retryAfterMs: number | null): void {
    const now = performance.now();
    const pauseMs = this.#rate.refuse(now, retryAfterMs);
    if (pauseMs === null) return;
    this.#turns = [];
    this.#rest('buyer', now + pauseMs);
    const { gapMs, burstMs } = this.#shape();
    // Turns that were not used before the pause lapse.
    const pause = { ...this.#wish(0, { gapMs, burstMs, aheadMs: 0 }), pauseMs: pauseMs + burstMs };
    // Without the database this process pauses alone.
    void this.#takeShare(pause).catch(() => undefined);
    if (this.#mostUrgent()) this.#wake(now + pauseMs);
  }

  /** How many wait, since when (`performance.now()`), and which part of the rate is used. */
  waiting(): { readonly count: number; readonly since: number | null; readonly factor: number } {
    const queues = urgencies.map((each) => this.#queues[each]);
    const first = queues.flatMap(([waiter]) => (waiter ? [waiter.since] : []));
    return {
      count: queues.reduce((sum, { size }) => sum + size, 0),
      since: first.length > 0 ? Math.min(...first) : null,
      factor: this.#rate.factor(performance.now()),
    };
  }

  /** Answers every waiting call with false. */
  close(): void {
    clearTimeout(this.#timer);
    for (const each of urgencies) {
      for (const waiter of this.#queues[each]) waiter.answer(false);
      this.#queues[each].clear();
    }
  }

  #mostUrgent(): Urgency | undefined {
    return urgencies.find((each) => this.#queues[each].size > 0);
  }

  #dropLapsed(now: number): void {
    while ((this.#turns[0] ?? now) < now - lapseMs) this.#turns.shift();
  }

  #wake(atMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#serve(), Math.max(1, atMs - performance.now()));
  }

  /** Gives the turns that have come to those who wait, and asks for more. */
  #serve(): void {
    const now = performance.now();
    this.#dropLapsed(now);
    let urgency = this.#mostUrgent();
    while (urgency && (this.#turns[0] ?? never) <= now) {
      const [next] = this.#queues[urgency];
      if (next) {
        this.#queues[urgency].delete(next);
        this.#turns.shift();
        this.#recent.add(now);
        next.answer(true);
      }
      urgency = this.#mostUrgent();
    }
    if (!urgency) return;
    const waiting = this.#queues[urgency].size;
    const last = this.#turns.at(-1) ?? 0;
    const isSupplied = this.#turns.length >= waiting || last > now + aheadMs.money / 2;
    const mayAskAt = this.#mayAskAt[urgency];
    if (!isSupplied && !this.#isAsking && now >= mayAskAt) void this.#ask(urgency, waiting);
    const next = isSupplied || this.#isAsking ? never : mayAskAt;
    const wakeAt = Math.min(this.#turns[0] ?? never, next);
    if (wakeAt !== never) this.#wake(wakeAt);
  }

  #shape(): { burst: number; gapMs: number; burstMs: number } {
    const perSecond = this.#limit.perSecond * this.#rate.factor(performance.now());
    const burst = Math.max(1, Math.floor(perSecond * burstShare));
    const gapMs = 1000 / perSecond;
    return { burst, gapMs, burstMs: (burst - 1) * gapMs };
  }

  #wish(count: number, shape: Pick<PaceWish, 'gapMs' | 'burstMs' | 'aheadMs'>): PaceWish {
    const { accountId, endpoint } = this.#limit;
    return { accountId, endpoint, count, ...shape };
  }

  /** Takes a share for those who wait; and where calls come often, for as many as come in a quarter of a second. */
  async #ask(urgency: Urgency, waiting: number): Promise<void> {
    this.#isAsking = true;
    const spare = urgency === 'upkeep' ? 0 : Math.ceil(this.#recent.perSecond() / 4);
    const { burst, gapMs, burstMs } = this.#shape();
    const count = Math.min(burst, Math.max(1, waiting - this.#turns.length) + spare);
    const ahead = urgency === 'upkeep' ? -burstMs * upkeepShare : aheadMs[urgency];
    const wish = this.#wish(count, { gapMs, burstMs, aheadMs: ahead });
    // Without the database this process cannot know of others: it continues at the full rate of the account.
    const alone: PaceShare = { count: 1, inMs: gapMs, againMs: gapMs };
    const share = await this.#takeShare(wish).catch(() => alone);
    const now = performance.now();
    this.#isAsking = false;
    for (let n = 0; n < share.count; n += 1) this.#turns.push(now + share.inMs + n * gapMs);
    this.#turns.sort((one, other) => one - other);
    const restMs = share.count > 0 ? askEveryMs : Math.max(askEveryMs, share.againMs);
    this.#rest(urgency, now + restMs);
    this.#serve();
  }

  /** Calls of this urgency and of lower ones do not ask for turns before that time. */
  #rest(from: Urgency, untilMs: number): void {
    for (const each of urgencies.slice(urgencies.indexOf(from))) {
      this.#mayAskAt[each] = Math.max(this.#mayAskAt[each], untilMs);
    }
  }
}
