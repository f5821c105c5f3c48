// The deterministic scheduler: every call that leaves the process first waits at a gate, and one
// actor at a time continues, drawn from the seed. Between two gates an actor runs alone, except
// that a statement may wait in PostgreSQL for a lock of an actor that waits at a gate. Reliability
// 3.2.

import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Random } from '../kit/random.ts';

/** The requests and workers of one process of the service, which die or pause together. */
export type Process = {
  readonly name: string;
  isDead: boolean;
  /** None of its actors passes a gate before this step. */
  pausedUntil: number;
  /** Ids that its actors created, including the owners of its leases. */
  readonly ids: Set<string>;
};

export const newProcess = (name: string): Process => ({
  name,
  isDead: false,
  pausedUntil: 0,
  ids: new Set(),
});

export type Actor = { readonly name: string; readonly process: Process; readonly ids: Set<string> };

type Gate = {
  readonly actor: Actor;
  readonly label: string;
  readonly order: string;
  readonly arrival: number;
  /** True at the start of a transaction that may have to wait for a lock. */
  readonly isBeginning: boolean;
  readonly wakeAt: number;
  readonly open: () => void;
  readonly refuse: (error: ProcessCrashed) => void;
};

type Flight = {
  readonly actor: Actor | undefined;
  readonly pid: number | null;
  readonly label: string;
  isBlocked: boolean;
};

/** Thrown at every gate of a crashed actor. Its message must not look like a lost connection. */
export class ProcessCrashed extends Error {
  constructor() {
    super('the process is gone');
  }
}

/**
 * Thrown when the schedule itself does not end: nothing opens a gate, or there are far too many
 * steps.
 */
class ScheduleStuck extends Error {}

const actors = new AsyncLocalStorage<Actor | undefined>();
export const currentActor = (): Actor | undefined => actors.getStore();

const realTimeout = globalThis.setTimeout;
const waitOneTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const patienceMs = 1;
const longestMs = 20_000;

export class Scheduler {
  readonly random: Random;
  readonly trace: string[] = [];
  step = 0;
  /** An unexpected error of an actor. */
  failure: unknown;
  readonly #monitor: pg.Client;
  readonly #gates: Gate[] = [];
  readonly #flights = new Set<Flight>();
  readonly #running = new Set<Actor>();
  readonly #landed: (() => void)[] = [];
  #arrivals = 0;
  #landings = 0;
  #mustLook = false;
  #chosen = '';

  constructor(random: Random, monitor: pg.Client) {
    this.random = random;
    this.#monitor = monitor;
  }

  /** Starts an actor, which waits at its first gate until it is chosen. */
  spawn(name: string, process: Process, work: () => Promise<void>): void {
    const actor: Actor = { name, process, ids: new Set() };
    this.#running.add(actor);
    const run = async () => {
      try {
        await this.gate('start');
        await work();
      } catch (error) {
        if (!(error instanceof ProcessCrashed)) this.failure ??= error;
      } finally {
        this.#running.delete(actor);
        this.#landings += 1;
      }
    };
    void actors.run(actor, run);
  }

  /**
   * Waits until the scheduler lets this actor continue. During the set-up, outside any actor, it
   * does not wait.
   */
  async gate(label: string, { wakeAt = 0, isBeginning = false } = {}): Promise<void> {
    const actor = currentActor();
    if (!actor) return;
    if (actor.process.isDead) throw new ProcessCrashed();
    this.#arrivals += 1;
    const arrival = this.#arrivals;
    await new Promise<void>((open, refuse) => {
      const order = `${actor.name} ${label}`;
      this.#gates.push({ actor, label, order, arrival, isBeginning, wakeAt, open, refuse });
    });
  }

