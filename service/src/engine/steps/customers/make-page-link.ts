import { hash } from 'node:crypto';
import { customerPageAt } from '../../../domain/people/customer-page.ts';
import { insertPageLink, type NewPageLink } from '../../../storage/customers/customer-pages.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';

type PageLinkOptions = Pick<NewPageLink, 'clientId' | 'userId' | 'returnUrl' | 'lifeMs' | 'maker'>;

/**
 * Makes a link to the customer's own page; undefined when the customer is gone. The secret is in the
 * fragment, which browsers put into no request, log or referrer.
 */
export async function makePageLink(
  tx: Tx,
  wish: PageLinkOptions,
  { newId, randomBytes, settings }: Pick<Ports, 'newId' | 'randomBytes' | 'settings'>,
): Promise<{ readonly id: string; readonly url: string; readonly expiresAt: Date } | undefined> {
  const secret = randomBytes(32).toString('base64url');
  const id = newId();
  const linkSha256 = hash('sha256', secret, 'buffer');
  const expiresAt = await insertPageLink(tx, { ...wish, id, linkSha256 });
  if (!expiresAt) return undefined;
  const { checkoutUrl } = settings;
  const url = `${customerPageAt({ checkoutUrl, clientId: wish.clientId })}#${secret}`;
  return { id, url, expiresAt };
}
