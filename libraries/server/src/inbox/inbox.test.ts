// Reliability 2.5 for the merchant's side: any multiset and order of events ends in one state.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventLog } from '../../test/event-log.ts';
import { aResource, type Fixture, fixtures } from '../../test/inbox-fixtures.ts';
import type { WebhookEvent } from '../events.ts';
import { createInbox, type Inbox, type InboxOptions, inboxSchema } from './inbox.ts';

const types = ['payment.authorized', 'item.purchased', 'refund.created'] as const;

describe.each(fixtures)('an inbox over %s', (_, lay) => {
  let fixture: Fixture;
  let log: EventLog;
  let told: unknown[];
  let poison: Set<string>;
  beforeAll(async () => {
    fixture = await lay();
    await openInbox().migrate();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    log = new EventLog();
    told = [];
    poison = new Set();
  });

  const apply = (event: WebhookEvent, tx: unknown) => {
    const note = (event.data.object as { status: string }).status;
    const written = fixture.write(tx, { event: event.id, resource: event.resource.id, note });
    const throwIfPoisoned = () => {
      if (poison.has(event.id)) throw new Error(`spoilt ${note}`);
    };
    if (fixture.isSync) return throwIfPoisoned();
    return (async () => {
      await written;
      throwIfPoisoned();
    })();
  };
  const optionsOf = (given: Partial<InboxOptions<unknown>>): InboxOptions<unknown> => ({
    database: fixture.open(),
    svc: log,
    from: 'beginning',
    apply: Object.fromEntries(types.map((type) => [type, apply])),
    onError: (error) => told.push(error),
    ...given,
  });
  const openInbox = (given: Partial<InboxOptions<unknown>> = {}): Inbox =>
    createInbox(optionsOf(given));
  /** Returns the notes of one resource in the order in which its handlers ran. */
  const notesOf = async (resource: string) =>
    (await fixture.effects()).filter((one) => one.resource === resource).map(({ note }) => note);

  it('an event is applied once, however often and to however many processes it comes', async () => {
    const inboxes = [openInbox(), openInbox(), openInbox()];
    const event = log.add(aResource());
    await Promise.all([...inboxes, ...inboxes].map((inbox) => inbox.receive(event)));
    await inboxes[0]?.receive(event);
    expect(await notesOf(event.resource.id)).toEqual(['s1']);
  });

  it('a later event waits for the earlier ones, which are fetched: any order ends in order', async () => {
    const [one, other] = [aResource(), aResource()];
    for (let n = 0; n < 7; n++) log.add(n % 3 === 1 ? other : one);
    const inboxes = [openInbox(), openInbox()];
    const shuffled = [...log.events, ...log.events].reverse();
    await Promise.all(shuffled.map((event, n) => inboxes[n % 2]?.receive(event)));
    expect(await notesOf(one)).toEqual(['s1', 's2', 's3', 's4', 's5']);
    expect(await notesOf(other)).toEqual(['s1', 's2']);
    expect(log.asked.every((query) => query.get('after') === null)).toBe(true);
  });

  it('the list need not be in the order of the numbers: all that is missing is read', async () => {
    const resource = aResource();
    const inbox = openInbox();
    for (let n = 0; n < 3; n++) await inbox.receive(log.add(resource));
    const [fourth, fifth, , seventh] = [1, 2, 3, 4].map(() => log.add(resource));
    // Two events of the same instant, which only their ids distinguish; a page ends between them.
    log.events.splice(3, 2, fifth as WebhookEvent, fourth as WebhookEvent);
    await inbox.receive(seventh as WebhookEvent);
    expect(await notesOf(resource)).toEqual(['s1', 's2', 's3', 's4', 's5', 's6', 's7']);
    expect(await inbox.failures()).toEqual([]);
  });

  it('a gap that the service does not fill is no success: nothing is applied before its time', async () => {
    const resource = aResource();
    const [first, second] = [log.add(resource), log.add(resource)];
    log.hidden.add(first.id);
    const inbox = openInbox();
    await expect(inbox.receive(second)).rejects.toMatchObject({ code: 'EventMissing' });
    log.isAway = true;
    await expect(inbox.receive(second)).rejects.toThrow('no answer');
    expect(await notesOf(resource)).toEqual([]);
    log.isAway = false;
    log.hidden.clear();
    await inbox.receive(second);
    expect(await notesOf(resource)).toEqual(['s1', 's2']);
    await inbox.catchUp();
    expect(await inbox.failures()).toEqual([]);
  });

  it('a handler that throws leaves nothing, is told, and its resource alone waits', async () => {
    const [bad, good] = [aResource(), aResource()];
    const spoilt = log.add(bad);
    const later = log.add(bad, 'refund.created');
    log.add(good);
    poison.add(spoilt.id);
    const inbox = openInbox({ name: 'poison' });
    await expect(inbox.receive(spoilt)).rejects.toMatchObject({ code: 'HandlerFailed' });
    expect(await notesOf(bad)).toEqual([]);
    expect(await inbox.catchUp()).toEqual({ applied: 1, failing: 1 });
    expect(await notesOf(good)).toEqual(['s1']);
    await expect(inbox.receive(later)).rejects.toThrow('spoilt s1');
    const failures = await inbox.failures();
    expect(failures).toMatchObject([
      { eventId: spoilt.id, type: spoilt.type, resourceId: bad, sequence: 1 },
    ]);
    expect(failures[0]?.attempts).toBeGreaterThan(2);
    expect(failures[0]?.error).toBe('spoilt s1');
    expect(told.length).toBeGreaterThan(2);
    poison.clear();
    expect((await inbox.catchUp()).failing).toBe(0);
    expect(await notesOf(bad)).toEqual(['s1', 's2']);
  });

  it('what was passed by while one failed is applied with its next event, without a walk', async () => {
    const resource = aResource();
    const spoilt = log.add(resource);
    log.add(resource);
    poison.add(spoilt.id);
    const inbox = openInbox({ name: 'drain' });
    await inbox.catchUp();
    poison.clear();
    await inbox.receive(spoilt);
    expect(await notesOf(resource)).toEqual(['s1', 's2']);
    expect(await inbox.failures()).toEqual([]);
  });

  it('a failing event can be given up, and what waits for it goes on', async () => {
    const resource = aResource();
    const spoilt = log.add(resource);
    log.add(resource);
    poison.add(spoilt.id);
    const inbox = openInbox({ name: 'skip' });
    await inbox.catchUp();
    expect(await inbox.skip(log.add(aResource()).id)).toBe(false);
    expect(await inbox.skip(spoilt.id)).toBe(true);
    expect(await inbox.skip(spoilt.id)).toBe(false);
    expect(await notesOf(resource)).toEqual(['s2']);
    expect(await inbox.failures()).toEqual([]);
    const kept = await fixture.query(
      `select outcome from svc_inbox_events where event_id = '${spoilt.id}'`,
    );
    expect(kept).toEqual([{ outcome: 'skipped' }]);
  });

  it('a gap that stays can be given up: the event behind it is applied, and what follows', async () => {
    const resource = aResource();
    const [first, second] = [log.add(resource), log.add(resource)];
    log.hidden.add(first.id);
    const inbox = openInbox({ name: 'lost' });
    await expect(inbox.receive(second)).rejects.toMatchObject({ code: 'EventMissing' });
    expect(await inbox.skip(second.id)).toBe(true);
    await inbox.receive(log.add(resource));
    expect(await notesOf(resource)).toEqual(['s2', 's3']);
    expect(await inbox.failures()).toEqual([]);
  });

  it('another event under a number that was used is no duplicate: it is refused, and told', async () => {
    const resource = aResource();
    const event = log.add(resource);
    const inbox = openInbox({ name: 'used' });
    await inbox.receive(event);
    const other = { ...event, id: `evt_${'f'.repeat(32)}` } as WebhookEvent;
    await expect(inbox.receive(other)).rejects.toMatchObject({ code: 'NumberUsed' });
    expect(await notesOf(resource)).toEqual(['s1']);
    log.events.push(other);
    expect(await inbox.catchUp()).toEqual({ applied: 0, failing: 0 });
    expect(told).toMatchObject([{ code: 'NumberUsed' }]);
    await inbox.receive(event);
  });

  it('catching up applies all without any delivery, goes on from its cursor, and repeats nothing', async () => {
    const resources = [aResource(), aResource()];
    for (let n = 0; n < 8; n++) log.add(resources[n % 2] ?? '');
    const [inbox, other] = [openInbox({ name: 'walk' }), openInbox({ name: 'walk' })];
    await Promise.all([inbox.catchUp(), other.catchUp()]);
    log.asked.length = 0;
    const next = log.add(resources[0] ?? '');
    expect(await inbox.catchUp()).toEqual({ applied: 1, failing: 0 });
    expect(log.asked.map((query) => query.get('after'))).toEqual([log.events.at(-2)?.id]);
    expect(await notesOf(next.resource.id)).toEqual(['s1', 's2', 's3', 's4', 's5']);
    expect(await notesOf(resources[1] ?? '')).toEqual(['s1', 's2', 's3', 's4']);
  });

  it('rewound, it goes through all of a service that has lost its newest events, and repeats nothing', async () => {
    const [kept, lost] = [aResource(), aResource()];
    log.add(kept);
    log.add(lost);
    const inbox = openInbox({ name: 'restored' });
    await inbox.catchUp();
    // An older backup does not contain the event that was read last.
    log.events.pop();
    const fresh = log.add(kept);
    await expect(inbox.catchUp()).rejects.toThrow('event_not_found');
    await inbox.rewind();
    expect(await inbox.catchUp()).toEqual({ applied: 1, failing: 0 });
    expect(await notesOf(fresh.resource.id)).toEqual(['s1', 's2']);
  });

  it('catching up ends where the service is away, and resumes', async () => {
    const event = log.add(aResource());
    const inbox = openInbox({ name: 'away' });
    log.isAway = true;
    await expect(inbox.catchUp()).rejects.toThrow('no answer');
    log.isAway = false;
    expect((await inbox.catchUp()).applied).toBe(1);
    expect(await notesOf(event.resource.id)).toEqual(['s1']);
  });

  it('catches up by itself, at once and every so often, until it is stopped', async () => {
    const event = log.add(aResource());
    const inbox = openInbox({ name: 'timer' });
    log.isAway = true;
    const walks = inbox.start({ everyMs: 5 });
    await waitUntil(() => told.length > 1);
    log.isAway = false;
    await waitUntil(async () => (await notesOf(event.resource.id)).length === 1);
    await walks.stop();
    const asked = log.asked.length;
    // A second inbox with the same interval has polled several times meanwhile.
    const beside = new EventLog();
    const others = openInbox({ name: 'beside', svc: beside }).start({ everyMs: 5 });
    await waitUntil(() => beside.asked.length > 5);
    await others.stop();
    expect(log.asked.length).toBe(asked);
  });

  it('notes no failure of an event that another process has applied meanwhile', async () => {
    const event = log.add(aResource());
    const other = openInbox({ name: 'pair' });
    const own = fixture.open();
    let steps = 0;
    const database: typeof own = {
      schema: own.schema,
      async transact(work) {
        // The first step reads the start, the second claims the event, the third records it.
        if (++steps === 3) {
          poison.delete(event.id);
          await other.receive(event as never);
        }
        return own.transact(work);
      },
    };
    poison.add(event.id);
    await expect(openInbox({ name: 'pair', database }).receive(event as never)).rejects.toThrow();
    expect([steps, await other.failures()]).toEqual([3, []]);
  });

  it('prints what no caller is thrown where nobody listens, and outlives an onError that throws', async () => {
    const printed: unknown[][] = [];
    const spy = vi.spyOn(console, 'error').mockImplementation((...line) => void printed.push(line));
    try {
      const { id } = log.add(aResource());
      poison.add(id);
      const { onError: _, ...quiet } = optionsOf({ name: 'quiet' });
      const inbox = createInbox(quiet);
      expect(await inbox.catchUp()).toEqual({ applied: 0, failing: 1 });
      expect(printed).toEqual([
        ['svc inbox failed:', expect.objectContaining({ code: 'HandlerFailed' })],
      ]);
      log.isAway = true;
      const walks = inbox.start({ everyMs: 5 });
      await waitUntil(() => printed.length > 1);
      await walks.stop();
      const broken = new Error('onError broke');
      const onError = () => {
        throw broken;
      };
      const again = openInbox({ name: 'broken', onError }).start({ everyMs: 5 });
      await waitUntil(() => printed.filter((line) => line[1] === broken).length > 1);
      await again.stop();
    } finally {
      spy.mockRestore();
    }
  });

  it('an event without a handler is recorded, and so is one from before the start', async () => {
    const resource = aResource();
    const from = new Date('2026-01-02T00:00:00.000Z');
    const old = log.add(resource, 'item.purchased', { at: '2026-01-01T00:00:00.000Z' });
    const fresh = log.add(resource, 'payment.new_in_2030', { at: '2026-01-03T00:00:00.000Z' });
    const next = log.add(resource, 'toString', { at: '2026-01-04T00:00:00.000Z' });
    const inbox = openInbox({ from, name: 'from' });
    expect(await inbox.catchUp()).toEqual({ applied: 2, failing: 0 });
    expect(await notesOf(resource)).toEqual([]);
    const kept = await fixture.query(
      "select event_id, outcome from svc_inbox_events where inbox = 'from' order by sequence",
    );
    expect(kept).toEqual([
      { event_id: old.id, outcome: 'before_start' },
      { event_id: fresh.id, outcome: 'unhandled' },
      { event_id: next.id, outcome: 'unhandled' },
    ]);
  });

  it('the tables are made by several processes at once, and again', async () => {
    const inboxes = [openInbox(), openInbox(), openInbox()];
    await Promise.all(inboxes.map((inbox) => inbox.migrate()));
    await fixture.query('select 1 from svc_inbox_cursors');
  });

  it('an event of the card provider is refused, not taken for one of ours', async () => {
    const inbox = openInbox();
    const event = { id: 'evt_1', type: 'charge.succeeded', data: { object: {} }, created: 1 };
    await expect(inbox.receive(event as unknown as WebhookEvent)).rejects.toMatchObject({
      code: 'NotAnEvent',
    });
  });

  it('a commit whose answer is lost is answered as a failure, and repeated without effect', async () => {
    const event = log.add(aResource());
    const database = fixture.open();
    const losing: typeof database = {
      ...database,
      async transact(steps) {
        await database.transact(steps);
        throw new Error('connection lost');
      },
    };
    await expect(openInbox({ database: losing }).receive(event)).rejects.toThrow();
    await openInbox().receive(event);
    expect(await notesOf(event.resource.id)).toEqual(['s1']);
  });
});

