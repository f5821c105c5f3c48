// What a gateway keeps of the provider's notices that it refuses, until a genuine one arrives.

import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const count = sql(
  'gateways.count_refused_notice',
  `update gateways set notices_refused = least(notices_refused::bigint + 1, 2147483647)::int,
     notices_refused_since = coalesce(notices_refused_since, svc_clock()), notices_refused_fault = $2
   where id = $1`,
);

/** Counts a refused notice. It locks no row that a payment needs. */
export async function countRefusedNotice(
  database: Database,
  gatewayId: string,
  fault: string,
): Promise<void> {
  await database.write(count, [gatewayId, fault]);
}

const clear = sql(
  'gateways.clear_refused_notices',
  `update gateways set notices_refused = 0, notices_refused_since = null, notices_refused_fault = null
   where id = $1 and notices_refused_since is not null`,
);

export async function clearRefusedNotices(database: Database, gatewayId: string): Promise<void> {
  await database.write(clear, [gatewayId]);
}

export type RefusingGateway = {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly accountId: string;
  readonly refused: number;
  readonly since: Date;
  readonly fault: string;
};

type Row = {
  id: string;
  client_id: string;
  client_name: string;
  provider: RefusingGateway['provider'];
  account_id: string;
  notices_refused: number;
  notices_refused_since: Date;
  notices_refused_fault: string;
};

const columns = `g.id, g.client_id, c.name as client_name, g.provider, g.account_id,
  g.notices_refused, g.notices_refused_since, g.notices_refused_fault`;

const toRefusing = (row: Row): RefusingGateway => ({
  id: row.id,
  clientId: row.client_id,
  clientName: row.client_name,
  provider: row.provider,
  accountId: row.account_id,
  refused: row.notices_refused,
  since: row.notices_refused_since,
  fault: row.notices_refused_fault,
});

const list = sql<Row>(
  'gateways.list_refusing',
  `select ${columns} from gateways g join clients c on c.id = g.client_id
   where g.client_id = $1 and g.notices_refused_since is not null order by g.notices_refused_since, g.id`,
);

/** Lists the client's gateways that refuse notices, the first to do so first. */
export async function listRefusingGateways(
  database: Database,
  clientId: string,
): Promise<RefusingGateway[]> {
  return (await database.read(list, [clientId])).map(toRefusing);
}

const listLong = sql<Row>(
  'gateways.list_refusing_long',
  `select ${columns} from gateways g join clients c on c.id = g.client_id
   where g.notices_refused_since <= (select svc_clock()) - interval '10 minutes'
   order by g.notices_refused_since, g.id limit $1`,
);

/** Lists the gateways of all clients that have refused notices for ten minutes, at most `most`. */
export async function listRefusingLong(
  database: Database,
  most: number,
): Promise<RefusingGateway[]> {
  return (await database.read(listLong, [most])).map(toRefusing);
}
