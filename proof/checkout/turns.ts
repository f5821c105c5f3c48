// One actor at a time: everything that leaves the process stands at a gate, and the seed decides who
// goes on. Transactions run whole, for each begins by locking its session: whatever else would
// interleave inside one waits for that lock anyway. Time that actors wait for passes at once, for
// them alone.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Ports, Provider } from '../../service/src/engine/ports.ts';
import type { Database } from '../../service/src/storage/database/database.ts';
import type { Random } from '../chaos/random.ts';

type Actor = {
  readonly name: string;
  readonly turns: Turns;
  aheadMs: number;
  /** Gates that are left to it before its process dies. */
  gatesLeft: number;
};

const actors = new AsyncLocalStorage<Actor>();
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Real work of the actor just let on; in it, timers are nobody's. */
export async function outside<T>(work: () => Promise<T>): Promise<T> {
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
  /** Rises with whatever happens; while it stands still, everybody waits for a turn. */
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

  /** The process of the actor that is spawned as the `actor`th, from 0, dies at its `gate`th gate. */
  plan(death: { readonly actor: number; readonly gate: number } | null): void {
    this.#death = death;
  }

  /** An actor stands at its first gate until it is chosen. What it throws is a failure. */
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
      // Nothing of the dead goes on.
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

  /** Lets one after the other go on until all have ended. */
  async run(): Promise<void> {
    for (;;) {
      await this.#stillness();
      if (this.#waiting.length === 0) {
        if (this.#alive > 0) throw new Error(`stuck after ${this.trace.at(-1)}`);
        return;
      }
      // By name, so that the order in which they came to their gates does not matter.
      this.#waiting.sort(byName);
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
      await nextTurn();
      still = this.flights === 0 && this.changes === before ? still + 1 : 0;
    }
  }
}

const byName = (one: Gate, other: Gate): number => {
  const [a, b] = [`${one.name} ${one.label}`, `${other.name} ${other.label}`];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** The ports of a schedule: the product's own, each behind a gate. */
export function gatePorts(ports: Ports, turns: Turns): Ports {
  return {
    ...ports,
    database: gateDatabase(ports.database, turns),
    provider: (gateway) => gateProvider(ports.provider(gateway), turns),
    prepareOrder: async (...given) => {
      await turns.gate('ask prepareOrder');
      const order = await outside(() => ports.prepareOrder(...given));
      await turns.gate('hear prepareOrder');
      return order;
    },
    sealed: {
      seal: (...given) => outside(() => ports.sealed.seal(...given)),
      open: (...given) => outside(() => ports.sealed.open(...given)),
      rewrap: (unreadable) => ports.sealed.rewrap(unreadable),
    },
    vault: {
      ...ports.vault,
      redeem: async (call) => {
        await turns.gate('redeem');
        return outside(() => ports.vault.redeem(call));
      },
      forget: async (call) => {
        await turns.gate('forget');
        return outside(() => ports.vault.forget(call));
      },
    },
  };
}

const gateDatabase = (database: Database, turns: Turns): Database => ({
  ...database,
  transaction: async (client, work) => {
    await turns.gate('transaction');
    return outside(() => database.transaction(client, work));
  },
  read: async (query, values) => {
    await turns.gate(`read ${query.name}`);
    return outside(() => database.read(query, values));
  },
  write: async (query, values) => {
    await turns.gate(`write ${query.name}`);
    return outside(() => database.write(query, values));
  },
});

/** A gate before the request is sent, and one before its answer is heard. */
function gateProvider(provider: Provider, turns: Turns): Provider {
  const gated =
    <A extends unknown[], R>(name: string, call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await turns.gate(`ask ${name}`);
      const answer = await outside(() => call(...given));
      await turns.gate(`hear ${name}`);
      return answer;
    };
  return {
    ...provider,
    authorize: gated('authorize', provider.authorize),
    cancel: gated('cancel', provider.cancel),
    retrieve: gated('retrieve', provider.retrieve),
  };
}

let takers = 0;
let giveBack: () => void = () => undefined;

/** Until the last taker calls `restore`, timers and the monotonic clock of actors are their own. */
export function takeTimers(): { restore(): void } {
  if (takers === 0) giveBack = replaceTimers();
  takers += 1;
  return {
    restore() {
      takers -= 1;
      if (takers === 0) giveBack();
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
  // The machine's pace is no part of an actor's time, or a schedule would not repeat.
  performance.now = () => {
    const actor = actors.getStore();
    return actor ? startedAt + actor.aheadMs : realNow();
  };
  return () => {
    globalThis.setTimeout = realTimeout;
    performance.now = realNow;
  };
}
