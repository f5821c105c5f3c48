// The table `notification_choices`. Additions §6, Notifications.

import type { Role } from '@svc/contract/rows/roles';
import type { NotificationChoice, NotificationKind } from '@svc/contract/settings/notifications';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** A member who may sign in, with everything that decides about the member's notifications. */
export type NotifiedMember = {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly financeApproves: boolean;
  /** What the person chose; the other kinds have the default of the role. */
  readonly chosen: Readonly<Partial<Record<NotificationKind, NotificationChoice>>>;
};

type Row = {
  user_id: string;
  email: string;
  role: Role;
  finance_approves: boolean | null;
  chosen: Partial<Record<NotificationKind, NotificationChoice>> | null;
};

const members = `select m.user_id, u.email, m.role, r.finance_approves,
    (select jsonb_object_agg(c.kind, c.choice) from notification_choices c
     where c.client_id = m.client_id and c.user_id = m.user_id) as chosen
  from memberships m
  join users u on u.id = m.user_id and u.disabled_at is null
  left join refund_rules r on r.client_id = m.client_id
  where m.client_id = $1`;

const toMember = (row: Row): NotifiedMember => ({
  userId: row.user_id,
  email: row.email,
  role: row.role,
  financeApproves: row.finance_approves ?? false,
  chosen: row.chosen ?? {},
});

const listOf = sql<Row>('notification_choices.list_members', members);

export const listNotifiedMembers = async (tx: Tx, clientId: string): Promise<NotifiedMember[]> =>
  (await tx.query(listOf, [clientId])).map(toMember);

const find = sql<Row>('notification_choices.find_member', `${members} and m.user_id = $2`);

export async function findNotifiedMember(
  database: Database,
  clientId: string,
  userId: string,
): Promise<NotifiedMember | undefined> {
  const [row] = await database.read(find, [clientId, userId]);
  return row && toMember(row);
}

const keep = sql<Row>(
  'notification_choices.keep_member',
  `${members} and m.user_id = $2 for share of m`,
);

/** Keeps the membership and its role as they are until the transaction ends. */
export async function keepNotifiedMember(
  tx: Tx,
  clientId: string,
  userId: string,
): Promise<NotifiedMember | undefined> {
  const [row] = await tx.query(keep, [clientId, userId]);
  return row && toMember(row);
}

const save = sql(
  'notification_choices.save',
  `insert into notification_choices (client_id, user_id, kind, choice, updated_at)
   values ($1, $2, $3, $4, svc_clock())
   on conflict (client_id, user_id, kind) do update
     set choice = excluded.choice, updated_at = excluded.updated_at`,
);

export async function saveChoice(
  tx: Tx,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  { kind, choice }: { readonly kind: NotificationKind; readonly choice: NotificationChoice },
): Promise<void> {
  await tx.query(save, [clientId, userId, kind, choice]);
}
