// Links to customers' own pages, and the pages that were opened with them. Only digests are kept: a reader of the
// tables can open nothing.

import type { Role } from '@svc/contract/rows/roles';
import { type BuyerLanguage, languageOf } from '@svc/contract/settings/languages';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import type { ShownProfile } from '../../domain/people/merchant-profile.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type MethodRow, methodColumns, toMethod } from '../payment-methods/payment-methods.ts';

/** Who made a link; null: the service itself, for a mail to the customer. */
export type LinkMaker = {
  readonly via: 'token' | 'oauth' | 'person';
  readonly userId: string;
  readonly tokenId: string;
  readonly scopes: readonly string[] | null;
};

export type NewPageLink = {
  readonly maker: LinkMaker | null;
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly linkSha256: Buffer;
  readonly returnUrl: string | null;
  readonly lifeMs: number;
};

const addressSha256 = "sha256(convert_to(lower(c.email), 'UTF8'))";

// Old rows are deleted with the next link. That of a mail stays for as long as somebody may open the mail and ask for
// another link.
const insert = sql<{ expires_at: Date }>(
  'customer_pages.insert_link',
  `with gone as (
     delete from customer_page_links where client_id = $2 and user_id = $3 and expires_at < svc_clock()
       - case maker_via when 'service' then interval '90 days' else interval '1 day' end)
   insert into customer_page_links (id, client_id, user_id, link_sha256, return_url, created_at,
     expires_at, maker_via, maker_user_id, maker_credential_id, maker_scopes, mailed_to_sha256)
   select $1, c.client_id, c.id, $4, $5, svc_clock(), svc_clock() + $6 * interval '1 millisecond',
     $7, $8, $9, $10, case $7 when 'service' then ${addressSha256} end
   from (select client_id, id, email from customers
     where client_id = $2 and id = $3 and forgotten_at is null for share) c
   returning expires_at`,
);

/** Returns when the link expires; undefined when the client has no such customer, or it was forgotten. */
export async function insertPageLink(tx: Tx, link: NewPageLink): Promise<Date | undefined> {
  const { id, clientId, userId, linkSha256, returnUrl, lifeMs, maker } = link;
  const values = [
    ...[id, clientId, userId, linkSha256, returnUrl, lifeMs, maker?.via ?? 'service'],
    ...[maker?.userId ?? null, maker?.tokenId ?? null, maker?.scopes ?? null],
  ];
  const [row] = await tx.query(insert, values);
  return row?.expires_at;
}

/**
 * A mailed link ends when the customer gets another address: whoever reads the former one may be a stranger. A
 * person's link outlives the sign-in, which ends as the person goes home; a program's ends with its credential.
 */
const linkStands = `(l.mailed_to_sha256 = (select ${addressSha256} from customers c
    where c.client_id = l.client_id and c.id = l.user_id)
  or exists (select from memberships m
    join users u on u.id = m.user_id and u.disabled_at is null
    where m.client_id = l.client_id and m.user_id = l.maker_user_id)
  and (l.maker_via = 'person'
    or credential_stands(l.maker_via, l.maker_credential_id, l.maker_user_id, l.client_id)))`;
const makerColumns = `l.maker_user_id, l.maker_scopes, (select m.role from memberships m
  where m.client_id = l.client_id and m.user_id = l.maker_user_id) as maker_role`;

type MakerRow = {
  maker_user_id: string | null;
  maker_scopes: string[] | null;
  maker_role: Role | null;
};

/** The maker of a page's link, with the role of now. */
export type PageMaker = {
  readonly userId: string;
  readonly role: Role;
  readonly scopes: readonly string[] | null;
};

const makerOf = (row: MakerRow): PageMaker | null =>
  row.maker_user_id === null || row.maker_role === null
    ? null
    : { userId: row.maker_user_id, role: row.maker_role, scopes: row.maker_scopes };

export type OpenedPage = {
  readonly maker: PageMaker | null;
  readonly client: ShownProfile & { readonly name: string; readonly timeZone: string };
  readonly isLive: boolean;
  readonly email: string;
  readonly language: BuyerLanguage | null;
  readonly returnUrl: string | null;
  readonly expiresAt: Date;
};

/** The most pages of one link at a time; of more, the oldest ends. */
const mostPages = 20;

const open = sql<
  {
    client: ShownProfile & { name: string; timeZone: string };
    is_live: boolean;
    email: string;
    language: string | null;
    return_url: string | null;
    page_expires_at: Date;
  } & MakerRow
>(
  'customer_pages.open',
  `with l as (
     select * from customer_page_links l
     where l.link_sha256 = $1 and l.expires_at > svc_clock() and ${linkStands} for key share),
   gone as (
     delete from customer_pages where link_id = (select id from l) and (expires_at <= svc_clock()
       or page_sha256 in (select page_sha256 from customer_pages where link_id = (select id from l)
         order by opened_at desc offset ${mostPages - 1}))),
   page as (
     insert into customer_pages (page_sha256, client_id, link_id, opened_at, expires_at)
     select $2, client_id, id, svc_clock(), svc_clock() + $3 * interval '1 millisecond' from l
     returning expires_at as page_expires_at)
   select json_build_object('name', m.name, 'businessName', m.business_name, 'logoUrl', m.logo_url,
       'supportEmail', m.support_email, 'termsUrl', m.terms_url, 'brandColor', m.brand_color, 'timeZone', m.time_zone) as client,
     m.is_live, c.email, c.language, l.return_url, page.page_expires_at, ${makerColumns}
   from l, page, clients m, customers c
   where m.id = l.client_id and c.client_id = l.client_id and c.id = l.user_id`,
);

