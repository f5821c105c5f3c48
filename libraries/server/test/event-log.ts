// The service's list of events, as an inbox reads it: in the order of creation, by resource or after
// an event.

import { randomUUID } from 'node:crypto';
import type { WebhookEvent } from '../src/events.ts';

type EventPage = { data: WebhookEvent[]; nextCursor: string | null; total: number };

export class EventLog {
  readonly events: WebhookEvent[] = [];
  /** The query of each request received, in order. */
  readonly asked: URLSearchParams[] = [];
  /** The number of events that were counted for the responses. */
  counted = 0;
  isAway = false;
  pageSize: number;
  /** Events that the list does not show yet. */
  readonly hidden = new Set<string>();

  constructor(pageSize = 3) {
    this.pageSize = pageSize;
  }

  /** Adds the next event of a resource. */
  add(resource: string, type = 'payment.authorized', given: { at?: string } = {}): WebhookEvent {
    const sequence = this.events.filter((one) => one.resource.id === resource).length + 1;
    const event = {
      id: `evt_${randomUUID().replaceAll('-', '')}`,
      object: 'event',
      type,
      timestamp: given.at ?? new Date(1_700_000_000_000 + this.events.length).toISOString(),
      sequence,
      resource: { type: 'payment', id: resource, version: sequence },
      data: { object: { id: resource, status: `s${sequence}` } },
    } as unknown as WebhookEvent;
    this.events.push(event);
    return event;
  }

  /** Adds the first event of a new resource, at an instant. */
  addAt(at: number): void {
    const id = `evt_${(this.events.length + 1).toString(16).padStart(32, '0')}`;
    this.events.push({
      ...{ id, object: 'event', type: 'payment.authorized', sequence: 1 },
      timestamp: new Date(at).toISOString(),
      resource: { type: 'payment', id, version: 1 },
      data: { object: { id } },
    } as unknown as WebhookEvent);
  }

  async request(_method: 'GET', path: string): Promise<EventPage> {
    if (this.isAway) throw new Error('no answer');
    const query = new URL(path, 'http://svc').searchParams;
    this.asked.push(query);
    const resource = query.get('resourceId[eq]');
    const types = query.get('type[in]')?.split(',');
    const since = query.get('createdAt[gte]') ?? '';
    const before = query.get('createdAt[lt]') ?? '~';
    const after = query.get('after');
    const isBeginning = after === null || /^evt_0{32}$/.test(after);
    const place = isBeginning ? -1 : this.events.findIndex(({ id }) => id === after);
    if (place < 0 && !isBeginning) throw new Error('event_not_found');
    const found = this.events
      .slice(place + 1)
      .filter(
        (one) =>
          !this.hidden.has(one.id) &&
          one.timestamp >= since &&
          one.timestamp < before &&
          (types === undefined || types.includes(one.type)) &&
          (resource === null || one.resource.id === resource),
      );
    if (query.get('sortDirection') === 'DESC') found.reverse();
    const from = Number(query.get('cursor') ?? 0);
    const until = from + this.pageSize;
    const nextCursor = until < found.length ? String(until) : null;
    this.counted += found.length;
    return { data: found.slice(from, until), nextCursor, total: found.length };
  }
}
