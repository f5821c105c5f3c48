import type { Installations } from '../../domain/protocol/marks.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import { type Database, everyClient } from '../database/database.ts';
import type { Sealed } from '../database/sealed.ts';
import { sql } from '../database/sql.ts';

export type GatewayRecord = {
  readonly id: string;
  readonly clientId: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly accountId: string;
  readonly publishableKey: string;
  readonly isLive: boolean;
  readonly secretKeySealed: Buffer;
  readonly noticeSecretSealed: Buffer | null;
  /** The account's own limits; without them those that the provider publishes. */
  readonly pace: { readonly perSecond?: number; readonly endpointPerSecond?: number };
};

type Row = {
  id: string;
  client_id: string;
  provider: 'cardprovider' | 'wallet';
  account_id: string;
  publishable_key: string;
  is_live: boolean;
  secret_key_sealed: Buffer;
  notice_secret_sealed: Buffer | null;
  requests_per_second: number | null;
  endpoint_requests_per_second: number | null;
};

const columns = `g.id, g.client_id, g.provider, g.account_id, g.publishable_key, c.is_live,
  g.secret_key_sealed, g.notice_secret_sealed, g.requests_per_second,
  g.endpoint_requests_per_second`;

const toPace = ({
  requests_per_second: perSecond,
  endpoint_requests_per_second: endpointPerSecond,
}: Row): GatewayRecord['pace'] => ({
  ...(perSecond === null ? {} : { perSecond }),
  ...(endpointPerSecond === null ? {} : { endpointPerSecond }),
});

const toGateway = (row: Row): GatewayRecord => ({
  id: row.id,
  clientId: row.client_id,
  provider: row.provider,
  accountId: row.account_id,
  publishableKey: row.publishable_key,
  isLive: row.is_live,
  secretKeySealed: row.secret_key_sealed,
  noticeSecretSealed: row.notice_secret_sealed,
  pace: toPace(row),
});

/** Whether an installation was made in this very database, and not in the one that it was copied from. */
const isHere = 'i.database_identity = database_identity()';

type NamedInstallation = Pick<Installation, 'id' | 'status'> & { readonly is_here: boolean };

const find = sql<Row & { installations: NamedInstallation[] }>(
  'gateways.find',
  `select ${columns}, (select coalesce(jsonb_agg(jsonb_build_object(
       'id', i.id, 'status', i.status, 'is_here', ${isHere}) order by i.id), '[]')
     from installations i) as installations
   from gateways g join clients c on c.id = g.client_id
   where g.client_id = $1 and g.id = $2`,
);

export async function findGateway(
  database: Database,
  clientId: string,
  id: string,
): Promise<(GatewayRecord & { readonly installations: Installations | null }) | undefined> {
  const [row] = await database.read(find, [clientId, id]);
  if (!row) return undefined;
  const installations = hasOwn(row.installations) ? toInstallations(row.installations) : null;
  return { ...toGateway(row), installations };
}

/** Of gateway `g`. A minute is exact enough for people, and spares the write of most notices. */
export const isArrivalDue = `(g.notice_arrived_at is null
  or g.notice_arrived_at < (select svc_clock()) - interval '1 minute'
  or g.notice_lost_at >= g.notice_arrived_at)`;

const findAny = sql<Row & { refuses_notices: boolean; is_arrival_due: boolean }>(
  'gateways.find_for_notice',
  `select ${columns}, g.notices_refused_since is not null as refuses_notices,
     ${isArrivalDue} as is_arrival_due
   from gateways g join clients c on c.id = g.client_id where g.id = $1`,
);

/**
 * Finds the gateway for a provider notice, whose address contains only the gateway's id, whether it has
 * refused notices since the last genuine one, and whether to store that one has arrived.
 */
export async function findGatewayOfNotice(
  database: Database,
  id: string,
): Promise<
  (GatewayRecord & { readonly refusesNotices: boolean; readonly isArrivalDue: boolean }) | undefined
> {
  const [row] = await database.read(findAny, [id]);
  return (
    row && {
      ...toGateway(row),
      refusesNotices: row.refuses_notices,
      isArrivalDue: row.is_arrival_due,
    }
  );
}

