// Webhooks with the inbox: each event is applied exactly once, in the shop's own transaction, however
// often it is delivered; what was never delivered is fetched.
import { DatabaseSync } from 'node:sqlite';
import { createInbox, sqlite } from '@svc/server/inbox';
import { origin, page, serve, svc } from './merchant.ts';

const database = new DatabaseSync(process.env.DATA || ':memory:');
// An order that cost nothing has no payment, so the checkout session names the parcel.
database.exec(`create table if not exists parcels
  (session text primary key not null, payment text, contents text not null)`);

const inbox = createInbox({
  database: sqlite(database),
  svc,
  // A shop that has shipped orders in another way begins at the date of the change.
  from: 'beginning',
  apply: {
    'item.purchased': ({ data: { object } }, shop) => {
      const contents = object.items.map(({ code, quantity }) => `${quantity} ${code}`).join(', ');
      const { sessionId, paymentId } = object;
      shop.prepare('insert into parcels values (?, ?, ?)').run(sessionId, paymentId, contents);
    },
  },
});
await inbox.migrate();

const url = `${origin}/webhooks`;
for await (const old of svc.webhookEndpoints.list()) {
  if (old.url === url) await svc.webhookEndpoints.delete(old.id);
}
const { id, secret } = await svc.webhookEndpoints.create({ url });

serve({
  'POST /webhooks': svc.webhooks.toFetchHandler(inbox.receive, secret),
  'GET /': () => {
    const parcels = database.prepare('select session, payment, contents from parcels').all();
    return page(`<pre>${JSON.stringify(parcels, null, 2)}</pre>`);
  },
});
inbox.start({ everyMs: 10_000 });

// Nobody answers there afterwards. The endpoint of a real shop stays: what it missed comes later.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => svc.webhookEndpoints.delete(id).finally(() => process.exit()));
}
