// Giving up a failing event: repeated, interrupted, and while the event is applied after all.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventLog } from '../../test/event-log.ts';
import { aResource, type Fixture, fixtures } from '../../test/inbox-fixtures.ts';
import type { WebhookEvent } from '../events.ts';
import { createInbox, type Inbox, type InboxDatabase } from './inbox.ts';

const type = 'payment.authorized';

describe.each(fixtures)('giving up over %s', (_, lay) => {
  let fixture: Fixture;
  let log: EventLog;
  let poison: Set<string>;
  beforeAll(async () => {
    fixture = await lay();
    await openInbox('default').migrate();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    log = new EventLog();
    poison = new Set();
  });

  const apply = (event: WebhookEvent, tx: unknown) => {
    const { status: note } = event.data.object as { status: string };
    const written = fixture.write(tx, { event: event.id, resource: event.resource.id, note });
    const throwIfPoisoned = () => {
      if (poison.has(event.id)) throw new Error(`spoilt ${note}`);
    };
    return fixture.isSync ? throwIfPoisoned() : Promise.resolve(written).then(throwIfPoisoned);
  };
  const openInbox = (name: string, database: InboxDatabase<unknown> = fixture.open()): Inbox =>
    createInbox({
      name,
      from: 'beginning',
      database,
      svc: log,
      apply: { [type]: apply },
      onError: () => undefined,
    });
  const notesOf = async (resource: string) =>
    (await fixture.effects()).filter((one) => one.resource === resource).map(({ note }) => note);
  /** Creates a gap: a resource whose first event cannot be had, and the event behind it. */
  const aGap = async (inbox: Inbox) => {
    const resource = aResource();
    const [lost, behind] = [log.add(resource), log.add(resource)];
    log.hidden.add(lost.id);
    await expect(inbox.receive(behind)).rejects.toMatchObject({ code: 'EventMissing' });
    return { resource, lost, behind };
  };

  it('an event that is unknown, applied, given up or foreign is no failure: false, and nothing changes', async () => {
    const inbox = openInbox('none');
    const resource = aResource();
    const [spoilt, later] = [log.add(resource), log.add(resource)];
    poison.add(spoilt.id);
    await inbox.catchUp();
    for (const id of ['evt_x', '', later.id, `evt_${'0'.repeat(32)}`]) {
      expect(await inbox.skip(id), id).toBe(false);
    }
    expect(await notesOf(resource)).toEqual([]);
    expect(await inbox.failures()).toHaveLength(1);
    expect(await inbox.skip(spoilt.id)).toBe(true);
    for (const { id } of [spoilt, later]) expect(await inbox.skip(id)).toBe(false);
    expect(await notesOf(resource)).toEqual(['s2']);
  });

  it('by many at once it is given up once, and what waits is applied once, in order', async () => {
    const resource = aResource();
    const [spoilt] = [log.add(resource), log.add(resource), log.add(resource)];
    poison.add(spoilt.id);
    const inboxes = [openInbox('many'), openInbox('many'), openInbox('many')];
    await inboxes[0]?.catchUp();
    const said = await Promise.all([...inboxes, ...inboxes].map((one) => one.skip(spoilt.id)));
    expect(said).toContain(true);
    expect(await notesOf(resource)).toEqual(['s2', 's3']);
    expect(await inboxes[0]?.failures()).toEqual([]);
  });

  it('an event that is applied at that moment is either applied or given up, as the answer says', async () => {
    const [one, other] = [openInbox('race'), openInbox('race')];
    for (let round = 0; round < 10; round++) {
      const resource = aResource();
      const [spoilt] = [log.add(resource), log.add(resource)];
      poison.add(spoilt.id);
      await other.catchUp();
      poison.clear();
      const [isGivenUp] = await Promise.all([one.skip(spoilt.id), other.receive(spoilt)]);
      expect(await notesOf(resource)).toEqual(isGivenUp ? ['s2'] : ['s1', 's2']);
    }
    expect(await other.failures()).toEqual([]);
  });

  it('a gap that is given up twice, as after a lost answer, still has the event behind it applied', async () => {
    const inbox = openInbox('gap');
    const { resource, behind } = await aGap(inbox);
    log.isAway = true;
    await expect(inbox.skip(behind.id)).rejects.toThrow('no answer');
    await expect(inbox.skip(behind.id)).rejects.toThrow('no answer');
    log.isAway = false;
    expect(await inbox.skip(behind.id)).toBe(true);
    expect(await notesOf(resource)).toEqual(['s2']);
    expect(await inbox.skip(behind.id)).toBe(false);
    expect(await inbox.failures()).toEqual([]);
  });

  it('a gap given up by many at once is one, and the event behind it is applied once', async () => {
    const inboxes = [openInbox('gaps'), openInbox('gaps'), openInbox('gaps')];
    for (let round = 0; round < 10; round++) {
      const { resource, behind } = await aGap(inboxes[0] as Inbox);
      await Promise.all([...inboxes, ...inboxes].map((one) => one.skip(behind.id)));
      expect(await notesOf(resource)).toEqual(['s2']);
    }
    expect(await inboxes[0]?.failures()).toEqual([]);
  });

  it('an event whose missing one came after all is not given up untried', async () => {
    const inbox = openInbox('came');
    const { resource, lost, behind } = await aGap(inbox);
    log.isAway = true;
    await inbox.receive(lost);
    await expect(inbox.skip(behind.id)).rejects.toThrow('no answer');
    log.isAway = false;
    expect(await inbox.skip(behind.id)).toBe(true);
    expect(await notesOf(resource)).toEqual(['s1', 's2']);
  });

  it('what fails next is a failure of its own, not one of giving up', async () => {
    const inbox = openInbox('next');
    const resource = aResource();
    const [first, second] = [log.add(resource), log.add(resource), log.add(resource)];
    for (const { id } of [first, second]) poison.add(id);
    await inbox.catchUp();
    expect(await inbox.skip(first.id)).toBe(true);
    expect(await inbox.failures()).toMatchObject([{ eventId: second.id, attempts: 1 }]);
    expect(await inbox.skip(first.id)).toBe(false);
    expect(await inbox.skip(second.id)).toBe(true);
    expect(await notesOf(resource)).toEqual(['s3']);
  });

  it('where the service is away the event is given up all the same, and a repeat goes on', async () => {
    const inbox = openInbox('away');
    const resource = aResource();
    const [spoilt] = [log.add(resource), log.add(resource)];
    poison.add(spoilt.id);
    await inbox.catchUp();
    log.isAway = true;
    await expect(inbox.skip(spoilt.id)).rejects.toThrow('no answer');
    log.isAway = false;
    poison.clear();
    expect(await inbox.skip(spoilt.id)).toBe(true);
    expect(await notesOf(resource)).toEqual(['s2']);
    expect(await inbox.failures()).toEqual([]);
  });
});
