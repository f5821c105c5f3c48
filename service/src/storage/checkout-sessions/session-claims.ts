// Shells and their claims: the two phases of a session. Contract §3, Claim.

import assert from 'node:assert';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { byteStrings, doubles, texts, uuids } from '../database/array-values.ts';
import { askedRows } from '../database/asked-rows.ts';
import { openBatches } from '../database/batch.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type SessionRow, sessionColumns, toSession } from './checkout-sessions.ts';
import { unpaid } from './session-inserts.ts';

export type NewShell = {
  readonly id: string;
  readonly clientId: string;
  readonly nonceSha256: Buffer;
  readonly currency: string;
  readonly country: string | null;
  readonly lifeMs: number;
};

export type Shell = {
  readonly session: CheckoutSession;
  readonly gateway: {
    readonly publishableKey: string;
    readonly accountId: string;
    readonly isLive: boolean;
  };
  readonly allowedOrigins: readonly string[];
};

type ShellRow = {
  id: string;
  gateway_id: string;
  expires_at: Date;
  created_at: Date;
  publishable_key: string;
  account_id: string;
  is_live: boolean;
  allowed_origins: string[];
};

const shells = askedRows<NewShell>([
  ['id', uuids, ({ id }) => id],
  ['client_id', uuids, ({ clientId }) => clientId],
  ['nonce_sha256', byteStrings, ({ nonceSha256 }) => nonceSha256],
  ['currency', texts, ({ currency }) => currency],
  ['country', texts, ({ country }) => country],
  ['life_ms', doubles, ({ lifeMs }) => lifeMs],
]);

const insertOne = sql<ShellRow>(
  'shells.insert',
  `with moment as materialized (select svc_clock() as now),
   gateway as materialized (
     select g.id, g.publishable_key, g.account_id, c.is_live, c.allowed_origins
     from clients c join gateways g on g.client_id = c.id
     where c.id = $2 and g.provider = 'cardprovider' and g.is_active
       and (g.countries = '{}' or $5::text = any(g.countries))
     order by g.countries = '{}', g.id limit 1),
   s as (
     insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
       gateway_id, currency, country, expires_at, created_at, updated_at)
     select $1, $2, $3, 'payment', 'unclaimed', 'automatic', gateway.id, $4, $5,
       now + $6 * interval '1 millisecond', now, now
     from gateway, moment returning id, gateway_id, expires_at, created_at)
   select s.id, s.gateway_id, s.expires_at, s.created_at, g.publishable_key, g.account_id,
     g.is_live, g.allowed_origins
   from s, gateway g`,
);

const insertMany = sql<ShellRow>(
  'shells.insert_many',
  `with moment as materialized (select svc_clock() as now),
   asked as materialized (
     select a.*, g.gateway_id, g.publishable_key, g.account_id, c.is_live, c.allowed_origins
     from ${shells.many}
       join clients c on c.id = a.client_id
       cross join lateral (
         select g.id as gateway_id, g.publishable_key, g.account_id from gateways g
         where g.client_id = a.client_id and g.provider = 'cardprovider' and g.is_active
           and (g.countries = '{}' or a.country = any(g.countries))
         order by g.countries = '{}', g.id limit 1) g),
   s as (
     insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
       gateway_id, currency, country, expires_at, created_at, updated_at)
     select id, client_id, nonce_sha256, 'payment', 'unclaimed', 'automatic', gateway_id, currency,
       country, now + life_ms * interval '1 millisecond', now, now
     from asked, moment returning id, gateway_id, expires_at, created_at)
   select s.*, a.publishable_key, a.account_id, a.is_live, a.allowed_origins
   from s join asked a on a.id = s.id`,
);

const queues = new WeakMap<Database, (shell: NewShell) => Promise<Shell | undefined>>();