describe('an inbox over PostgreSQL', () => {
  it.each(fixtures.slice(0, 2))(
    'a handler that swallows a database error does not lose its effect in silence: %s',
    async (_, lay) => {
      const fixture = await lay();
      const log = new EventLog();
      const write = fixture.write;
      const inbox = createInbox<unknown>({
        database: fixture.open(),
        svc: log,
        from: 'beginning',
        apply: {
          'payment.authorized': async (event, tx) => {
            await write(tx, { event: event.id, resource: event.resource.id, note: 'kept' });
            // A value that does not fit the column's type aborts the transaction.
            await Promise.resolve(write(tx, { event: '\0', resource: '', note: '' })).catch(
              () => undefined,
            );
          },
        },
      });
      await inbox.migrate();
      const event = log.add(aResource());
      await expect(inbox.receive(event)).rejects.toMatchObject({ code: 'HandlerFailed' });
      expect(await fixture.effects()).toEqual([]);
      await fixture.close();
    },
  );
});

describe('an inbox over SQLite', () => {
  it('refuses a handler that waits, and leaves nothing of it', async () => {
    const [, lay] = fixtures[2] ?? [];
    const fixture = await lay?.();
    if (!fixture) throw new Error('there is one');
    const log = new EventLog();
    const inbox = createInbox<unknown>({
      database: fixture.open(),
      svc: log,
      from: 'beginning',
      apply: {
        'payment.authorized': async (event, tx) => {
          fixture.write(tx, { event: event.id, resource: '', note: '' });
        },
      },
    });
    await inbox.migrate();
    await expect(inbox.receive(log.add(aResource()))).rejects.toMatchObject({
      code: 'HandlerIsAsync',
    });
    expect(await fixture.effects()).toEqual([]);
    await fixture.close();
  });
});

describe('inboxSchema', () => {
  it.each(['postgres', 'sqlite'] as const)('is SQL of all tables: %s', (kind) => {
    expect(inboxSchema(kind).match(/create table if not exists svc_inbox_\w+/g)).toHaveLength(4);
  });
});

async function waitUntil(isThere: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isThere, { interval: 5 }).toBe(true);
}
