/** Counts the calls of this second and of the one before it. */
export class RecentCalls {
  #second = 0;
  #count = 0;
  #before = 0;

  add(atMs: number): void {
    const second = Math.floor(atMs / 1000);
    if (second !== this.#second) {
      this.#before = second === this.#second + 1 ? this.#count : 0;
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
  }

  /** Returns how many a second there were lately. */
  perSecond(): number {
    return Math.max(this.#count, this.#before);
  }
}
