// Where an inbox begins, and handlers that are added later.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventLog } from '../../test/event-log.ts';
import { aResource, type Fixture, fixtures } from '../../test/inbox-fixtures.ts';
import { SvcError, SvcValidationError } from '../errors.ts';
import type { WebhookEvent } from '../events.ts';
import { createInbox, type InboxOptions } from './inbox.ts';

const timeAt = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
const start = timeAt(12);

describe.each(fixtures)('the start of an inbox over %s', (_, lay) => {
  let fixture: Fixture;
  let log: EventLog;
  beforeEach(async () => {
    fixture = await lay();
    log = new EventLog();
  });
  afterEach(() => fixture.close());

  const write = (event: WebhookEvent, tx: unknown) => {
    const written = fixture.write(tx, {
      event: event.id,
      resource: event.resource.id,
      note: event.type,
    });
    return fixture.isSync ? undefined : written;
  };
  const openInbox = (given: Partial<InboxOptions<unknown>>) =>
    createInbox<unknown>({
      database: fixture.open(),
      svc: log,
      apply: { 'payment.authorized': write },
      onError: () => undefined,
      ...given,
    });
  const add = (hour: number, type = 'payment.authorized', resource = aResource()) =>
    log.add(resource, type, { at: timeAt(hour).toISOString() });
  const listApplied = async () => (await fixture.effects()).map(({ event }) => event);

  it('a new inbox that is not told where to begin applies nothing and says so', async () => {
    const event = add(13);
    const inbox = openInbox({});
    const refused = { name: 'SvcInboxError', code: 'StartMissing', type: 'api_error' };
    await expect(inbox.migrate()).rejects.toMatchObject(refused);
    await expect(inbox.receive(event)).rejects.toMatchObject(refused);
    await expect(inbox.catchUp()).rejects.toBeInstanceOf(SvcError);
    expect(await listApplied()).toEqual([]);
  });

  it('the payment that a start makes as proof is recorded and never applied, by no walk and no reapply', async () => {
    const inbox = openInbox({ from: 'beginning' });
    await inbox.migrate();
    Object.assign(add(13).data, { isStartProof: true });
    const order = add(13);
    await inbox.catchUp();
    const { applied: again } = await inbox.reapply({ types: ['payment.authorized'], since: start });
    expect([await listApplied(), again]).toEqual([[order.id], 0]);
  });

  it('from a date: older events are recorded and not applied', async () => {
    const resource = aResource();
    add(11, 'payment.authorized', resource);
    const inbox = openInbox({ from: start });
    await inbox.migrate();
    const later = add(13, 'payment.authorized', resource);
    expect(await inbox.catchUp()).toEqual({ applied: 1, failing: 0 });
    expect(await listApplied()).toEqual([later.id]);
  });

  it('the first start stands: a later run with another one, or with none, begins where it began', async () => {
    await openInbox({ from: start.toISOString() }).migrate();
    const [old, inBetween] = [add(11), add(13)];
    const other = openInbox({ from: timeAt(14) });
    await other.migrate();
    await other.catchUp();
    const untold = openInbox({});
    await untold.migrate();
    await untold.receive(old);
    expect(await listApplied()).toEqual([inBetween.id]);
  });

  it('an inbox with rows and no start, of an earlier version, goes on', async () => {
    const first = openInbox({ from: 'beginning' });
    await first.migrate();
    await first.receive(add(1));
    await fixture.query('delete from svc_inbox_starts');
    const next = openInbox({});
    await next.migrate();
    const event = add(2);
    await next.receive(event);
    expect(await listApplied()).toContain(event.id);
  });

  it('reapply runs a handler that was added later, once for each event, also several at once', async () => {
    const missed = [
      add(13, 'refund.created'),
      add(14, 'refund.created'),
      add(15, 'refund.created'),
    ];
    const before = openInbox({ from: 'beginning' });
    await before.migrate();
    await before.catchUp();
    const handlers = { 'payment.authorized': write, 'refund.created': write };
    const reopenInbox = () => openInbox({ apply: handlers });
    const given = { types: ['refund.created'], since: timeAt(14) };
    const counts = await Promise.all([reopenInbox().reapply(given), reopenInbox().reapply(given)]);
    expect(counts.reduce((sum, one) => sum + one.applied, 0)).toBe(2);
    expect((await listApplied()).sort()).toEqual(
      missed
        .slice(1)
        .map(({ id }) => id)
        .sort(),
    );
    expect(await reopenInbox().reapply(given)).toEqual({ applied: 0 });
  });

  it('reapply reaches behind the start, and goes on after a handler that failed', async () => {
    const [one, two] = [add(9), add(10)];
    const inbox = openInbox({ from: start });
    await inbox.migrate();
    let fails = true;
    const spoilt = openInbox({
      apply: {
        'payment.authorized': (event, tx) => {
          if (fails && event.id === two.id) throw new Error('spoilt');
          return write(event, tx);
        },
      },
    });
    const given = { types: ['payment.authorized'], since: timeAt(0) };
    await expect(spoilt.reapply(given)).rejects.toMatchObject({ code: 'HandlerFailed' });
    expect(await listApplied()).toEqual([one.id]);
    fails = false;
    expect(await spoilt.reapply(given)).toEqual({ applied: 1 });
    expect((await listApplied()).sort()).toEqual([one.id, two.id].sort());
  });

  it('refuses a start and a type that cannot be meant', async () => {
    expect(() => openInbox({ from: 'yesterday' })).toThrow(SvcValidationError);
    const inbox = openInbox({ from: 'beginning' });
    await inbox.migrate();
    const since = start;
    for (const types of [[], ['item.purchased'], ['constructor']]) {
      await expect(inbox.reapply({ types, since })).rejects.toMatchObject({ param: 'types' });
    }
    const wrong = inbox.reapply({ types: ['payment.authorized'], since: 'soon' });
    await expect(wrong).rejects.toMatchObject({ param: 'since' });
  });
});
