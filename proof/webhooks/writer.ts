// Writes events as the operations do, in transactions of which some commit late and some not at
// all, and records the exact bytes of each event.

import { setTimeout as pause } from 'node:timers/promises';
import { eventExamples } from '@svc/contract/events/event-examples';
import { composeEvent } from '../../service/src/engine/steps/events/compose-event.ts';
import { readClock } from '../../service/src/storage/database/clock.ts';
import type { Tx } from '../../service/src/storage/database/database.ts';
import { appendEvent, type NewEvent } from '../../service/src/storage/webhooks/events.ts';
import { newId } from '../../service/test/harness.ts';
import type { Random } from '../kit/random.ts';
import type { Count } from '../kit/run-seeds.ts';
import { type Fixture, type Merchant, rareType, usualType } from './fixture.ts';

type Resource = { readonly id: string; sequence: number };

type Shop = {
  readonly merchant: Merchant;
  /** Resources about which nobody writes now: a change locks its resource. */
  readonly idle: Resource[];
  latest: number;
};

/**
 * Events that were committed, that were rolled back, and whose outcome is unknown because the
 * database crashed during the commit.
 */
export type WrittenEvents = {
  readonly committed: Map<string, NewEvent>;
  readonly undone: Set<string>;
  readonly doubtful: Map<string, NewEvent>;
};

class RolledBack extends Error {}

const lanes = 8;

export class Writer {
  readonly written: WrittenEvents = {
    committed: new Map(),
    undone: new Set(),
    doubtful: new Map(),
  };
  readonly #fixture: Fixture;
  readonly #random: Random;
  readonly #count: Count;
  readonly #shops: readonly Shop[];

  constructor(
    fixture: Fixture,
    {
      merchants,
      random,
      count,
    }: {
      readonly merchants: readonly Merchant[];
      readonly random: Random;
      readonly count: Count;
    },
  ) {
    this.#fixture = fixture;
    this.#random = random;
    this.#count = count;
    this.#shops = merchants.map((merchant) => ({ merchant, idle: [], latest: 0 }));
  }

  /** Writes about this many events; every transaction has ended when it resolves. */
  async burst(count: number): Promise<void> {
    let left = count;
    const lane = async () => {
      while (left > 0) {
        const size = Math.min(left, this.#random.pick([1, 1, 1, 2, 3]));
        left -= size;
        await this.#write(size);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #write(size: number): Promise<void> {
    const random = this.#random;
    const shop = random.pick(this.#shops);
    const resources = Array.from({ length: size }, () => takeResource(shop, random));
    const isUndone = random.chance(0.03);
    const isLate = random.chance(0.06);
    let events: readonly NewEvent[] = [];
    try {
      await this.#fixture.database.transaction(shop.merchant.id, async (tx) => {
        events = await this.#append(tx, shop.merchant.id, resources);
        if (isLate) await pause(random.whole(20, 400));
        if (isUndone) throw new RolledBack();
      });
    } catch (error) {
      if (error instanceof RolledBack) {
        this.#count('rolled back');
        for (const { id } of events) this.written.undone.add(id);
        shop.idle.push(...resources);
        return;
      }
      // The outcome is unknown, so nothing more is written about these resources.
      for (const event of events) this.written.doubtful.set(event.id, event);
      this.#count('a commit without an answer');
      return;
    }
    for (const event of events) this.written.committed.set(event.id, event);
    const at = events[0]?.createdAt.getTime() ?? 0;
    if (at < shop.latest) this.#count('committed late');
    shop.latest = Math.max(shop.latest, at);
    for (const resource of resources) {
      resource.sequence += 1;
      if (!random.chance(0.2)) shop.idle.push(resource);
    }
  }

  async #append(tx: Tx, clientId: string, resources: readonly Resource[]): Promise<NewEvent[]> {
    const events: NewEvent[] = [];
    const { object } = eventExamples[usualType].data;
    for (const { id, sequence } of resources) {
      const event = composeEvent({
        ...{ id: newId(), clientId, isLive: false, request: null, now: await readClock(tx) },
        type: this.#random.chance(0.03) ? rareType : usualType,
        resource: { type: 'dispute', id, version: sequence + 1 },
        sequence: sequence + 1,
        data: {
          object: {
            ...object,
            id,
            reason: 'Zwölf Töpfe ☕ '.repeat(this.#random.whole(1, 60)),
          },
          previousAttributes: {},
        },
      });
      await appendEvent(tx, event);
      events.push(event);
    }
    return events;
  }
}

function takeResource({ idle }: Shop, random: Random): Resource {
  if (idle.length > 3 && random.chance(0.8)) {
    const [taken] = idle.splice(random.whole(0, idle.length - 1), 1);
    if (taken) return taken;
  }
  return { id: newId(), sequence: 0 };
}
