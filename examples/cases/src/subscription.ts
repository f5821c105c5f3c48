// A coffee club: one parcel for the period that the buyer pays at the checkout, and one for each period
// that is renewed. `npm run example subscription`, subscribe, then move the sandbox's clock by a month.
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { SvcError } from '@svc/server';
import { createInbox, sqlite } from '@svc/server/inbox';
import { origin, page, serve, svc } from './merchant.ts';

const club = {
  code: 'coffee-club',
  name: 'Coffee club',
  kind: 'subscription' as const,
  interval: 'month' as const,
  prices: [{ currency: 'EUR', amount: 24 }],
};
try {
  await svc.request('POST', '/v1/products', club);
} catch (error) {
  // It is there since the first run.
  if (!(error instanceof SvcError && error.code === 'product_code_taken')) throw error;
}

const database = new DatabaseSync(process.env.DATA || ':memory:');
database.exec(`create table if not exists club_parcels
  (subscription text not null, paid_until text not null, contents text not null,
   primary key (subscription, paid_until))`);
database.exec(`create table if not exists members
  (subscription text primary key not null, status text not null)`);
const ship = 'insert into club_parcels values (?, ?, ?)';
const note = `insert into members values (?, ?)
  on conflict (subscription) do update set status = excluded.status`;

const inbox = createInbox({
  database: sqlite(database),
  svc,
  from: 'beginning',
  apply: {
    'subscription.created': ({ data: { object } }, shop) => {
      shop.prepare(note).run(object.id, object.status);
      const { id, currentPeriodEnd, quantity, productCode } = object;
      shop.prepare(ship).run(id, currentPeriodEnd, `${quantity} ${productCode}`);
    },
    'subscription.renewed': ({ data: { object } }, shop) => {
      shop.prepare(note).run(object.id, object.status);
      const { id, currentPeriodEnd, quantity, productCode } = object;
      shop.prepare(ship).run(id, currentPeriodEnd, `${quantity} ${productCode}`);
    },
    // The card was declined: tell the member, whose card is tried again for a week.
    'subscription.past_due': ({ data: { object } }, shop) => {
      shop.prepare(note).run(object.id, object.status);
    },
    'subscription.canceled': ({ data: { object } }, shop) => {
      shop.prepare(note).run(object.id, object.status);
    },
  },
});
await inbox.migrate();
// Every second, so that a shop without a public address follows; a real one takes webhooks as well.
inbox.start({ everyMs: 1000 });

serve({
  'GET /': () => page('<form method="post" action="/join"><button>Join the club</button></form>'),

  'POST /join': async () => {
    const session = await svc.checkout.sessions.create({
      currency: 'EUR',
      products: [{ code: club.code, quantity: 1 }],
      // A new member each time: who is one already is not charged twice.
      account: { userId: randomUUID(), email: 'member@example.com' },
      successUrl: `${origin}/club`,
      cancelUrl: origin,
    });
    if (!('redirectUrl' in session)) return page('Welcome: nothing was due.');
    return Response.redirect(session.redirectUrl, 303);
  },

  'GET /club': () => {
    const members = database.prepare('select subscription, status from members').all();
    const parcels = database
      .prepare('select subscription, paid_until, contents from club_parcels order by paid_until')
      .all();
    return page(`<pre>${JSON.stringify({ members, parcels }, null, 2)}</pre>`);
  },
});
