// Runs one actor at a time: every call that leaves the process waits at a gate, and the seed
// decides which actor continues. Transactions run as a whole, because each begins by locking its
// session: anything else inside one would wait for that lock anyway. Time that an actor waits for
// passes at once, for that actor only.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Ports, Provider } from '../../service/src/engine/ports.ts';
import type { Database } from '../../service/src/storage/database/database.ts';
import type { Random } from './random.ts';

type Actor = {
  readonly name: string;
  readonly turns: Turns;
  aheadMs: number;
  /** The number of gates that the actor passes before its process dies. */
  gatesLeft: number;
};

const actors = new AsyncLocalStorage<Actor>();
const waitOneTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Runs real work of the current actor, during which timers belong to no actor. */
export async function runOutsideTurns<T>(work: () => Promise<T>): Promise<T> {
  const turns = actors.getStore()?.turns;
  if (!turns) return work();
  turns.flights += 1;
  try {
    return await actors.exit(work);
  } finally {
    turns.flights -= 1;
    turns.changes += 1;
    turns.landed();
  }
}

type Gate = { readonly name: string; readonly label: string; readonly go: () => void };

export class Turns {
  readonly trace: string[] = [];
  readonly failures: unknown[] = [];
  flights = 0;
  /** Grows with every step; while it does not change, every actor waits for a turn. */
  changes = 0;
  /** The actor whose process has died. */
  dead: string | undefined;
  landed: () => void = () => undefined;
  readonly #random: Random;
  readonly #waiting: Gate[] = [];
  #alive = 0;
  #spawned = 0;
  #death: { readonly actor: number; readonly gate: number } | null = null;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * Plans the death of a process: that of the actor with this number, from 0, at its gate with this
   * number.
   */
  plan(death: { readonly actor: number; readonly gate: number } | null): void {
    this.#death = death;
  }

  /**
   * Adds an actor, which waits at its first gate until it is chosen. An error that it throws is a
   * failure.
   */
  spawn(name: string, work: () => Promise<void>): void {
    const gatesLeft = this.#death?.actor === this.#spawned++ ? this.#death.gate : Infinity;
    this.#alive += 1;
    const run = async () => {
      try {
        await this.gate('start');
        await work();
      } catch (error) {
        this.failures.push(error);
      } finally {
        this.#alive -= 1;
        this.changes += 1;
      }
    };
    void actors.run({ name, turns: this, aheadMs: 0, gatesLeft }, run);
  }

  /** Waits for the actor's turn; outside any actor it does not wait. */
  async gate(label: string): Promise<void> {
    const actor = actors.getStore();
    if (!actor) return;
    actor.gatesLeft -= 1;
    if (actor.gatesLeft === 0) this.#bury(actor);
    await new Promise<void>((go) => {
      // An actor whose process has died does not continue.
      if (actor.gatesLeft <= 0) return;
      this.#waiting.push({ name: actor.name, label, go });
      this.changes += 1;
    });
  }

  #bury({ name }: Actor): void {
    this.trace.push(`${name}: dies`);
    this.dead = name;
    const left = this.#waiting.filter((gate) => gate.name !== name);
    this.#waiting.splice(0, this.#waiting.length, ...left);
    this.#alive -= 1;
    this.changes += 1;
  }

  /** Runs the actors, one step at a time, until all have ended. */
  async run(): Promise<void> {
    for (;;) {
      await this.#stillness();
      if (this.#waiting.length === 0) {
        if (this.#alive > 0) throw new Error(`stuck after ${this.trace.at(-1)}`);
        return;
      }
      // Sorted by name, so that the order in which they reached their gates does not matter.
      this.#waiting.sort(compareGates);
      const [next] = this.#waiting.splice(this.#random.whole(0, this.#waiting.length - 1), 1);
      this.trace.push(`${next?.name}: ${next?.label}`);
      next?.go();
    }
  }

  async #stillness(): Promise<void> {
    for (let still = 0; still < 2; ) {
      if (this.flights > 0) {
        await new Promise<void>((resolve) => {
          this.landed = resolve;
        });
      }
      const before = this.changes;
      await waitOneTurn();
      still = this.flights === 0 && this.changes === before ? still + 1 : 0;
    }
  }
}

