// What can end under an inbox: its transaction, its connection, its reading of the list.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventLog } from '../../test/event-log.ts';
import { aResource, type Fixture, fixtures } from '../../test/inbox-fixtures.ts';
import { createInbox } from './inbox.ts';

type Run = (text: string) => unknown;

/** Runs a statement in the handler's transaction, with whichever driver it uses. */
const runIn = (tx: unknown): Run => {
  const { unsafe, query, exec } = tx as Record<string, Run | undefined>;
  return (text) => (unsafe ?? query ?? exec)?.call(tx, text);
};

/** Waits until the server has ended the connection and this process has had a turn to notice it. */
async function waitUntilGone(fixture: Fixture, pid: number | undefined): Promise<void> {
  const text = `select 1 from pg_stat_activity where pid = ${pid}`;
  await expect.poll(() => fixture.query(text), { interval: 5 }).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
}

describe.each(fixtures)('a transaction over %s', (_, lay) => {
  let fixture: Fixture;
  const log = new EventLog();
  beforeAll(async () => {
    fixture = await lay();
  });
  afterAll(() => fixture.close());

  it.each([
    ['rollback', []],
    ['commit', ['commit']],
  ])(
    'a handler that ends it with %s is told so, and its event is applied with its effect or not at all',
    async (end, effects) => {
      const inbox = createInbox<unknown>({
        database: fixture.open(),
        svc: log,
        from: 'beginning',
        name: end,
        apply: {
          'payment.authorized': (event, tx) => {
            const { id, resource } = event;
            const written = fixture.write(tx, { event: id, resource: resource.id, note: end });
            if (fixture.isSync) return void runIn(tx)(end);
            return Promise.resolve(written).then(() => runIn(tx)(end));
          },
        },
      });
      await inbox.migrate();
      const event = log.add(aResource());
      const refused = { code: 'HandlerEndedTransaction' };
      await expect(inbox.receive(event)).rejects.toMatchObject(refused);
      const again = inbox.receive(event);
      if (end === 'commit') await again;
      else await expect(again).rejects.toMatchObject(refused);
      expect((await fixture.effects()).map(({ note }) => note)).toEqual(effects);
      expect(await inbox.failures()).toHaveLength(1 - effects.length);
    },
  );

  it('one that commits and then throws is told so too: its event is applied, and not tried again', async () => {
    const fail = () => {
      throw new Error('after it');
    };
    const inbox = createInbox<unknown>({
      database: fixture.open(),
      svc: log,
      from: 'beginning',
      name: 'throws',
      apply: {
        'payment.authorized': (_event, tx) => {
          const ended = runIn(tx)('commit');
          return fixture.isSync ? fail() : Promise.resolve(ended).then(fail);
        },
      },
    });
    await inbox.migrate();
    const event = log.add(aResource());
    await expect(inbox.receive(event)).rejects.toMatchObject({
      ...{ code: 'HandlerEndedTransaction', message: expect.stringContaining('after it') },
    });
    await inbox.receive(event);
    expect(await inbox.failures()).toEqual([]);
  });
});

it('a walk that is stopped ends after the event in hand, and the next one goes on there', async () => {
  const fixture = await fixtures[2]?.[1]();
  if (!fixture) throw new Error('there is one');
  const log = new EventLog();
  for (let n = 0; n < 3; n++) log.add(aResource());
  const seen: string[] = [];
  const inbox = createInbox<unknown>({
    database: fixture.open(),
    svc: log,
    from: 'beginning',
    apply: {
      'payment.authorized': ({ id }) => {
        seen.push(id);
        if (seen.length === 1) void walks.stop();
      },
    },
  });
  await inbox.migrate();
  const walks = inbox.start();
  await expect.poll(() => seen, { interval: 5 }).not.toEqual([]);
  await walks.stop();
  expect(seen).toHaveLength(1);
  expect(await inbox.catchUp()).toEqual({ applied: 2, failing: 0 });
  expect(seen).toEqual(log.events.map(({ id }) => id));
  await fixture.close();
});

it('an event whose transaction found no connection was not tried: it cannot be given up, and is read again', async () => {
  const fixture = await fixtures[2]?.[1]();
  if (!fixture) throw new Error('there is one');
  const own = fixture.open();
  const log = new EventLog();
  let isFull = false;
  const database: typeof own = {
    schema: own.schema,
    transact(steps) {
      if (!isFull) return own.transact(steps);
      isFull = false;
      return Promise.reject(new Error('timeout exceeded when trying to connect'));
    },
  };
  const inbox = createInbox<unknown>({
    database,
    svc: {
      // The next request for a connection belongs to the event.
      request: (method, path) => log.request(method, path).finally(() => (isFull = true)),
    },
    from: 'beginning',
    apply: { 'payment.authorized': () => undefined },
  });
  await inbox.migrate();
  const event = log.add(aResource());
  await expect(inbox.catchUp()).rejects.toThrow(/^timeout exceeded/);
  expect(await inbox.failures()).toEqual([]);
  expect(await inbox.skip(event.id)).toBe(false);
  await inbox.receive(event);
  await fixture.close();
});

describe.each(fixtures.slice(0, 2))('a connection of %s', (name, lay) => {
  it('that breaks under a handler fails the event, and ends no process', async () => {
    const fixture = await lay();
    const log = new EventLog();
    const inbox = createInbox<unknown>({
      database: fixture.open(),
      svc: log,
      from: 'beginning',
      apply: {
        'payment.authorized': async (_event, tx) => {
          const run = runIn(tx);
          const own = await run('select pg_backend_pid() as pid');
          const [row] = (own as { rows?: { pid: number }[] }).rows ?? (own as { pid: number }[]);
          await fixture.query(`select pg_terminate_backend(${row?.pid})`);
          // The connection ends while nobody waits for the database.
          await waitUntilGone(fixture, row?.pid);
        },
      },
    });
    await inbox.migrate();
    const event = log.add(aResource());
    await expect(inbox.receive(event)).rejects.toMatchObject({ code: 'HandlerFailed' });
    await fixture.close();
  });

  it('that breaks under a handler ends its transaction: what the handler still writes goes nowhere', async () => {
    const fixture = await lay();
    const log = new EventLog();
    const late: unknown[] = [];
    let calls = 0;
    const inbox = createInbox<unknown>({
      database: fixture.open(),
      svc: log,
      from: 'beginning',
      apply: {
        'payment.authorized': async ({ id, resource }, tx) => {
          calls += 1;
          const effect = { event: id, resource: resource.id, note: String(calls) };
          if (calls > 1) return void (await fixture.write(tx, effect));
          const own = await runIn(tx)('select pg_backend_pid() as pid');
          const [row] = (own as { rows?: { pid: number }[] }).rows ?? (own as { pid: number }[]);
          await fixture.query(`select pg_terminate_backend(${row?.pid})`);
          await waitUntilGone(fixture, row?.pid);
          if (name === 'postgres.js') await expect.poll(() => calls).toBe(2);
          try {
            await fixture.write(tx, effect);
          } catch (error) {
            late.push(error);
          }
        },
      },
    });
    await inbox.migrate();
    const event = log.add(aResource());
    const refused = expect(inbox.receive(event)).rejects.toMatchObject({ code: 'HandlerFailed' });
    // With postgres.js the first delivery is refused before its handler has ended; the event may then be delivered again.
    if (name === 'postgres.js') {
      await refused;
      await inbox.receive(event);
    }
    await refused;
    await inbox.receive(event);
    await expect.poll(() => late).toHaveLength(1);
    expect((await fixture.effects()).map(({ note }) => note)).toEqual(['2']);
    await fixture.close();
  });
});
