// What a merchant's handler may do to the transaction that it runs in, and what the database may.

import { describe, expect, it } from 'vitest';
import { EventLog } from '../test/event-log.ts';
import { aResource, grounds } from '../test/inbox-grounds.ts';
import { createInbox } from './inbox.ts';

type Run = (text: string) => unknown;

/** A statement in the handler's transaction, by whatever driver it is. */
const runIn = (tx: unknown): Run => {
  const { unsafe, query, exec } = tx as Record<string, Run | undefined>;
  return (text) => (unsafe ?? query ?? exec)?.call(tx, text);
};

describe.each(grounds.slice(0, 2))('a connection of %s', (_, lay) => {
  it('that breaks under a handler fails the event, and ends no process', async () => {
    const ground = await lay();
    const log = new EventLog();
    const inbox = createInbox<unknown>({
      database: ground.open(),
      svc: log,
      apply: {
        'payment.authorized': async (_event, tx) => {
          const run = runIn(tx);
          const own = await run('select pg_backend_pid() as pid');
          const [row] = (own as { rows?: { pid: number }[] }).rows ?? (own as { pid: number }[]);
          await ground.query(`select pg_terminate_backend(${row?.pid})`);
          // Something of its own, while nobody waits for the database.
          await new Promise((resolve) => setTimeout(resolve, 50));
        },
      },
    });
    await inbox.migrate();
    const event = log.add(aResource());
    await expect(inbox.receive(event)).rejects.toMatchObject({ code: 'HandlerFailed' });
    await ground.close();
  });
});