/** Opens a link as one more page. Returns undefined when the link is unknown or expired. */
export async function openPage(
  database: Database,
  { linkSha256, pageSha256, lifeMs }: { linkSha256: Buffer; pageSha256: Buffer; lifeMs: number },
): Promise<OpenedPage | undefined> {
  const [row] = await database.write(open, [linkSha256, pageSha256, lifeMs]);
  return (
    row && {
      client: row.client,
      isLive: row.is_live,
      email: row.email,
      language: row.language === null ? null : languageOf(row.language),
      returnUrl: row.return_url,
      expiresAt: row.page_expires_at,
      maker: makerOf(row),
    }
  );
}

export type PageLink = {
  readonly clientId: string;
  readonly userId: string;
  /** Whether the service mailed it to the customer. */
  readonly isMailed: boolean;
  readonly isOver: boolean;
};

const findLink = sql<{ client_id: string; user_id: string; is_mailed: boolean; is_over: boolean }>(
  'customer_pages.find_link',
  `select client_id, user_id, maker_via = 'service' as is_mailed,
     (expires_at <= svc_clock() or (maker_via = 'service' and not ${linkStands})) as is_over
   from customer_page_links l where link_sha256 = $1`,
);

/** Returns the link, also an expired one; undefined when it is unknown or was deleted. */
export async function findPageLink(
  database: Database,
  linkSha256: Buffer,
): Promise<PageLink | undefined> {
  const [row] = await database.read(findLink, [linkSha256]);
  return (
    row && {
      clientId: row.client_id,
      userId: row.user_id,
      isMailed: row.is_mailed,
      isOver: row.is_over,
    }
  );
}

const countMailed = sql<{ many: number }>(
  'customer_pages.count_mailed',
  `select count(*)::int as many from customer_page_links where client_id = $1 and user_id = $2
     and maker_via = 'service' and created_at > svc_clock() - interval '1 hour'`,
);

/** Returns how many links were mailed to the customer within the last hour. */
export async function countMailedLinks(
  tx: Tx,
  { clientId, userId }: Pick<PageLink, 'clientId' | 'userId'>,
): Promise<number> {
  const [row] = await tx.query(countMailed, [clientId, userId]);
  return row?.many ?? 0;
}

export type PageOwner = {
  readonly maker: PageMaker | null;
  readonly pageId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly pageSha256: Buffer;
};

const find = sql<
  { id: string; client_id: string; user_id: string; page_sha256: Buffer } & MakerRow
>(
  'customer_pages.find',
  `select l.id, l.client_id, l.user_id, p.page_sha256, ${makerColumns}
   from customer_pages p join customer_page_links l on l.id = p.link_id
   where p.page_sha256 = $1 and p.expires_at > svc_clock() and ${linkStands}`,
);

/**
 * Returns the owner of the page; undefined when the page is unknown or expired, and when the maker of its
 * link has left.
 */
export async function findPage(
  database: Database,
  pageSha256: Buffer,
): Promise<PageOwner | undefined> {
  const [row] = await database.read(find, [pageSha256]);
  return (
    row && {
      pageId: row.id,
      clientId: row.client_id,
      userId: row.user_id,
      pageSha256: row.page_sha256,
      maker: makerOf(row),
    }
  );
}

const methods = sql<MethodRow & { default_id: string | null }>(
  'customer_pages.methods',
  `select ${methodColumns}, c.default_payment_method_id as default_id
   from customers c join payment_methods m on m.client_id = c.client_id and m.user_id = c.id
   where c.client_id = $1 and c.id = $2 and m.status = 'active'
   order by m.created_at desc, m.id desc`,
);

/** Returns the customer's active methods, newest first, and which of them is charged by default. */
export async function findPageMethods(
  database: Database,
  clientId: string,
  userId: string,
): Promise<{ methods: PaymentMethod[]; defaultId: string | null }> {
  const rows = await database.read(methods, [clientId, userId]);
  return { methods: rows.map(toMethod), defaultId: rows[0]?.default_id ?? null };
}

export type CustomerOfAddress = {
  readonly userId: string;
  readonly email: string;
  /** What its running subscriptions are of. */
  readonly productNames: readonly string[];
};

const listOfAddress = sql<{ id: string; email: string; product_names: string[] }>(
  'customer_pages.of_address',
  `select c.id, c.email, coalesce(s.names, '{}') as product_names
   from customers c left join lateral (
     select array_agg(s.product_name order by s.created_at, s.id) as names from subscriptions s
     where s.client_id = $1 and s.user_id = c.id and s.status <> 'canceled') s on true
   where c.client_id = $1 and lower(c.email) = lower($2) and c.forgotten_at is null
   order by s.names is null, c.created_at desc, c.id desc limit 50`,
);
const mostOfAddress = 10;

/**
 * Lists customers of an address in any letter case: ten at most, those with running subscriptions first. PostgreSQL
 * folds more than letter case, so that two people's addresses may look like one: lower('İ') is 'i'.
 */
export async function listCustomersOfAddress(
  database: Database,
  clientId: string,
  email: string,
): Promise<CustomerOfAddress[]> {
  const rows = await database.read(listOfAddress, [clientId, email]);
  return rows
    .filter((row) => isSameEmail(row.email, email))
    .slice(0, mostOfAddress)
    .map((row) => ({ userId: row.id, email: row.email, productNames: row.product_names }));
}
