import assert from 'node:assert';
import {
  type BuyerMailKind,
  type BuyerMails,
  buyerMailKinds,
} from '@svc/contract/settings/buyer-mails';
import type { CustomerPageRules } from '@svc/contract/settings/clients';
import { type BuyerLanguage, languageOf } from '@svc/contract/settings/languages';
import type { MerchantProfile } from '../../domain/people/merchant-profile.ts';
import { readClock } from '../database/clock.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type Client = MerchantProfile & {
  readonly id: string;
  readonly name: string;
  readonly isLive: boolean;
  readonly allowedOrigins: readonly string[];
  readonly apiVersion: string;
  readonly timeZone: string;
  /** The language of mails to buyers whose own language is unknown. */
  readonly buyerLanguage: BuyerLanguage;
  /** The mails to buyers that are on. */
  readonly buyerMails: BuyerMails;
  readonly customerPage: CustomerPageRules;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

type Row = {
  id: string;
  name: string;
  is_live: boolean;
  allowed_origins: string[];
  business_name: string | null;
  logo_url: string | null;
  support_email: string | null;
  terms_url: string | null;
  brand_color: string | null;
  business_address: string | null;
  tax_number: string | null;
  api_version: string;
  time_zone: string;
  buyer_language: string;
  buyer_mails: Partial<Record<BuyerMailKind, string>>;
  page_cancels: boolean;
  page_in_mails: boolean;
  created_at: Date;
  updated_at: Date;
};

const columns = `id, name, is_live, allowed_origins, business_name, logo_url, support_email, terms_url,
  brand_color, business_address, tax_number, api_version, time_zone, buyer_language, buyer_mails, page_cancels, page_in_mails, created_at,
  updated_at`;

const toClient = (row: Row): Client => ({
  id: row.id,
  name: row.name,
  isLive: row.is_live,
  allowedOrigins: row.allowed_origins,
  businessName: row.business_name,
  logoUrl: row.logo_url,
  supportEmail: row.support_email,
  termsUrl: row.terms_url,
  brandColor: row.brand_color,
  businessAddress: row.business_address,
  taxNumber: row.tax_number,
  apiVersion: row.api_version,
  timeZone: row.time_zone,
  buyerLanguage: languageOf(row.buyer_language),
  buyerMails: Object.fromEntries(
    buyerMailKinds.map((kind) => [kind, row.buyer_mails[kind] !== undefined]),
  ) as BuyerMails,
  customerPage: { cancel: row.page_cancels, linkInMails: row.page_in_mails },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const find = sql<Row>('clients.find', `select ${columns} from clients where id = $1`);

export async function findClient(database: Database, id: string): Promise<Client | undefined> {
  const [row] = await database.read(find, [id]);
  return row && toClient(row);
}

const lockClient = sql<Row>(
  'clients.lock',
  `select ${columns} from clients where id = $1 for no key update`,
);

const update = sql<Row>(
  'clients.update',
  `update clients set allowed_origins = $2, business_name = $3, logo_url = $4, support_email = $5,
     terms_url = $6, brand_color = $7, time_zone = $8, buyer_mails = $9::jsonb, buyer_language = $10,
     page_cancels = $11, page_in_mails = $12, business_address = $13, tax_number = $14,
     updated_at = svc_clock()
   where id = $1 returning ${columns}`,
);

/**
 * The settings that a merchant may change: the origins whose pages may call the browser routes, and
 * how buyers see the business.
 */
export type ClientChanges = Partial<
  MerchantProfile & Pick<Client, 'allowedOrigins' | 'timeZone' | 'buyerLanguage'>
> & {
  readonly buyerMails?: Partial<BuyerMails>;
  readonly customerPage?: Partial<CustomerPageRules>;
};

// Starts after the newest event: earlier events are not mailed.
const startMails = sql(
  'clients.start_buyer_mails',
  `insert into buyer_mail_cursors (client_id, event_id, cards_looked_at)
   values ($1, coalesce((select id from events where client_id = $1
     order by created_at desc, id desc limit 1), '00000000-0000-0000-0000-000000000000'),
     '-infinity')
   on conflict (client_id) do update
     set event_id = excluded.event_id, cards_looked_at = excluded.cards_looked_at`,
);

/** Returns since when each mail is on; a mail that stays on keeps its time. */
async function mailsSince(
  tx: Tx,
  locked: Row,
  wished: Partial<BuyerMails> | undefined,
): Promise<Row['buyer_mails']> {
  const before = locked.buyer_mails;
  if (wished === undefined) return before;
  const now = (await readClock(tx)).toISOString();
  const next = Object.fromEntries(
    buyerMailKinds
      .filter((kind) => wished[kind] ?? before[kind] !== undefined)
      .map((kind) => [kind, before[kind] ?? now]),
  );
  const isStarted = Object.keys(before).length === 0 && Object.keys(next).length > 0;
  if (isStarted) await tx.query(startMails, [locked.id]);
  return next;
}

/** Changes the given settings and keeps the others; returns undefined when there is no such client. */
export async function updateClientRow(
  tx: Tx,
  id: string,
  changes: ClientChanges,
): Promise<{ readonly before: Client; readonly after: Client } | undefined> {
  const [locked] = await tx.query(lockClient, [id]);
  if (!locked) return undefined;
  const before = toClient(locked);
  const next = { ...before, ...changes };
  const page = { ...before.customerPage, ...changes.customerPage };
  const values = [
    ...[id, next.allowedOrigins, next.businessName, next.logoUrl, next.supportEmail],
    ...[next.termsUrl, next.brandColor, next.timeZone],
    JSON.stringify(await mailsSince(tx, locked, changes.buyerMails)),
    ...[next.buyerLanguage, page.cancel, page.linkInMails, next.businessAddress, next.taxNumber],
  ];
  const [row] = await tx.query(update, values);
  assert(row, 'clients are never deleted');
  return { before, after: toClient(row) };
}

const findPageOfSession = sql<{
  logo_url: string | null;
  images: string[];
  allowed_origins: string[];
  takes_card: boolean;
}>(
  'clients.find_page_of_session',
  `select c.logo_url, array(
     select distinct l->>'imageUrl' from jsonb_array_elements(s.lines) l
     where l ? 'imageUrl' limit 20) as images,
     c.allowed_origins, s.status in ('unclaimed', 'open') as takes_card
   from checkout_sessions s join clients c on c.id = s.client_id where s.id = $1`,
);
const findLogoOfClient = sql<{ logo_url: string | null }>(
  'clients.find_logo',
  'select logo_url from clients where id = $1',
);

/** What the page of a session shows of its merchant before it is read: the logo, and images of twenty lines at most. */
export async function findSessionPage(
  database: Database,
  sessionId: string,
): Promise<{
  readonly images: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly takesCard: boolean;
} | null> {
  const [row] = await database.read(findPageOfSession, [sessionId]);
  return row
    ? {
        images: [...(row.logo_url ? [row.logo_url] : []), ...row.images],
        allowedOrigins: row.allowed_origins,
        takesCard: row.takes_card,
      }
    : null;
}

/** The images of a client's customer pages: its logo. */
export async function findClientImages(database: Database, clientId: string): Promise<string[]> {
  const [row] = await database.read(findLogoOfClient, [clientId]);
  return row?.logo_url ? [row.logo_url] : [];
}
