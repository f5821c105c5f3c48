/** Runs work of one name in order, and work of several names in parallel. */
export class Lanes {
  readonly #most: number;
  readonly #tails = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  /** Allows at most this many pieces at once, waiting ones included. */
  constructor(most: number) {
    this.#most = most;
  }

  get open(): number {
    return this.#open;
  }

  /** Resolves once there is room, not when the work is done. `work` must not throw. */
  async add(name: string, work: () => Promise<void>): Promise<void> {
    while (this.#open >= this.#most) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#open += 1;
    const before = this.#tails.get(name) ?? Promise.resolve();
    const tail: Promise<void> = before.then(work).finally(() => {
      this.#open -= 1;
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
      this.#waiting.shift()?.();
    });
    this.#tails.set(name, tail);
  }

  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}
