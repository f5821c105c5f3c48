import { logoSource } from '../../../domain/people/merchant-profile.ts';
import { findLogo } from '../../../storage/clients/clients.ts';
import type { Ports } from '../../ports.ts';

/**
 * Returns the one image from another origin that a page may show, its merchant's logo, as a source
 * for the page's content security policy. Returns null when there is none, or when the database
 * does not answer: the page is then served without it.
 */
export const findLogoSource = (
  of: { readonly sessionId: string } | { readonly clientId: string },
  { database }: Pick<Ports, 'database'>,
): Promise<string | null> => findLogo(database, of).then(logoSource, () => null);
