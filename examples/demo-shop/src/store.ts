// Orders, deliveries and the ids of events already taken: in memory, and in one JSON file when
// the shop has one. A delivery is answered only after the file has it.

import { mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Order } from './orders.ts';

export type Delivery = {
  readonly receivedAt: string;
  readonly isVerified: boolean;
  readonly isDuplicate: boolean;
  /** Why it was refused; null when it was verified. */
  readonly refusal: string | null;
  readonly eventId: string | null;
  readonly type: string | null;
  readonly paymentId: string | null;
  /** What the shop did with it. */
  readonly effect: string;
  /** The body as received. */
  readonly raw: string;
};

type Content = { version: 1; orders: Order[]; deliveries: Delivery[]; eventIds: string[] };

// Refused deliveries have a budget of their own: a flood of them pushes no real one out.
const keptVerified = 200;
const keptRefused = 50;
const keptEventIds = 10_000;
const keptOrders = 500;

export class Store {
  readonly #file: string | undefined;
  #orders = new Map<string, Order>();
  #deliveries: Delivery[] = [];
  #eventIds = new Set<string>();
  #writing: Promise<void> = Promise.resolve();

  /** Reads the file, if there is one; throws an Error that names a file that cannot be used. */
  constructor(file: string | undefined) {
    this.#file = file;
    if (file === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    const content = readContent(file);
    if (!content) return;
    this.#orders = new Map(content.orders.map((order) => [order.id, order]));
    this.#deliveries = content.deliveries;
    this.#eventIds = new Set(content.eventIds);
  }

  findOrder(id: string): Order | undefined {
    return this.#orders.get(id);
  }

  /** Newest first. */
  listOrders(): Order[] {
    return [...this.#orders.values()].reverse();
  }

  findOrderOf(sessionId: string | null, paymentId: string | null): Order | undefined {
    const isMeant = (order: Order) =>
      (sessionId !== null && order.sessionId === sessionId) ||
      (paymentId !== null && order.paymentId === paymentId);
    return this.listOrders().find(isMeant);
  }

  addOrder(order: Order): void {
    this.#orders.set(order.id, order);
    for (const id of this.#orders.keys()) {
      if (this.#orders.size <= keptOrders) break;
      this.#orders.delete(id);
    }
  }

  /** Newest first. */
  listDeliveries(): Delivery[] {
    return [...this.#deliveries].reverse();
  }

  addDelivery(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    const kept = delivery.isVerified ? keptVerified : keptRefused;
    const alike = this.#deliveries.filter(({ isVerified }) => isVerified === delivery.isVerified);
    const oldest = alike[0];
    if (alike.length > kept && oldest) {
      this.#deliveries.splice(this.#deliveries.indexOf(oldest), 1);
    }
  }

  /** Remembers the event; false when it was taken before. */
  takeEvent(id: string): boolean {
    if (this.#eventIds.has(id)) return false;
    this.#eventIds.add(id);
    for (const old of this.#eventIds) {
      if (this.#eventIds.size <= keptEventIds) break;
      this.#eventIds.delete(old);
    }
    return true;
  }

  /** Resolves when everything up to now is in the file. One write at a time, each complete. */
  save(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return Promise.resolve();
    const write = async () => {
      const content: Content = {
        version: 1,
        orders: [...this.#orders.values()],
        deliveries: this.#deliveries,
        eventIds: [...this.#eventIds],
      };
      // The nonces in it open sessions: readable by the owner alone.
      await writeFile(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
      await rename(`${file}.new`, file);
    };
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

function readContent(file: string): Content | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`The demo shop cannot read ${file}: ${(error as Error).message}`);
  }
  try {
    const content = JSON.parse(text) as Content;
    const lists = [content.orders, content.deliveries, content.eventIds];
    if (content.version === 1 && lists.every(Array.isArray)) return content;
  } catch {
    // Said below, as for a file of another kind.
  }
  throw new Error(
    `${file} is no file of the demo shop. Move it away, or set DATA to another path.`,
  );
}