const queueOf = (database: Database) => {
  const known = queues.get(database);
  if (known) return known;
  const queue = openBatches<NewShell, Shell | undefined>({
    keyOf: ({ id }) => id,
    async one(shell) {
      const [row] = await database.write(insertOne, shells.valuesOf(shell));
      return row && toShell(shell, row);
    },
    async many(asked) {
      const rows = await database.write(insertMany, shells.arraysOf(asked));
      const made = new Map(rows.map((row) => [row.id, row]));
      return asked.map((shell) => {
        const row = made.get(shell.id);
        return row && toShell(shell, row);
      });
    },
  });
  queues.set(database, queue);
  return queue;
};

/**
 * Inserts a shell on the client's gateway for the country, in one statement that concurrent calls
 * share. Returns undefined when the client or its gateway does not exist.
 */
export const insertShell = (database: Database, shell: NewShell): Promise<Shell | undefined> =>
  queueOf(database)(shell);

const toShell = (shell: NewShell, row: ShellRow): Shell => ({
  session: shellOf(shell, row),
  gateway: {
    publishableKey: row.publishable_key,
    accountId: row.account_id,
    isLive: row.is_live,
  },
  allowedOrigins: row.allowed_origins,
});

const shellOf = (shell: NewShell, row: ShellRow): CheckoutSession => ({
  id: shell.id,
  clientId: shell.clientId,
  mode: 'payment',
  status: 'unclaimed',
  captureMethod: 'automatic',
  gatewayId: row.gateway_id,
  currency: shell.currency,
  country: shell.country,
  userId: null,
  externalId: null,
  email: null,
  isBuyerVerified: false,
  isGuest: false,
  allowsSecond: false,
  lines: [],
  couponCodes: [],
  takesCoupons: true,
  subtotalMinor: null,
  discountMinor: null,
  totalMinor: null,
  successUrl: null,
  cancelUrl: null,
  metadata: {},
  reference: null,
  ...unpaid,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
  updatedAt: row.created_at,
});

const attach = sql<SessionRow>(
  'shells.attach',
  `update checkout_sessions s set status = 'open', claim_sha256 = $3, capture_method = $4,
     user_id = $5, email = $6, lines = $7, coupon_codes = $8, subtotal_minor = $9,
     discount_minor = $10, total_minor = $11, success_url = $12, cancel_url = $13,
     expires_at = $14::timestamptz + $15 * interval '1 millisecond', updated_at = $14,
     is_buyer_verified = $16, allows_second = $17, external_id = $18, takes_coupons = $19, is_guest = $20,
     version = s.version + 1
   where s.client_id = $1 and s.id = $2 and s.status = 'unclaimed'
   returning ${sessionColumns}`,
);

export type Attachment = Pick<
  CheckoutSession,
  | 'captureMethod'
  | 'userId'
  | 'externalId'
  | 'email'
  | 'lines'
  | 'couponCodes'
  | 'takesCoupons'
  | 'subtotalMinor'
  | 'discountMinor'
  | 'totalMinor'
  | 'successUrl'
  | 'cancelUrl'
  | 'isBuyerVerified'
  | 'isGuest'
  | 'allowsSecond'
> & { readonly fingerprint: Buffer; readonly now: Date; readonly lifeMs: number };

/** Attaches buyer and cart to a locked shell, which is then open. */
export async function attachClaim(
  tx: Tx,
  shell: CheckoutSession,
  claim: Attachment,
): Promise<CheckoutSession> {
  const [row] = await tx.query(attach, [
    shell.clientId,
    shell.id,
    claim.fingerprint,
    claim.captureMethod,
    claim.userId,
    claim.email,
    JSON.stringify(claim.lines),
    claim.couponCodes,
    claim.subtotalMinor,
    claim.discountMinor,
    claim.totalMinor,
    claim.successUrl,
    claim.cancelUrl,
    claim.now,
    claim.lifeMs,
    claim.isBuyerVerified,
    claim.allowsSecond,
    claim.externalId,
    claim.takesCoupons,
    claim.isGuest,
  ]);
  assert(row, 'a locked shell is attached');
  return toSession(row);
}
