import { imageSource } from '../../../domain/people/merchant-profile.ts';
import { findClientImages, findSessionPage } from '../../../storage/clients/clients.ts';
import type { Ports } from '../../ports.ts';

type PageParts = {
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

/**
 * Returns what the page of a session has of its merchant before its script runs; undefined where there is no such
 * session, or the database does not answer: the page is then served without.
 */
export async function findSessionParts(
  sessionId: string,
  { database, vault }: Pick<Ports, 'database' | 'vault'>,
): Promise<PageParts | undefined> {
  const found = await findSessionPage(database, sessionId).catch(() => null);
  return found
    ? {
        imageSources: sourcesOf(found.images),
        formUrl: found.takesCard ? vault.formUrl(found.allowedOrigins) : null,
      }
    : undefined;
}

/** Returns the same origins for a client's customer pages. */
export const findClientImageSources = async (
  clientId: string,
  { database }: Pick<Ports, 'database'>,
): Promise<string | null> => sourcesOf(await findClientImages(database, clientId).catch(() => []));
