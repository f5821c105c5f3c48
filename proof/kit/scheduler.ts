// The deterministic scheduler: every call that leaves the process first waits at a gate, and one
// actor at a time continues, drawn from the seed. Between two gates an actor runs alone, except
// that a statement may wait in PostgreSQL for a lock of an actor that waits at a gate.

import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Random } from './random.ts';
import { describeError } from './run-seeds.ts';

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

export type Actor = {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly process: Process;
  readonly ids: Set<string>;
  /** The number of gates that the actor reaches before its process dies. */
  gatesLeft: number;
  /** How far the actor has slept into the future, where time passes for each actor alone. */
  aheadMs: number;
};

/** One actor of a scenario as data. */
export type ActorPlan = {
  readonly name: string;
  readonly work: () => Promise<unknown>;
  /** The number of the gate at which its process dies. */
  readonly diesAtGate?: number;
};

/** The time of actors: their monotonic clock and their timers. */
export type ActorClock = {
  now(actor: Actor): number;
  /** Returns the time at which the actor wakes. */
  sleep(actor: Actor, ms: number): number;
};

/** Time that an actor waits for passes at once, for that actor only. */
const ownTime = (startedAt = performance.now()): ActorClock => ({
  now: ({ aheadMs }) => startedAt + aheadMs,
  sleep(actor, ms) {
    actor.aheadMs += ms;
    return 0;
  },
});

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

/** Runs real work of the current actor, if there is one; timers within it belong to no actor. */
export const runOutside = <T>(work: () => Promise<T>): Promise<T> =>
  currentActor()?.scheduler.fly(null, work) ?? work();

const realTimeout = globalThis.setTimeout;
const waitOneTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const patienceMs = 1;
const longestMs = 20_000;

export class Scheduler {
  readonly random: Random;
  readonly trace: string[] = [];
  step = 0;
  hasCrashed = false;
  /** Unexpected errors of actors. */
  readonly failures: unknown[] = [];
  readonly clock: ActorClock;
  readonly #monitor: pg.Client | undefined;
  readonly #gates: Gate[] = [];
  readonly #flights = new Set<Flight>();
  readonly #running = new Set<Actor>();
  readonly #landed: (() => void)[] = [];
  #arrivals = 0;
  #landings = 0;
  #mustLook = false;
  #chosen = '';

  /** The monitor shows which statements wait for a lock; without it none may be in flight. */
  constructor(random: Random, clock: ActorClock = ownTime(), monitor?: pg.Client) {
    this.random = random;
    this.clock = clock;
    this.#monitor = monitor;
  }

  /**
   * Starts an actor, which waits at its first gate until it is chosen. Its process dies at the gate
   * of the given number.
   */
  spawn(name: string, process: Process, work: () => Promise<unknown>, gatesLeft = Infinity): void {
    const actor = { name, scheduler: this, process, ids: new Set<string>(), gatesLeft, aheadMs: 0 };
    this.#running.add(actor);
    const run = async () => {
      try {
        await this.gate('start');
        await work();
      } catch (error) {
        if (!(error instanceof ProcessCrashed)) this.failures.push(error);
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
    actor.gatesLeft -= 1;
    if (actor.gatesLeft === 0) {
      this.note(actor.name, label, 'dies');
      this.crash(actor.process);
      throw new ProcessCrashed();
    }
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
      if (isNew) await this.#landingOr(this.#monitor ? patienceMs : longestMs);
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
    if (!this.#monitor || pids.length === 0) return new Set();
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

  /** Runs the actors to their end, each in a process of its own. Returns what they threw. */
  async play(actorPlans: readonly ActorPlan[]): Promise<string[]> {
    for (const { name, work, diesAtGate = Infinity } of actorPlans) {
      this.spawn(name, newProcess(name), work, diesAtGate);
    }
    await this.settle();
    for (let open = this.choices(); open.length > 0; open = this.choices()) {
      await this.letOn(this.random.pick(open));
    }
    if (this.#running.size > 0) throw new ScheduleStuck(`stuck after ${this.#chosen}`);
    return this.failures.map((error) => `an actor threw ${describeError(error)}`);
  }

  /** False while a statement is running: the death of its process cannot undo it. */
  canCrash(process: Process): boolean {
    return ![...this.#flights].some((flight) => flight.actor?.process === process);
  }

  /** Ends a process whose actors wait at gates, see `canCrash`. Returns its actors. */
  crash(process: Process): Actor[] {
    const ended = this.actors().filter((actor) => actor.process === process);
    process.isDead = true;
    this.hasCrashed = true;
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
