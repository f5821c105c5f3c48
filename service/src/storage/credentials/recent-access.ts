// Everything that was created in a person's name within a span of time and still gives access, of
// whatever kind.

import type { RecentAccess } from '@svc/contract/account/recent-access';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { isLiveToken } from './credential-check.ts';

export type MadeAccess = {
  readonly kind: RecentAccess['kind'];
  readonly id: string;
  readonly name: string | null;
  readonly clientId: string | null;
  readonly clientName: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};

const list = sql<{
  kind: RecentAccess['kind'];
  id: string;
  name: string | null;
  client_id: string | null;
  client_name: string | null;
  created_at: Date;
  last_used_at: Date | null;
}>(
  'recent_access.list',
  `with span as materialized (select now, now - make_interval(days => $2) as since
     from svc_clock() as now)
   select made.* from span, lateral (
     select 'sign_in' as kind, s.id, s.user_agent as name, null::uuid as client_id,
       null::text as client_name, s.created_at, s.last_seen_at as last_used_at
     from sign_ins s where s.user_id = $1 and s.state in ('second_factor', 'open')
       and s.expires_at > span.now and s.created_at >= span.since
     union all
     select 'passkey', p.id, p.name, null, null, p.created_at, p.last_used_at
     from passkeys p where p.user_id = $1 and p.created_at >= span.since
     union all
     select 'api_token', t.id, t.name, c.id, c.name, t.created_at, t.last_used_at
     from api_tokens t join clients c on c.id = t.client_id
     where t.user_id = $1 and ${isLiveToken('t', 'span.now')}
       and t.created_at >= span.since
     union all
     -- Also one that was allowed and never fetched: it may be, a moment from now.
     select 'consent', g.id, g.application_name, c.id, c.name, g.created_at, g.last_used_at
     from oauth_grants g join clients c on c.id = g.client_id
     where g.user_id = $1 and g.revoked_at is null and g.expires_at > span.now
       and g.created_at >= span.since
       and not exists (select from applications a
         where a.id = g.made_application_id and a.removed_at is not null)
     union all
     select 'invitation', i.id, i.email, c.id, c.name, i.created_at, null
     from invitations i join clients c on c.id = i.client_id
     where i.invited_by = $1 and i.state = 'open' and i.expires_at > span.now
       and i.created_at >= span.since
   ) as made order by made.created_at desc, made.id desc limit 1000`,
);

/** Returns what the person's account created in the last `days` days and is still valid, newest first. */
export async function findRecentAccess(
  via: Tx | Database,
  userId: string,
  days: number,
): Promise<MadeAccess[]> {
  const run = 'query' in via ? via.query : via.read;
  return (await run(list, [userId, days])).map((row) => ({
    kind: row.kind,
    id: row.id,
    name: row.name,
    clientId: row.client_id,
    clientName: row.client_name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}
