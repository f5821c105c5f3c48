import { imageSource } from '../../../domain/people/merchant-profile.ts';
import { findClientPage, findSessionPage } from '../../../storage/clients/clients.ts';
import type { Ports } from '../../ports.ts';

/** What a buyer's page has of its merchant before its script runs. */
export type PageParts = {
  /** Origins of the merchant's logo and lines, for the page's content security policy; null where there are none. */
  readonly imageSources: string | null;
  /** The address of the card form, of a session that may take a card. */
  readonly formUrl: string | null;
};

/** A header that is longer would be cut off by some proxies. */
const mostLength = 4000;

function sourcesOf(images: readonly string[]): string | null {
  let sources = '';
  for (const image of images) {
    const source = imageSource(image);
    if (source && sources.length + source.length < mostLength) sources += ` ${source}`;
  }
  return sources.trim() || null;
}

const nothing: PageParts = { imageSources: null, formUrl: null };

/** Returns the parts of a session's page; none when the database does not answer: the page is then served without. */
export async function findSessionParts(
  sessionId: string,
  { database, vault }: Pick<Ports, 'database' | 'vault'>,
): Promise<PageParts> {
  const found = await findSessionPage(database, sessionId).catch(() => null);
  if (!found) return nothing;
  return {
    imageSources: sourcesOf(found.images),
    formUrl: found.takesCard ? vault.formUrl(found.allowedOrigins) : null,
  };
}

/** The same for a client's customer pages, whose form follows a press. */
export async function findClientParts(
  clientId: string,
  { database }: Pick<Ports, 'database'>,
): Promise<PageParts> {
  const images = await findClientPage(database, clientId).catch(() => []);
  return { imageSources: sourcesOf(images), formUrl: null };
}
