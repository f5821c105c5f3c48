// A first read of a long history: the number of events that its responses count is bounded, and no
// event is skipped.

import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { EventLog } from '../../test/event-log.ts';
import type { WebhookEvent } from '../events.ts';
import { createInbox, sqlite } from './inbox.ts';

const second = 1000;
const day = 86_400 * second;
const begin = Date.parse('2026-01-01T00:00:00.000Z');
const inPage = 100;

/** Busy hours and quiet nights, and a burst within one instant. */
const ats = Array.from({ length: 25_000 }, (_, n) => {
  const isBurst = n >= 12_000 && n < 14_500;
  return begin + Math.floor(n / 5000) * day + (isBurst ? 2000 : n % 5000) * second;
}).sort((one, other) => one - other);

it('applies all in order, counts a part of what follows each time, and ends where nothing does', async () => {
  const log = new EventLog(inPage);
  for (const at of ats) log.addAt(at);
  const applied: string[] = [];
  const database = new DatabaseSync(':memory:');
  const inbox = createInbox({
    database: sqlite(database),
    svc: log,
    from: 'beginning',
    apply: { 'payment.authorized': (event: WebhookEvent) => void applied.push(event.id) },
  });
  await inbox.migrate();
  expect(await inbox.catchUp()).toEqual({ applied: ats.length, failing: 0 });
  database.close();
  expect(applied).toEqual(log.events.map(({ id }) => id));
  const pages = ats.length / inPage;
  expect(log.asked.length).toBeLessThan(pages + 20);
  expect(log.counted).toBeLessThan((pages * ats.length) / 4);
  // The last request asks for everything that follows.
  expect(log.asked.at(-1)?.has('createdAt[lt]')).toBe(false);
});
