// The processes of the service: some schedules have one for everything, some one for each request.

import type { Random } from '../chaos/random.ts';
import { newProcess, type Process } from './scheduler.ts';

export class Processes {
  readonly #random: Random;
  readonly #live: Process[];
  #started: number;

  constructor(random: Random) {
    this.#random = random;
    this.#started = random.pick([1, 2, 2, 3, 4]);
    this.#live = Array.from({ length: this.#started }, (_, index) => newProcess(`p${index + 1}`));
  }

  /** Where the next request goes. */
  pick(): Process {
    return this.#random.pick(this.#live);
  }

  /** Another one takes the place of one that died. */
  replace(dead: Process): void {
    this.#started += 1;
    this.#live.splice(this.#live.indexOf(dead), 1, newProcess(`p${this.#started}`));
  }
}
