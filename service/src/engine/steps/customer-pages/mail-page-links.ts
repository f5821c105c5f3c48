import { mailedLinkLifeMs } from '../../../domain/people/customer-page.ts';
import type { Client } from '../../../storage/clients/clients.ts';
import type { CustomerOfAddress } from '../../../storage/customers/customer-pages.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Caller, Ports } from '../../ports.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { type PageOf, pageLinksWords } from '../buyer-mails/buyer-words.ts';
import { makePageLink } from '../customers/make-page-link.ts';
import { queueMailToBuyer } from '../mails/queue-mail.ts';

type Wish = {
  readonly caller: Caller;
  readonly client: Client;
  /** The stored address of all of the customers, not one that was typed, which may differ in its letters. */
  readonly to: string;
  readonly customers: readonly Pick<CustomerOfAddress, 'userId' | 'productNames'>[];
  readonly locale: string;
};

/** Mails one address the links to the pages of its customers. Returns false when all of them are gone. */
export async function mailPageLinks(tx: Tx, wish: Wish, ports: Ports): Promise<boolean> {
  const { caller, client, to, customers, locale } = wish;
  const { id: clientId } = client;
  const pages: PageOf[] = [];
  for (const { userId, productNames } of customers) {
    const terms = { returnUrl: null, lifeMs: mailedLinkLifeMs, maker: null };
    const link = await makePageLink(tx, { clientId, userId, ...terms }, ports);
    if (!link) continue;
    pages.push({ url: link.url, productNames });
    const resource = { resourceType: 'customer', resourceId: userId, clientId };
    const change = { action: 'customer_page.link_mailed', ...resource, after: { pageId: link.id } };
    await recordChange(tx, caller, change, ports);
  }
  if (pages.length === 0) return false;
  const words = pageLinksWords({ client, mode: ports.settings.mode, locale }, pages);
  await queueMailToBuyer(tx, client, { ...words, to, kind: 'buyer_page_link' }, ports);
  return true;
}