const findBeside = sql<{ id: string; client_id: string }>(
  'gateways.find_beside',
  `select g.id, g.client_id from gateways here join gateways g
     on g.provider = here.provider and g.account_id = here.account_id and g.id <> here.id
   where here.id = $1 and (g.client_id = $2::uuid and here.client_id <> $2::uuid
     or exists (select from payments p where p.gateway_id = g.id and p.provider_intent_id = $3
       and p.type = 'purchase')
     or exists (select from card_setups s where s.gateway_id = g.id and s.provider_setup_id = $3)
     or exists (select from payment_methods m where m.gateway_id = g.id
       and m.provider_payment_method_id = $3 and m.status <> 'removed'))
   order by g.is_active desc, g.id limit 1`,
);

/** Finds another gateway to the account: of another merchant, or with a payment, set-up or card of the object. */
export async function findGatewayBeside(
  database: Database,
  gatewayId: string,
  wanted: { readonly clientId?: string; readonly objectId?: string },
): Promise<{ readonly clientId: string; readonly gatewayId: string } | undefined> {
  const clientId = uuidPattern.test(wanted.clientId ?? '') ? wanted.clientId : null;
  const [row] = await database.read(findBeside, [gatewayId, clientId, wanted.objectId ?? null]);
  return row && { clientId: row.client_id, gatewayId: row.id };
}

const choose = sql<Row>(
  'gateways.choose',
  `select ${columns} from gateways g join clients c on c.id = g.client_id
   where g.client_id = $1 and g.provider = $2 and g.is_active
     and (g.countries = '{}' or $3::text = any(g.countries))
   order by g.countries = '{}', g.id limit 1`,
);

/** Returns the client's active gateway for the country; one that names the country comes first. */
export async function chooseGateway(
  database: Database,
  clientId: string,
  wanted: { provider: 'cardprovider' | 'wallet'; country: string | null },
): Promise<GatewayRecord | undefined> {
  const [row] = await database.read(choose, [clientId, wanted.provider, wanted.country]);
  return row && toGateway(row);
}

const listAccounts = sql<{ account_id: string }>(
  'gateways.list_card_accounts',
  `select account_id from gateways
   where client_id = $1 and provider = 'cardprovider' and is_active
   order by countries = '{}' desc, id`,
);

/** Returns the ids of the client's active accounts for cards; one for all countries comes first. */
export async function listCardAccounts(database: Database, clientId: string): Promise<string[]> {
  return (await database.read(listAccounts, [clientId])).map(({ account_id }) => account_id);
}

const findWallet = sql<{ id: string }>(
  'gateways.find_wallet',
  "select id from gateways where provider = 'wallet' and is_active limit 1",
);

/** Returns whether any client has a wallet gateway. */
export async function hasWallets(database: Database): Promise<boolean> {
  return (await database.read(findWallet, [])).length > 0;
}

/** Returns the secret key in clear, for the provider's adapter only. */
export function openSecretKey(sealed: Sealed, gateway: GatewayRecord): Promise<string> {
  return sealed.open(
    { clientId: gateway.clientId, table: 'gateways', rowId: gateway.id, field: 'secret_key' },
    gateway.secretKeySealed,
  );
}

/** Returns the secret that signs the provider's notices; null when none was set. */
export async function openNoticeSecret(
  sealed: Sealed,
  gateway: GatewayRecord,
): Promise<string | null> {
  if (!gateway.noticeSecretSealed) return null;
  return sealed.open(
    { clientId: gateway.clientId, table: 'gateways', rowId: gateway.id, field: 'notice_secret' },
    gateway.noticeSecretSealed,
  );
}

/** A gateway with payments, and the time up to which its notices were listed. */
export type ListedGateway = {
  readonly id: string;
  readonly clientId: string;
  readonly isLive: boolean;
  readonly listedUntil: Date;
  readonly now: Date;
};

type ListedRow = {
  id: string;
  client_id: string;
  is_live: boolean;
  listed_until: Date;
  now: Date;
};

const toListedGateway = (row: ListedRow): ListedGateway => ({
  id: row.id,
  clientId: row.client_id,
  isLive: row.is_live,
  listedUntil: row.listed_until,
  now: row.now,
});

// The first list goes one day back. It never goes back before the time from which the gateway's
// movements are classified (Contract §12), nor further than providers keep their notices. The
// condition repeats that of the intents' index.
const listListed = sql<ListedRow>(
  'gateways.list_listed',
  `select g.id, g.client_id, c.is_live, k.now,
     greatest(coalesce(g.notices_listed_until, k.now - interval '1 day'), g.classified_from,
       k.now - interval '29 days') as listed_until
   from gateways g join clients c on c.id = g.client_id, (select svc_clock() as now) as k
   where exists (select from payments p
     where p.gateway_id = g.id and p.type = 'purchase' and p.provider_intent_id is not null)
   order by g.id`,
);

