// A merchant that follows its events by GET /v1/events?after= during the run.

import { setTimeout as pause } from 'node:timers/promises';
import { refuse } from '../../service/src/engine/implement.ts';
import { listEvents } from '../../service/src/operations/events/list-events.ts';
import { callerOf, portsFor } from '../../service/test/harness.ts';
import type { Random } from '../kit/random.ts';
import type { Fixture, Merchant } from './fixture.ts';

const beginning = `evt_${'0'.repeat(32)}`;

export class Reader {
  readonly seen: string[] = [];
  readonly merchant: Merchant;
  readonly #fixture: Fixture;
  readonly #random: Random;
  #isStopping = false;
  #reading: Promise<void> | undefined;

  constructor(fixture: Fixture, merchant: Merchant, random: Random) {
    this.#fixture = fixture;
    this.merchant = merchant;
    this.#random = random;
  }

  start(): void {
    this.#reading = this.#read();
  }

  /** Reads the remaining events and stops. */
  async finish(): Promise<void> {
    this.#isStopping = true;
    await this.#reading;
    for (let found = 1; found > 0; ) found = await this.#page(100);
  }

  async #read(): Promise<void> {
    while (!this.#isStopping) {
      // A database that is down causes an error, and the merchant tries again.
      const found = await this.#page(this.#random.pick([1, 3, 20, 100])).catch(() => 0);
      await pause(found > 0 ? 10 : 40);
    }
  }

  async #page(limit: number): Promise<number> {
    const after = this.seen.at(-1) ?? beginning;
    const input = { page: 1, limit, sortField: 'createdAt', sortDirection: 'DESC' } as const;
    const found = await listEvents(
      { ...input, after, filters: [] },
      callerOf(this.merchant.token),
      portsFor(this.#fixture.database),
      refuse,
    );
    if (!('body' in found)) throw new Error('no page');
    this.seen.push(...found.body.data.map(({ id }) => id));
    return found.body.data.length;
  }
}
