// The tables `buyer_mail_cursors` and `automatic_mails`. Additions §2, Mails to buyers.

import type { BuyerMailKind } from '@svc/contract/settings/buyer-mails';
import { checkedDate } from '@svc/contract/values/instants';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type MailingClient = {
  readonly clientId: string;
  readonly isLive: boolean;
  /** Since when each mail is on. */
  readonly since: Readonly<Partial<Record<BuyerMailKind, Date>>>;
  /** The last event that was looked at; the nil id before the first. */
  readonly eventId: string;
  /** True when mails about expiring cards are on, and cards were not looked at for six hours. */
  readonly areCardsDue: boolean;
};

const list = sql<{
  client_id: string;
  is_live: boolean;
  buyer_mails: Partial<Record<BuyerMailKind, string>>;
  event_id: string;
  are_cards_due: boolean;
}>(
  'buyer_mails.list_clients',
  `select b.client_id, c.is_live, c.buyer_mails, b.event_id,
     c.buyer_mails ? 'cardExpires' and b.cards_looked_at <= svc_clock() - interval '6 hours'
       as are_cards_due
   from buyer_mail_cursors b join clients c on c.id = b.client_id
   where c.buyer_mails <> '{}' order by b.client_id`,
);

/** Lists the clients that have switched a mail on. */
export const listMailingClients = async (database: Database): Promise<MailingClient[]> =>
  (await database.read(list, [])).map((row) => ({
    clientId: row.client_id,
    isLive: row.is_live,
    since: Object.fromEntries(
      Object.entries(row.buyer_mails).map(([kind, since]) => [kind, checkedDate(since)]),
    ),
    eventId: row.event_id,
    areCardsDue: row.are_cards_due,
  }));

const advance = sql<{ client_id: string }>(
  'buyer_mails.advance',
  `update buyer_mail_cursors set event_id = $3 where client_id = $1 and event_id = $2
   returning client_id`,
);

/** Moves on unless another process has. */
export async function advanceCursor(
  database: Database,
  { clientId, eventId }: MailingClient,
  to: string,
): Promise<void> {
  await database.write(advance, [clientId, eventId, to]);
}

const take = sql<{ kind: string }>(
  'buyer_mails.take',
  `insert into automatic_mails (kind, subject_id, stage, client_id, created_at)
   values ($1, $2, $3, $4, svc_clock()) on conflict do nothing returning kind`,
);

export type AutomaticMail = {
  readonly kind: BuyerMailKind;
  readonly clientId: string;
  readonly subjectId: string;
  readonly stage: string;
};

/** Returns true for the one transaction that may queue the mail. */
export async function takeAutomaticMail(tx: Tx, mail: AutomaticMail): Promise<boolean> {
  const { kind, clientId, subjectId, stage } = mail;
  return (await tx.query(take, [kind, subjectId, stage, clientId])).length > 0;
}

export type ExpiringCard = {
  readonly methodId: string;
  readonly userId: string;
  readonly email: string;
  readonly brand: string | null;
  readonly lastFour: string | null;
  readonly gatewayId: string;
  readonly providerMethodId: string;
  readonly month: number;
  readonly year: number;
};

const lookAtCards = sql<{ client_id: string }>(
  'buyer_mails.look_at_cards',
  `update buyer_mail_cursors set cards_looked_at = svc_clock()
   where client_id = $1 and cards_looked_at <= svc_clock() - interval '6 hours'
   returning client_id`,
);

// A card is good to the end of its month; the mail goes in the last month.
const listCards = sql<{
  id: string;
  user_id: string;
  email: string;
  brand: string | null;
  last_four: string | null;
  gateway_id: string;
  provider_payment_method_id: string;
  expiry_month: number;
  expiry_year: number;
}>(
  'buyer_mails.expiring_cards',
  `select distinct m.id, m.user_id, c.email, m.brand, m.last_four, m.expiry_month, m.expiry_year,
     m.gateway_id, m.provider_payment_method_id
   from subscriptions s
   join payment_methods m on m.id = s.payment_method_id and m.client_id = s.client_id
   join customers c on c.client_id = m.client_id and c.id = m.user_id
   where s.client_id = $1 and s.status <> 'canceled' and s.end_reason is null and m.status = 'active'
     and (m.expiry_year, m.expiry_month) = (
       extract(year from svc_clock() at time zone 'UTC')::int,
       extract(month from svc_clock() at time zone 'UTC')::int)
     and not exists (select from automatic_mails a where a.kind = 'cardExpires'
       and a.subject_id = m.id and a.stage = m.expiry_year || '-' || m.expiry_month)`,
);

/**
 * Lists the cards of running subscriptions that expire with the present month and that nobody was
 * mailed about: at most every six hours, else none.
 */
export async function listExpiringCards(
  database: Database,
  clientId: string,
): Promise<ExpiringCard[]> {
  if ((await database.write(lookAtCards, [clientId])).length === 0) return [];
  return (await database.read(listCards, [clientId])).map((row) => ({
    methodId: row.id,
    userId: row.user_id,
    email: row.email,
    brand: row.brand,
    lastFour: row.last_four,
    gatewayId: row.gateway_id,
    providerMethodId: row.provider_payment_method_id,
    month: row.expiry_month,
    year: row.expiry_year,
  }));
}

const lookAgain = sql(
  'buyer_mails.look_again',
  `update buyer_mail_cursors set cards_looked_at = '-infinity' where client_id = $1`,
);

/** Makes the next pass look at the cards again, after a pass that failed. */
export async function lookAtCardsAgain(database: Database, clientId: string): Promise<void> {
  await database.write(lookAgain, [clientId]);
}
