import { timingSafeEqual } from 'node:crypto';
import { findPage, type PageOwner } from '../../../storage/customers/customer-pages.ts';
import type { Ports } from '../../ports.ts';

/** Whose page the token opens; undefined when it is unknown or its time is over: all alike. */
export async function verifyPageToken(
  pageSha256: Buffer,
  ports: Pick<Ports, 'database'>,
): Promise<Omit<PageOwner, 'pageSha256'> | undefined> {
  const page = await findPage(ports.database, pageSha256);
  if (!page || !timingSafeEqual(page.pageSha256, pageSha256)) return undefined;
  const { pageId, clientId, userId } = page;
  return { pageId, clientId, userId };
}
