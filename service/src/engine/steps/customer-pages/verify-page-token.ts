import { timingSafeEqual } from 'node:crypto';
import { findPage, type PageOwner } from '../../../storage/customers/customer-pages.ts';
import type { Ports } from '../../ports.ts';

/**
 * Returns the customer whose page the token opens; undefined alike when the token is
 * unknown or expired, and when the maker of its link has left.
 */
export async function verifyPageToken(
  pageSha256: Buffer,
  ports: Pick<Ports, 'database'>,
): Promise<Omit<PageOwner, 'pageSha256'> | undefined> {
  const page = await findPage(ports.database, pageSha256);
  if (!page || !timingSafeEqual(page.pageSha256, pageSha256)) return undefined;
  const { pageSha256: _, ...owner } = page;
  return owner;
}
