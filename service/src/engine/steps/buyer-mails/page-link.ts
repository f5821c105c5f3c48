import { hash } from 'node:crypto';
import { customerPageAt, mailedLinkLifeMs } from '../../../domain/people/customer-page.ts';
import { insertPageLink } from '../../../storage/customers/customer-pages.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';

type LinkPorts = Pick<Ports, 'newId' | 'randomBytes' | 'settings'>;

/** A link to the customer's own page for a mail; undefined when the customer is gone. */
export async function mailedPageLink(
  tx: Tx,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  { newId, randomBytes, settings: { checkoutUrl } }: LinkPorts,
): Promise<string | undefined> {
  const secret = randomBytes(32).toString('base64url');
  const until = await insertPageLink(tx, {
    id: newId(),
    clientId,
    userId,
    linkSha256: hash('sha256', secret, 'buffer'),
    returnUrl: null,
    lifeMs: mailedLinkLifeMs,
  });
  return until && `${customerPageAt({ checkoutUrl, clientId })}#${secret}`;
}