export async function listListedGateways(database: Database): Promise<ListedGateway[]> {
  return (await database.read(listListed, [])).map(toListedGateway);
}

const saveListed = sql(
  'gateways.save_listed',
  `update gateways set notices_listed_until = greatest($2, notices_listed_until) where id = $1`,
);

/** Never moves the time back: several processes may list. */
export async function saveListedUntil(database: Database, id: string, until: Date): Promise<void> {
  await database.write(saveListed, [id, until]);
}

// A gateway that is switched off is listed while it has payments; one that never had any has
// nothing to list. The first list goes one day back; the wallet reports 30 days.
const listMarked = sql<ListedRow>(
  'gateways.list_marked',
  `select g.id, g.client_id, c.is_live, k.now,
     least(k.now, greatest(
       coalesce($1::timestamptz, g.payments_listed_until, k.now - interval '1 day'),
       g.classified_from,
       case when g.provider = 'wallet' then k.now - interval '29 days' end)) as listed_until
   from gateways g join clients c on c.id = g.client_id, (select svc_clock() as now) as k
   where g.is_active or exists (select from payments p
     where p.gateway_id = g.id and p.type = 'purchase' and p.provider_intent_id is not null)
   order by g.id`,
);

/**
 * Returns the gateways, and from when their payments have to be listed; with `since` null, from
 * where the last list ended.
 */
export async function listMarkedGateways(
  database: Database,
  since: Date | null,
): Promise<ListedGateway[]> {
  return (await database.read(listMarked, [since])).map(toListedGateway);
}

const saveMarked = sql(
  'gateways.save_marked',
  `update gateways set payments_listed_until = greatest($2, payments_listed_until) where id = $1`,
);

/** Never moves the time back: several processes may list. */
export async function saveMarkedUntil(database: Database, id: string, until: Date): Promise<void> {
  await database.write(saveMarked, [id, until]);
}

// The installations. Every object that the service makes at a gateway carries the id of one as a mark. A copied
// database has another identity than the one recorded with its installation: it then gets a new installation,
// and the operator says whether the former one still runs. docs/decisions/reconciliation.md.

export type Installation = {
  readonly id: string;
  readonly status: 'current' | 'undecided' | 'elsewhere' | 'ours';
  readonly madeAt: Date;
  readonly endedAt: Date | null;
};

const listOfDatabase = sql<{
  id: string;
  status: Installation['status'];
  made_at: Date;
  ended_at: Date | null;
  is_here: boolean;
}>(
  'installations.list',
  `select i.id, i.status, i.made_at, i.ended_at, ${isHere} as is_here
   from installations i order by i.id`,
);
export const endInstallation = sql<{ id: string }>(
  'installations.end',
  `update installations set status = $1, ended_at = svc_clock()
   where status = 'current' and ($2 or database_identity <> database_identity()) returning id`,
);
export const insertInstallation = sql(
  'installations.insert',
  `insert into installations (id, database_identity, status, made_at)
   values ($1, database_identity(), 'current', svc_clock()) on conflict do nothing`,
);

/** Lists the installations, the oldest first; makes one where this database has none of its own. */
export async function listInstallations(
  database: Database,
  newId: () => string,
): Promise<Installation[]> {
  const known = await database.read(listOfDatabase, []);
  const isKnown = hasOwn(known);
  if (!isKnown) {
    // Several processes may do this at the same time: only the first one inserts an installation.
    await database.transaction(everyClient, async (tx) => {
      await tx.query(endInstallation, ['undecided', false]);
      await tx.query(insertInstallation, [newId()]);
    });
  }
  const rows = isKnown ? known : await database.read(listOfDatabase, []);
  return rows.map(({ id, status, made_at: madeAt, ended_at: endedAt }) => ({
    ...{ id, status, madeAt, endedAt },
  }));
}

const hasOwn = (known: readonly NamedInstallation[]): boolean =>
  known.some(({ status, is_here: isOfThis }) => status === 'current' && isOfThis);

export const toInstallations = (
  known: readonly Pick<Installation, 'id' | 'status'>[],
): Installations => {
  const idsOf = (...wanted: Installation['status'][]) =>
    known.filter(({ status }) => wanted.includes(status)).map(({ id }) => id);
  return {
    all: known.map(({ id }) => id),
    ours: idsOf('current', 'ours'),
    undecided: idsOf('undecided'),
  };
};