const compareGates = (one: Gate, other: Gate): number => {
  const [a, b] = [`${one.name} ${one.label}`, `${other.name} ${other.label}`];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Returns the product's own ports with a gate before each call. */
export function gatePorts(ports: Ports, turns: Turns): Ports {
  return {
    ...ports,
    database: gateDatabase(ports.database, turns),
    provider: (gateway) => gateProvider(ports.provider(gateway), turns),
    prepareOrder: async (...given) => {
      await turns.gate('ask prepareOrder');
      const order = await runOutsideTurns(() => ports.prepareOrder(...given));
      await turns.gate('hear prepareOrder');
      return order;
    },
    sealed: {
      seal: (...given) => runOutsideTurns(() => ports.sealed.seal(...given)),
      open: (...given) => runOutsideTurns(() => ports.sealed.open(...given)),
      rewrap: (unreadable) => ports.sealed.rewrap(unreadable),
    },
    vault: {
      ...ports.vault,
      redeem: async (call) => {
        await turns.gate('redeem');
        return runOutsideTurns(() => ports.vault.redeem(call));
      },
      forget: async (call) => {
        await turns.gate('forget');
        return runOutsideTurns(() => ports.vault.forget(call));
      },
    },
  };
}

const gateDatabase = (database: Database, turns: Turns): Database => ({
  ...database,
  transaction: async (client, work) => {
    await turns.gate('transaction');
    return runOutsideTurns(() => database.transaction(client, work));
  },
  read: async (query, values) => {
    await turns.gate(`read ${query.name}`);
    return runOutsideTurns(() => database.read(query, values));
  },
  write: async (query, values) => {
    await turns.gate(`write ${query.name}`);
    return runOutsideTurns(() => database.write(query, values));
  },
});

/** Adds a gate before the request is sent, and one before its response is received. */
function gateProvider(provider: Provider, turns: Turns): Provider {
  const gateCall =
    <A extends unknown[], R>(name: string, call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await turns.gate(`ask ${name}`);
      const answer = await runOutsideTurns(() => call(...given));
      await turns.gate(`hear ${name}`);
      return answer;
    };
  return {
    ...provider,
    authorize: gateCall('authorize', provider.authorize),
    cancel: gateCall('cancel', provider.cancel),
    retrieve: gateCall('retrieve', provider.retrieve),
  };
}

let takers = 0;
let restoreTimers: () => void = () => undefined;

/** Replaces timers and the monotonic clock for actors, until every caller has called `restore`. */
export function takeTimers(): { restore(): void } {
  if (takers === 0) restoreTimers = replaceTimers();
  takers += 1;
  return {
    restore() {
      takers -= 1;
      if (takers === 0) restoreTimers();
    },
  };
}

function replaceTimers(): () => void {
  const { setTimeout: realTimeout, performance } = globalThis;
  const realNow = performance.now.bind(performance);
  const timeout = (run: (...rest: unknown[]) => void, ms = 0, ...rest: unknown[]) => {
    const actor = actors.getStore();
    if (!actor) return realTimeout(run, ms, ...rest);
    actor.aheadMs += ms;
    void actor.turns.gate('wait').then(() => run(...rest));
    return undefined;
  };
  globalThis.setTimeout = Object.assign(timeout, realTimeout) as typeof setTimeout;
  const startedAt = realNow();
  // An actor's time does not depend on the machine's speed, so that a schedule can be repeated.
  performance.now = () => {
    const actor = actors.getStore();
    return actor ? startedAt + actor.aheadMs : realNow();
  };
  return () => {
    globalThis.setTimeout = realTimeout;
    performance.now = realNow;
  };
}
