// A merchant's two processes behind a bad network: deliveries are lost, doubled or late, their
// responses are lost, and the processes die before and after their commits.

import { setTimeout as pause } from 'node:timers/promises';
import {
  createInbox,
  type Inbox,
  type InboxDatabase,
} from '../../libraries/server/src/inbox/inbox.ts';
import type { Svc } from '../../libraries/server/src/index.ts';
import type { WebhookAnswer, WebhookSend } from '../../service/src/engine/ports.ts';
import { signatureHeaders } from '../../service/src/webhooks/sign.ts';
import { drawByRate, type Random } from '../kit/random.ts';
import type { Shop } from './shop.ts';

/** Probabilities of the faults of one delivery and one transaction. */
export type Rates = {
  readonly lost: number;
  readonly swallowed: number;
  readonly doubled: number;
  readonly late: number;
  readonly inVain: number;
  readonly diesBefore: number;
  readonly diesAfter: number;
  readonly spoils: number;
};

export type Plan = {
  readonly random: Random;
  readonly rates: Rates;
  /**
   * False when the merchant never reads the list of events: it then gets events only by deliveries
   * and fills gaps.
   */
  readonly walks: boolean;
};

class ProcessDied extends Error {}

type Process = { isAlive: boolean; readonly inbox: Inbox; readonly receive: Handler };
type Handler = (request: Request) => Promise<Response>;

export type MerchantOptions = {
  readonly seed: number;
  readonly shop: Shop;
  readonly plan: Plan;
  readonly secret: string;
  readonly svc: Svc;
  /** The time of the merchant's start; earlier events belong to another merchant. */
  readonly from: Date;
  readonly count: (what: string) => void;
};

const networkFaults = ['lost', 'swallowed', 'doubled', 'late', 'inVain'] as const;

/**
 * The most faults for one event. The service gives up a delivery after ten attempts, and a merchant that never
 * reads the list of events can only learn of an event from an attempt without a fault.
 */
const mostFaults = 5;

export class Merchant {
  readonly seed: number;
  readonly walks: boolean;
  readonly #given: MerchantOptions;
  readonly #databases: readonly InboxDatabase<unknown>[];
  readonly #processes: Process[] = [];
  readonly #late: WebhookSend[] = [];
  readonly #faults = new Map<string, number>();
  isCalm = false;

  constructor(given: MerchantOptions) {
    this.seed = given.seed;
    this.walks = given.plan.walks;
    this.#given = given;
    this.#databases = [given.shop.open(), given.shop.open()];
    for (const n of this.#databases.keys()) this.#processes.push(this.#start(n));
  }

  async open(): Promise<void> {
    this.isCalm = true;
    await this.#process(0).inbox.migrate();
    this.isCalm = false;
  }

  /** Handles one attempt of the delivery engine, with the network's faults. */
  async send(call: WebhookSend): Promise<WebhookAnswer> {
    const fault = this.#drawFault(call.eventId);
    if (fault !== 'none') this.#given.count(`network: ${fault}`);
    switch (fault) {
      case 'lost':
        return noAnswer('connect_failed');
      case 'swallowed':
        return { ...noAnswer(''), status: 200, error: null };
      case 'late':
        this.#late.push(call);
        return noAnswer('timeout');
      case 'inVain':
        await this.#deliver(call);
        return noAnswer('reset');
      case 'doubled': {
        const [answer] = await Promise.all([this.#deliver(call), this.#deliver(call)]);
        return answer;
      }
      default:
        return this.#deliver(call);
    }
  }

  /** Delivers the late requests, in any order. */
  async arrive(): Promise<void> {
    const { random } = this.#given.plan;
    const calls = this.#late.splice(0);
    while (calls.length > 0) {
      const [call] = calls.splice(random.whole(0, calls.length - 1), 1);
      if (call) await this.#deliver(call);
    }
  }

  /**
   * Reads the list of events; the process may die meanwhile. Returns true when the list had nothing
   * new.
   */
  async walk(): Promise<boolean> {
    const process = this.#process(this.#given.plan.random.whole(0, 1));
    try {
      const { applied, failing } = await process.inbox.catchUp();
      if (applied > 0) this.#given.count('walk: applied');
      return applied === 0 && failing === 0;
    } catch (error) {
      // The process may also have died while it recorded a handler's error.
      if (process.isAlive) throw error;
      return false;
    }
  }

  /** Returns the events whose handler still fails. */
  failures() {
    return this.#process(0).inbox.failures();
  }

  chance(probability: number): boolean {
    return this.#given.plan.random.chance(probability);
  }

  #drawFault(eventId: string) {
    const { random, rates } = this.#given.plan;
    const before = this.#faults.get(eventId) ?? 0;
    const fault = drawByRate(random, networkFaults, rates);
    if (!fault || this.isCalm || before >= mostFaults) return 'none';
    this.#faults.set(eventId, before + 1);
    return fault;
  }

  async #deliver(call: WebhookSend): Promise<WebhookAnswer> {
    const process = this.#process(this.#given.plan.random.whole(0, 1));
    const headers = { 'content-type': 'application/json', ...signatureHeaders(call) };
    const request = new Request(call.url, { method: 'POST', body: call.body, headers });
    const { status } = await process.receive(request);
    // A process that died meanwhile sends no response.
    if (!process.isAlive) return noAnswer('reset');
    return { ...noAnswer(''), status, error: status === 200 ? null : 'status' };
  }

  /** Returns the process of a slot; one that died is replaced by a new one. */
  #process(at: number): Process {
    const found = this.#processes[at];
    if (found?.isAlive) return found;
    this.#processes[at] = this.#start(at);
    return this.#process(at);
  }

  #start(at: number): Process {
    const { shop, svc, plan, secret, from, count } = this.#given;
    const { random, rates } = plan;
    const throwSometimes = () => {
      // Half the rate, because this is called twice for each event.
      if (this.isCalm || !random.chance(rates.spoils / 2)) return;
      count('a handler threw');
      throw new Error('spoilt');
    };
    const own: { isAlive: boolean } = { isAlive: true };
    const database = this.#mortal(at, own);
    // Thousands of events fail on purpose, and are counted where they do.
    const onError = () => undefined;
    const inbox = createInbox({ database, svc, from, onError, apply: shop.apply(throwSometimes) });
    return Object.assign(own, {
      inbox,
      receive: svc.webhooks.toFetchHandler(inbox.receive, secret, { onError }),
    });
  }

  /** When a process dies, its open transaction and its remaining work are lost. */
  #mortal(at: number, own: { isAlive: boolean }): InboxDatabase<unknown> {
    const database = this.#databases[at];
    if (!database) throw new Error('there are two');
    const { plan, count } = this.#given;
    const { random, rates } = plan;
    const die = (when: string): never => {
      own.isAlive = false;
      count(`died ${when} its commit`);
      throw new ProcessDied();
    };
    return {
      schema: database.schema,
      transact: async (steps) => {
        if (!own.isAlive) throw new ProcessDied();
        const drawn = this.isCalm ? 1 : random.next();
        const result = await database.transact(function* (tx) {
          const done = yield* steps(tx);
          if (drawn < rates.diesBefore) die('before');
          return done;
        });
        // The other merchants continue meanwhile.
        if (random.chance(0.1)) await pause(0);
        if (!own.isAlive) throw new ProcessDied();
        if (drawn > 1 - rates.diesAfter && drawn < 1) die('after');
        return result;
      },
    };
  }
}

const noAnswer = (error: string): WebhookAnswer => ({
  status: null,
  error,
  excerpt: null,
  retryAfterSeconds: null,
  durationMs: 1,
});
