// What handlers are given, as a merchant's editor sees it. Nothing here runs: what is wrong fails the
// check `types`.

import type { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import type connect from 'postgres';
import { expectTypeOf } from 'vitest';
import type { Dispute, EventType, ItemPurchased, Payment } from '../contract-types.ts';
import type { WebhookEvent } from '../events.ts';
import type { Svc } from '../svc.ts';
import { createInbox, type InboxHandlers, postgres, postgresJs, sqlite } from './inbox.ts';

const svc = {} as Svc;

// A handler gets its own event and the connection of the merchant's driver.
createInbox({
  svc,
  database: postgres({ connect: async () => ({}) } as unknown as pg.Pool),
  apply: {
    'item.purchased': (event, tx) => {
      expectTypeOf(tx).toEqualTypeOf<pg.PoolClient>();
      expectTypeOf(event.data.object).toEqualTypeOf<ItemPurchased>();
    },
    'payment.authorized': (event) => {
      expectTypeOf(event.data.object).toEqualTypeOf<Payment>();
    },
  },
});
expectTypeOf<keyof InboxHandlers<unknown>>().toEqualTypeOf<EventType>();
expectTypeOf<Parameters<NonNullable<InboxHandlers<unknown>['refund.failed']>>[0]>().toEqualTypeOf<
  WebhookEvent<'refund.failed'>
>();
createInbox({
  svc,
  database: postgresJs({} as ReturnType<typeof connect>),
  apply: {
    'refund.created': (_, tx) => {
      expectTypeOf(tx).toExtend<connect.TransactionSql>();
    },
  },
});
createInbox({
  svc,
  database: sqlite({} as DatabaseSync),
  apply: {
    'refund.created': (_, tx) => {
      expectTypeOf(tx).toEqualTypeOf<DatabaseSync>();
    },
    'dispute.opened': (event) => {
      expectTypeOf(event.data.object).toEqualTypeOf<Dispute>();
      // @ts-expect-error a dispute has no such field
      return event.data.object.items;
    },
    // @ts-expect-error there is no such event
    'item.bought': () => undefined,
  },
});
