// One-time links to customers' own pages, and the pages that were opened with them. Only digests
// are kept: a reader of the table can open nothing.

import type { Role } from '@svc/contract/rows/roles';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import type { MerchantProfile } from '../../domain/people/merchant-profile.ts';
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

// Rows that expired more than a day ago are deleted with the next link, so a customer never has
// more rows than one day's.
const insert = sql<{ expires_at: Date }>(
  'customer_pages.insert_link',
  `with gone as (
     delete from customer_page_links where client_id = $2 and user_id = $3
       and coalesce(page_expires_at, expires_at) < svc_clock() - interval '1 day')
   insert into customer_page_links (id, client_id, user_id, link_sha256, return_url, created_at,
     expires_at, maker_via, maker_user_id, maker_credential_id, maker_scopes)
   select $1, c.client_id, c.id, $4, $5, svc_clock(), svc_clock() + $6 * interval '1 millisecond',
     $7, $8, $9, $10
   from (select client_id, id from customers
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

/** A person's link outlives the sign-in, which ends as the person goes home; a program's ends with its credential. */
const makerStands = `(l.maker_via = 'service' or exists (select from memberships m
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
  readonly client: MerchantProfile & { readonly name: string };
  readonly isLive: boolean;
  readonly email: string;
  readonly returnUrl: string | null;
  readonly expiresAt: Date;
};

const open = sql<
  {
    client: MerchantProfile & { name: string };
    is_live: boolean;
    email: string;
    return_url: string | null;
    page_expires_at: Date;
  } & MakerRow
>(
  'customer_pages.open',
  `update customer_page_links l set opened_at = svc_clock(), page_sha256 = $2,
     page_expires_at = svc_clock() + $3 * interval '1 millisecond'
   from clients m, customers c
   where l.link_sha256 = $1 and l.opened_at is null and l.expires_at > svc_clock() and ${makerStands}
     and m.id = l.client_id and c.client_id = l.client_id and c.id = l.user_id
   returning json_build_object('name', m.name, 'businessName', m.business_name, 'logoUrl', m.logo_url,
       'supportEmail', m.support_email, 'termsUrl', m.terms_url, 'brandColor', m.brand_color) as client,
     m.is_live, c.email, l.return_url, l.page_expires_at,
     ${makerColumns}`,
);

/**
 * Opens a link; of two concurrent calls only one succeeds. Returns undefined when the link is
 * unknown, opened or expired.
 */
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
      returnUrl: row.return_url,
      expiresAt: row.page_expires_at,
      maker: makerOf(row),
    }
  );
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
  `select l.id, l.client_id, l.user_id, l.page_sha256, ${makerColumns} from customer_page_links l
   where l.page_sha256 = $1 and l.page_expires_at > svc_clock() and ${makerStands}`,
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
