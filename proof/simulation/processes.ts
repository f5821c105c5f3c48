// The processes of the service: some schedules have one process for everything, some have one per
// request.

import type { Random } from '../kit/random.ts';
import { newProcess, type Process } from '../kit/scheduler.ts';

export class Processes {
  readonly #random: Random;
  readonly #live: Process[];
  readonly #all = new Map<string, Process>();
  #started: number;

  constructor(random: Random) {
    this.#random = random;
    this.#started = random.pick([1, 2, 2, 3, 4]);
    this.#live = Array.from({ length: this.#started }, (_, index) => this.#start(index + 1));
  }

  /** Returns the process for the next request. */
  pick(): Process {
    return this.#random.pick(this.#live);
  }

  /** Replaces a process that died by a new one. */
  replace(dead: Process): void {
    this.#started += 1;
    this.#live.splice(this.#live.indexOf(dead), 1, this.#start(this.#started));
  }

  /** Whether the process of that name created the id. */
  made(name: string, id: string): boolean {
    return this.#all.get(name)?.ids.has(id) ?? false;
  }

  #start(number: number): Process {
    const process = newProcess(`p${number}`);
    this.#all.set(process.name, process);
    return process;
  }
}
