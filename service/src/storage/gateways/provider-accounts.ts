// The accounts of one merchant at providers, as its people see them: whether keys are accepted and notices arrive.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { isArrivalDue } from './gateways.ts';

export type AccountRow = {
  readonly id: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly account_id: string;
  readonly is_live: boolean;
  readonly is_active: boolean;
  readonly countries: string[];
  readonly key_refused_at: Date | null;
  readonly key_used_at: Date | null;
  readonly key_checked_at: Date | null;
  /** Whether the provider has made a payment with the keys. */
  readonly has_payments: boolean;
  readonly notice_arrived_at: Date | null;
  readonly notice_lost_at: Date | null;
  readonly notices_refused: number;
  readonly notices_refused_since: Date | null;
};

const list = sql<AccountRow>(
  'provider_accounts.list',
  `select g.id, g.provider, g.account_id, c.is_live, g.is_active, g.countries, g.key_refused_at, g.key_checked_at,
     greatest(g.payments_listed_until, g.notices_listed_until) as key_used_at,
     exists (select from payments p where p.gateway_id = g.id and p.type = 'purchase'
       and p.provider_intent_id is not null) as has_payments,
     g.notice_arrived_at, g.notice_lost_at, g.notices_refused, g.notices_refused_since
   from gateways g join clients c on c.id = g.client_id
   where g.client_id = $1 order by g.is_active desc, g.created_at, g.id`,
);

/** Lists the merchant's accounts, those in use first. */
export const listAccounts = (database: Database, clientId: string): Promise<AccountRow[]> =>
  database.read(list, [clientId]);

const arrived = sql(
  'provider_accounts.notice_arrived',
  `update gateways g set notice_arrived_at = svc_clock() where g.id = $1 and ${isArrivalDue}`,
);

/** Stores that a genuine notice arrived by itself. It locks no row that a payment needs. */
export async function saveNoticeArrival(database: Database, gatewayId: string): Promise<void> {
  await database.write(arrived, [gatewayId]);
}

const lost = sql(
  'provider_accounts.notice_lost',
  'update gateways set notice_lost_at = svc_clock() where id = $1',
);

/** Stores that the provider had told what did not arrive here. */
export async function saveNoticeLoss(database: Database, gatewayId: string): Promise<void> {
  await database.write(lost, [gatewayId]);
}

const claim = sql<{ id: string }>(
  'provider_accounts.claim_check',
  `update gateways set key_checked_at = svc_clock() where id = $1 and client_id = $2
     and (key_checked_at is null or key_checked_at < svc_clock() - interval '10 seconds')
   returning id`,
);

/** Notes that the keys are checked now; false where that began less than ten seconds ago. */
export const claimKeyCheck = async (
  database: Database,
  { id, clientId }: { readonly id: string; readonly clientId: string },
): Promise<boolean> => (await database.read(claim, [id, clientId])).length === 1;