  /**
   * Runs real asynchronous work of the current actor. `pid` is that of its connection when it may
   * wait for a lock.
   */
  async fly<T>(pid: number | null, work: () => Promise<T>, label = ''): Promise<T> {
    const flight: Flight = { actor: currentActor(), pid, label, isBlocked: false };
    this.#flights.add(flight);
    this.#mustLook = true;
    try {
      // Runs outside the actor, because the driver's own timers are no gates.
      return await actors.exit(work);
    } finally {
      this.#flights.delete(flight);
      this.#landings += 1;
      for (const wake of this.#landed.splice(0)) wake();
    }
  }

  /** Checks again who is blocked: locks may have been released. */
  lookAgain(): void {
    this.#mustLook = true;
  }

  /** Resolves once every actor waits at a gate or for a lock, or has ended. */
  async settle(): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const before = this.#landings;
      // The product's own queues wait for one turn of the event loop; this waits for several.
      for (let turns = 0; turns < 4; turns++) await waitOneTurn();
      if (this.#landings !== before) continue;
      if (this.#flights.size === 0) return;
      const isNew = [...this.#flights].some(({ isBlocked }) => !isBlocked);
      if (!isNew && !this.#mustLook) return;
      if (isNew) await this.#landingOr(patienceMs);
      if (this.#landings !== before) continue;
      const blocked = await this.#findBlocked();
      if (this.#landings !== before) continue;
      let areAll = true;
      for (const flight of this.#flights) {
        flight.isBlocked = flight.pid !== null && blocked.has(flight.pid);
        areAll &&= flight.isBlocked;
      }
      if (areAll) {
        this.#mustLook = false;
        return;
      }
      if (performance.now() - startedAt > longestMs)
        throw new ScheduleStuck(`no landing after ${this.#chosen}`);
    }
  }

  #landingOr(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = realTimeout(resolve, ms);
      this.#landed.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async #findBlocked(): Promise<Set<number>> {
    const pids = [...this.#flights].flatMap(({ pid }) => pid ?? []);
    const { rows } = await this.#monitor.query<{ pid: number }>({
      name: 'blocked',
      text: `select pid from unnest($1::int[]) as one(pid)
        where pg_blocking_pids(pid) && (select array_agg(pid) from pg_stat_activity
          where application_name = 'simulation' and datname = current_database())`,
      values: [pids],
    });
    return new Set(rows.map(({ pid }) => pid));
  }

  /** Returns the actors that may continue now, in an order that depends on the seed alone. */
  choices(): readonly Gate[] {
    // PostgreSQL may let either of two transactions that wait for one row go first: here the second
    // one waits at its gate.
    const waitedFor = [...this.#flights].flatMap(({ label }) => label.match(/payment \d+/g) ?? []);
    return this.#gates
      .filter(({ actor }) => actor.process.pausedUntil <= this.step)
      .filter(
        ({ isBeginning, label }) =>
          !isBeginning || !waitedFor.some((name) => `${label} `.includes(`${name} `)),
      )
      .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : a.arrival - b.arrival));
  }

  /** Opens one gate and waits until all actors wait again. */
  async letOn(gate: Gate): Promise<void> {
    this.note(gate.actor.name, gate.label, 'goes on');
    this.#gates.splice(this.#gates.indexOf(gate), 1);
    gate.open();
    await this.settle();
  }

  /** False while a statement is running: the death of its process cannot undo it. */
  canCrash(process: Process): boolean {
    return ![...this.#flights].some((flight) => flight.actor?.process === process);
  }

  /** Ends a process whose actors wait at gates, see `canCrash`. Returns its actors. */
  crash(process: Process): Actor[] {
    const ended = this.actors().filter((actor) => actor.process === process);
    process.isDead = true;
    for (const gate of this.#gates.filter(({ actor }) => actor.process === process)) {
      this.#gates.splice(this.#gates.indexOf(gate), 1);
      gate.refuse(new ProcessCrashed());
    }
    return ended;
  }

  /** Whether an actor waits for a lock. */
  hasBlocked(): boolean {
    return this.#flights.size > 0;
  }

  /** Whether the provider has changed something whose response has not arrived yet. */
  isAwaited(about: string): boolean {
    return this.#gates.some(({ label }) => label.startsWith('answer to') && label.includes(about));
  }

  actors(): Actor[] {
    return [...this.#running];
  }

  endPauses(): void {
    for (const { actor } of this.#gates) actor.process.pausedUntil = 0;
  }

  note(who: string, label: string, decision: string): void {
    this.step += 1;
    this.#chosen = `${who} ${label} ${decision}`;
    this.trace.push(`${String(this.step).padStart(4)}  ${who.padEnd(12)} ${label}: ${decision}`);
  }
}
