import { imageSource } from '../../../domain/people/merchant-profile.ts';
import { findImages } from '../../../storage/clients/clients.ts';
import type { Ports } from '../../ports.ts';

/** A header that is longer would be cut off by some proxies. */
const mostLength = 4000;

/**
 * Returns the images from other origins that a page may show, its merchant's logo and those of the
 * merchant's own lines, as sources for the page's content security policy. Returns null when there are
 * none, or when the database does not answer: the page is then served without them.
 */
export async function findImageSources(
  of: { readonly sessionId: string } | { readonly clientId: string },
  { database }: Pick<Ports, 'database'>,
): Promise<string | null> {
  const images = await findImages(database, of).catch((): string[] => []);
  let sources = '';
  for (const image of images) {
    const source = imageSource(image);
    if (source && sources.length + source.length < mostLength) sources += ` ${source}`;
  }
  return sources.trim() || null;
}
