// The table `card_setups`: claiming, taking over, finishing. In the lock order it has the
// operation's place: session, setup, method. docs/decisions/saved-cards.md.

import assert from 'node:assert';
import type { CardSetup } from '../../domain/payments/card-setup.ts';
import type { CardFacts } from '../../domain/payments/payment.ts';
import type { Database, Tx } from '../database/database.ts';
import { recoverableSql } from '../database/open-states.ts';
import { column, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

type Row = Record<string, unknown>;

const ownerId = '(select s.user_id from checkout_sessions s where s.id = c.session_id)';

const setup = rowShape<CardSetup>({
  id: column('id'),
  clientId: column('client_id'),
  sessionId: column('session_id'),
  paymentMethodId: column('payment_method_id'),
  gatewayId: column('gateway_id'),
  userId: column('user_id', ownerId),
  confirmedBy: column('confirmed_by'),
  cardTokenSha256: column('card_token_sha256'),
  providerSetupId: column('provider_setup_id'),
  providerPaymentMethodId: column('provider_payment_method_id'),
  card: column('card'),
  challenge: column('challenge'),
  failureCode: column('failure_code'),
  declineCode: column('decline_code'),
  declineAdvice: column('decline_advice'),
  requestId: column('request_id'),
  firstSentAt: column('first_sent_at'),
  createdAt: column('created_at'),
  state: column('state'),
  attempt: column('attempt'),
  epoch: column('epoch'),
  leaseOwner: column('lease_owner'),
  leaseUntil: column('lease_until'),
  checks: column('checks'),
});

const columns = setup.columns('c');

const toSetup = setup.read;

const insert = sql<Row>(
  'card_setups.insert',
  `insert into card_setups as c (id, client_id, session_id, payment_method_id, gateway_id,
     confirmed_by, card_token_sha256, provider_payment_method_id, card, request_id, lease_owner,
     lease_until, next_check_at, first_sent_at, created_at, state, user_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $13, 'active', $14)
   returning ${columns}`,
);

export type NewSetup = Pick<
  CardSetup,
  | 'id'
  | 'clientId'
  | 'sessionId'
  | 'paymentMethodId'
  | 'gatewayId'
  | 'userId'
  | 'confirmedBy'
  | 'cardTokenSha256'
  | 'providerPaymentMethodId'
  | 'card'
  | 'requestId'
>;

/** Begins a set-up under the caller's lease; the database allows one open set-up per session. */
export async function insertSetup(
  tx: Tx,
  setup: NewSetup,
  lease: { readonly owner: string; readonly until: Date; readonly now: Date },
): Promise<CardSetup> {
  const [row] = await tx.query(insert, [
    setup.id,
    setup.clientId,
    setup.sessionId,
    setup.paymentMethodId,
    setup.gatewayId,
    setup.confirmedBy,
    setup.cardTokenSha256,
    setup.providerPaymentMethodId,
    setup.card,
    setup.requestId,
    lease.owner,
    lease.until,
    lease.now,
    setup.userId,
  ]);
  assert(row, 'an insert returns its row');
  return toSetup(row);
}

const lock = sql<Row>(
  'card_setups.lock',
  `select ${columns} from card_setups c where c.client_id = $1 and c.id = $2 for update of c`,
);

export async function lockSetup(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<CardSetup | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row && toSetup(row);
}

const lockOpen = sql<Row>(
  'card_setups.lock_open',
  `select ${columns} from card_setups c
   where c.client_id = $1 and c.session_id = $2
     and ${recoverableSql()} for update of c`,
);

/** Locks the session's unfinished set-up; the caller holds the session's lock. */
export async function lockOpenSetup(
  tx: Tx,
  { clientId, id }: { readonly clientId: string; readonly id: string },
): Promise<CardSetup | undefined> {
  const [row] = await tx.query(lockOpen, [clientId, id]);
  return row && toSetup(row);
}

const findOfToken = sql<Row>(
  'card_setups.find_of_token',
  `select ${columns} from card_setups c
   where c.client_id = $1 and c.session_id = $2 and c.card_token_sha256 = $3
   order by c.created_at desc, c.id desc limit 1`,
);

/** Returns the newest set-up that used the token; the caller holds the session's lock. */
export async function findSetupOfToken(
  tx: Tx,
  { clientId, id }: { readonly clientId: string; readonly id: string },
  cardTokenSha256: Buffer,
): Promise<CardSetup | undefined> {
  const [row] = await tx.query(findOfToken, [clientId, id, cardTokenSha256]);
  return row && toSetup(row);
}

const hold = sql<Row>(
  'card_setups.hold',
  `update card_setups c set state = 'active', epoch = c.epoch + 1, lease_owner = $3,
     lease_until = $4, next_check_at = $4
   where c.client_id = $1 and c.id = $2 returning ${columns}`,
);

/** Takes a locked, unfinished set-up under a new lease. */
export async function holdSetup(
  tx: Tx,
  setup: CardSetup,
  lease: { readonly owner: string; readonly until: Date },
): Promise<CardSetup> {
  const [row] = await tx.query(hold, [setup.clientId, setup.id, lease.owner, lease.until]);
  assert(row, 'a set-up found under the lock exists');
  return toSetup(row);
}

const setProviderSetup = sql<{ id: string }>(
  'card_setups.set_provider_setup',
  `update card_setups set provider_setup_id = $4
   where client_id = $1 and id = $2 and epoch = $3
     and (provider_setup_id is null or provider_setup_id = $4)
   returning id`,
);

/**
 * Stores the provider's id, only for the holder of the lease. Returns false when another process
 * took the set-up over: that process knows of no confirmation, so the caller must not confirm.
 */
export async function setProviderSetupId(
  database: Database,
  { clientId, id, epoch }: CardSetup,
  providerSetupId: string,
): Promise<boolean> {
  const values = [clientId, id, epoch, providerSetupId];
  return (await database.write(setProviderSetup, values)).length > 0;
}

const setCard = sql<{ id: string }>(
  'card_setups.set_card',
  `update card_setups set provider_payment_method_id = $4, card = $5
   where client_id = $1 and id = $2 and epoch = $3 returning id`,
);

/** Stores what the form's token was redeemed for; returns false when another process took the set-up over. */
export async function setSetupCard(
  tx: Tx,
  { clientId, id, epoch }: CardSetup,
  redeemed: { readonly providerPaymentMethodId: string; readonly card: CardFacts },
): Promise<boolean> {
  const { providerPaymentMethodId, card } = redeemed;
  const values = [clientId, id, epoch, providerPaymentMethodId, card];
  return (await tx.query(setCard, values)).length > 0;
}

const finish = sql<Row>(
  'card_setups.finish',
  `update card_setups c set state = $3, payment_method_id = $4, challenge = $5, failure_code = $6,
     decline_code = $7, decline_advice = $10, next_check_at = $8, checks = c.checks + 1, lease_owner = null,
     lease_until = null,
     finished_at = case when $3 in ('succeeded', 'failed') then $9::timestamptz end
   where c.client_id = $1 and c.id = $2 returning ${columns}`,
);

export type SetupFinish = Pick<
  CardSetup,
  'state' | 'paymentMethodId' | 'challenge' | 'failureCode' | 'declineCode' | 'declineAdvice'
> & { readonly nextCheckAt: Date; readonly now: Date };

/** Records the new state of a locked set-up, and releases its lease. */
export async function finishSetup(tx: Tx, setup: CardSetup, end: SetupFinish): Promise<CardSetup> {
  const [row] = await tx.query(finish, [
    setup.clientId,
    setup.id,
    end.state,
    end.paymentMethodId,
    end.challenge,
    end.failureCode,
    end.declineCode,
    end.nextCheckAt,
    end.now,
    end.declineAdvice,
  ]);
  assert(row, 'a locked set-up is finished');
  return toSetup(row);
}

const claimDue = sql<Row & { now: Date }>(
  'card_setups.claim_due',
  `with due as (
     select id from card_setups
     where ${recoverableSql('card_setups')} and next_check_at <= (select svc_clock())
     order by next_check_at limit $1 for update skip locked)
   update card_setups c set epoch = c.epoch + 1, lease_owner = $2,
     lease_until = svc_clock() + $3 * interval '1 millisecond',
     next_check_at = svc_clock() + $3 * interval '1 millisecond'
   from due where c.id = due.id
   returning ${columns}, svc_clock() as now`,
);

type Lease = { readonly owner: string; readonly ms: number };
export type DueSetup = { readonly setup: CardSetup; readonly now: Date };

/** Claims unfinished set-ups that no process holds. */
export async function claimDueSetups(
  database: Database,
  { limit, owner, ms }: Lease & { readonly limit: number },
): Promise<DueSetup[]> {
  const rows = await database.write(claimDue, [limit, owner, ms]);
  return rows.map((row) => ({ setup: toSetup(row), now: row.now }));
}

const claimOne = sql<Row & { now: Date }>(
  'card_setups.claim_one',
  `update card_setups c set epoch = c.epoch + 1, lease_owner = $3,
     lease_until = svc_clock() + $4 * interval '1 millisecond',
     next_check_at = svc_clock() + $4 * interval '1 millisecond'
   where c.client_id = $1 and c.id = $2 and ${recoverableSql()}
     and (c.lease_until is null or c.lease_until <= svc_clock())
   returning ${columns}, svc_clock() as now`,
);

/**
 * Claims the set-up that a notice is about; returns undefined when it has ended or another process
 * holds it.
 */
export async function claimOneSetup(
  database: Database,
  { clientId, id }: Pick<CardSetup, 'clientId' | 'id'>,
  { owner, ms }: Lease,
): Promise<DueSetup | undefined> {
  const [row] = await database.write(claimOne, [clientId, id, owner, ms]);
  return row && { setup: toSetup(row), now: row.now };
}

const findByProvider = sql<Row>(
  'card_setups.find_by_provider',
  `select ${columns} from card_setups c where c.gateway_id = $1 and c.provider_setup_id = $2`,
);

/** Finds the set-up of a provider's notice. */
export async function findSetupOfProvider(
  database: Database,
  gatewayId: string,
  providerSetupId: string,
): Promise<CardSetup | undefined> {
  const [row] = await database.read(findByProvider, [gatewayId, providerSetupId]);
  return row && toSetup(row);
}

const isHeld = sql<{ is_held: boolean }>(
  'card_setups.is_held',
  `select coalesce(lease_until > svc_clock(), false) as is_held
   from card_setups where client_id = $1 and id = $2`,
);

/** Returns whether a process is working on the set-up now. For waiting without locks. */
export async function isSetupRunning(
  database: Database,
  clientId: string,
  id: string,
): Promise<boolean> {
  const [row] = await database.read(isHeld, [clientId, id]);
  return row?.is_held === true;
}

const findVerified = sql<{ payment_method_id: string }>(
  'card_setups.find_verified',
  `select payment_method_id from card_setups
   where client_id = $1 and session_id = $2 and state = 'succeeded' limit 1`,
);

/** Returns the method that the session saved; null until the provider has verified it. */
export async function findVerifiedMethod(
  database: Database,
  { clientId, id }: { readonly clientId: string; readonly id: string },
): Promise<string | null> {
  const [row] = await database.read(findVerified, [clientId, id]);
  return row?.payment_method_id ?? null;
}

// A card that the service confirms ends its set-up when it is declined, so its notice would count
// it twice. Cards that a page had declined are counted by the provider's notices, and by the last
// look at the provider, which may be ahead of them.
const countDeclined = sql<{ n: number }>(
  'card_setups.declines',
  `select count(*) filter (where c.confirmed_by = 'service' and c.state = 'failed'
       and c.failure_code in ('declined', 'authentication_failed'))::int
     + coalesce(sum(greatest(c.declines_seen, (select count(*) from provider_inbox i
         where i.gateway_id = c.gateway_id and i.type = 'setup_intent.setup_failed'
           and i.object_id = c.provider_setup_id),
         (c.failure_code in ('declined', 'authentication_failed'))::int))
       filter (where c.confirmed_by = 'page'), 0)::int as n
   from card_setups c where c.client_id = $1 and c.session_id = $2`,
);

/** Returns how many of the session's cards were declined, whether the page or the service confirmed them. */
export async function countSetupDeclines(
  via: Tx | Database,
  { clientId, id }: { readonly clientId: string; readonly id: string },
): Promise<number> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(countDeclined, [clientId, id]);
  return row?.n ?? 0;
}

const seeDeclines = sql(
  'card_setups.see_declines',
  `update card_setups set declines_seen = $3
   where client_id = $1 and id = $2 and coalesce(declines_seen, 0) < $3`,
);

/** Stores how many cards the provider has declined on the set-up, where that is news. */
export async function storeSetupDeclines(
  database: Database,
  { clientId, id }: Pick<CardSetup, 'clientId' | 'id'>,
  declines: number,
): Promise<void> {
  await database.write(seeDeclines, [clientId, id, declines]);
}
