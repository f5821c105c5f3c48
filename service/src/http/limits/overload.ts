// Whether requests wait too long for their turn: then further calls are refused at once, instead of being
// answered long after their callers have given up.

import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { Log } from '../wire/log.ts';
import { isCall } from './in-flight.ts';

const sampleMs = 100;
/** A pause of the machine or one large answer is no overload: the wait has to last. */
const lastingMs = 1000;
/** Whoever was overloaded a moment ago is so again with the first long wait. */
const recentMs = 10_000;

type OverloadSettings = {
  /** The longest wait, in milliseconds; 0 never refuses. */
  readonly shedMs: number;
  readonly nowMs: () => number;
  /** How long the oldest of other queues has waited, such as that for a connection to the database. */
  readonly waitedMs?: () => number;
  readonly log: Pick<Log, 'info' | 'warn'>;
};

/**
 * Samples the longest present wait: that of the event loop, of requests whose credential is being read,
 * and of other queues. As in CoDel (RFC 8289) the shortest sample of an interval counts, not the longest.
 */
export class Overload {
  readonly #settings: OverloadSettings;
  /** The arrivals that wait, the oldest first. */
  readonly #arrived = new Map<object, number>();
  #sampledAt: number;
  #longSince: number | null = null;
  #endedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;
  #refused = 0;

  constructor(settings: OverloadSettings) {
    this.#settings = settings;
    this.#sampledAt = settings.nowMs();
  }

  /** Begins to sample; returns the end of it. */
  watch(): () => void {
    const timer = setInterval(() => this.sample(), sampleMs).unref();
    return () => clearInterval(timer);
  }

  sample(): void {
    const { shedMs, nowMs, waitedMs } = this.#settings;
    const now = nowMs();
    const [oldest = now] = this.#arrived.values();
    const lateMs = now - this.#sampledAt - sampleMs;
    this.#sampledAt = now;
    const longestMs = Math.max(lateMs, now - oldest, waitedMs?.() ?? 0);
    if (longestMs <= shedMs) this.#longSince = null;
    else this.#longSince ??= now;
    const needMs = now - this.#endedAt < recentMs ? 0 : lastingMs;
    const isOver = this.#longSince !== null && now - this.#longSince >= needMs;
    if (isOver !== this.#isOver) this.#turn(isOver, Math.round(longestMs), now);
  }

  #turn(isOver: boolean, longestMs: number, now: number): void {
    const { log } = this.#settings;
    this.#isOver = isOver;
    if (isOver) {
      this.#refused = 0;
      log.warn('overloaded: further calls get 503 until requests wait less; give it more CPU', {
        longestMs,
      });
    } else {
      this.#endedAt = now;
      log.info('no longer overloaded', { longestMs, refused: this.#refused });
    }
  }

  /** Counts a request as waiting until `leave`; returns false when it is to be refused. */
  enter(request: object): boolean {
    if (this.#isOver) {
      this.#refused += 1;
      return false;
    }
    this.#arrived.set(request, this.#settings.nowMs());
    return true;
  }

  leave(request: object): void {
    this.#arrived.delete(request);
  }
}

/** One object for all, because a stack for each would cost what is lacking. */
export const overloaded = new Refusal('service_unavailable', {
  message:
    'The service is overloaded. Nothing was done. Repeat with the same key after Retry-After.',
});

/**
 * Refuses calls while requests wait too long. Health, readiness, pages, the provider's notices and whatever
 * was admitted before are served.
 */
export function shedLoad(app: FastifyInstance, settings: OverloadSettings): void {
  if (settings.shedMs === 0) return;
  const overload = new Overload(settings);
  app.addHook('onClose', (_, done) => {
    stop();
    done();
  });
  const stop = overload.watch();
  app.addHook('onRequest', (request, reply, done) => {
    if (!isCall(request)) return done();
    if (!overload.enter(request.raw)) return done(overloaded);
    reply.raw.once('close', () => overload.leave(request.raw));
    done();
  });
  // The credential is read by then, and the body, which may come slowly, is not.
  app.addHook('preParsing', (request, _, payload, done) => {
    overload.leave(request.raw);
    done(null, payload);
  });
  app.addHook('onResponse', (request, _, done) => {
    overload.leave(request.raw);
    done();
  });
}
