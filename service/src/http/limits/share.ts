// Limits that all processes count together, without a write for each request: a process takes from its own
// bucket, tells the database afterwards what it took, and learns how many remain. While few remain it tells at
// once, so that processes go over a limit by what they take within one such exchange.

import { hash } from 'node:crypto';
import { isUnavailable } from '../../engine/is-unavailable.ts';

/** What a process took of one key since it last told. */
export type Takes = {
  readonly keySha256: Buffer;
  readonly count: number;
  /** The most that may be taken at once, and how many come back in a second. */
  readonly burst: number;
  readonly perSecond: number;
};

/** Tells what was taken; returns how many remain of each, by hexadecimal key. */
export type ShareTakes = (takes: readonly Takes[]) => Promise<ReadonlyMap<string, number>>;

/** From this many on, takes are told at once. */
const few = 10;
const pauseMs = 1000;
/** More keys than that are not told: a flood of addresses must not fill the memory. */
const mostKeys = 10_000;

type Result = { readonly isAllowed: boolean; readonly remaining: number };
type Bucket<R extends Result> = {
  take(key: string): R;
  giveBack(key: string): void;
  set(key: string, tokens: number): void;
};

type Shared = { readonly name: string; readonly burst: number; readonly perSecond: number };
type Debt = Shared & { readonly bucket: Bucket<Result>; readonly key: string; count: number };

const keySha256Of = ({ name, key }: Debt): Buffer => hash('sha256', `${name}\n${key}`, 'buffer');

/** What was taken and not told yet. */
export class TakeLedger {
  readonly #share: ShareTakes;
  readonly #onFault: (error: unknown) => void;
  #debts = new Map<string, Debt>();
  #telling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(share: ShareTakes, onFault: (error: unknown) => void) {
    this.#share = share;
    this.#onFault = onFault;
  }

  /** Returns the bucket with its takes told to the others. */
  share<R extends Result>(bucket: Bucket<R>, shared: Shared): Pick<Bucket<R>, 'take' | 'giveBack'> {
    return {
      take: (key) => {
        const taken = bucket.take(key);
        if (taken.isAllowed) this.#owe({ ...shared, bucket, key, count: 1 }, taken.remaining < few);
        return taken;
      },
      giveBack: (key) => {
        bucket.giveBack(key);
        this.#owe({ ...shared, bucket, key, count: -1 }, false);
      },
    };
  }

  #owe(debt: Debt, isUrgent: boolean): void {
    const id = `${debt.name}\n${debt.key}`;
    const known = this.#debts.get(id);
    if (known) known.count += debt.count;
    else if (this.#debts.size < mostKeys) this.#debts.set(id, debt);
    if (isUrgent) this.#tell();
    else this.#timer ??= setTimeout(() => this.#tell(), pauseMs).unref();
  }

  #tell(): void {
    // Tokens that are taken during an exchange are reported after it.
    if (this.#telling) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const told = this.#debts;
    if (told.size === 0) return;
    this.#debts = new Map();
    this.#telling = this.#exchange([...told.values()]).finally(() => {
      this.#telling = null;
      if (this.#debts.size > 0) this.#timer ??= setTimeout(() => this.#tell(), 0).unref();
    });
  }

  async #exchange(told: readonly Debt[]): Promise<void> {
    const takes = told.map((debt) => ({ ...debt, keySha256: keySha256Of(debt) }));
    try {
      const left = await this.#share(takes);
      for (const { bucket, key, name, keySha256 } of takes) {
        const remaining = left.get(keySha256.toString('hex'));
        const since = this.#debts.get(`${name}\n${key}`)?.count ?? 0;
        if (remaining !== undefined) bucket.set(key, remaining - since);
      }
    } catch (error) {
      // A database in trouble shares nothing: each process keeps to its own count until then.
      if (!isUnavailable(error)) this.#onFault(error);
    }
  }
}
