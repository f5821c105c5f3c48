import { logoSource } from '../../../domain/people/merchant-profile.ts';
import { findLogo } from '../../../storage/accounts/clients.ts';
import type { Ports } from '../../ports.ts';

/**
 * The one image from elsewhere that a page may show: its merchant's logo, as a source of the page's
 * policy. Null where there is none, and where the database does not answer: a page is served without it.
 */
export const findLogoSource = (
  of: { readonly sessionId: string } | { readonly clientId: string },
  { database }: Pick<Ports, 'database'>,
): Promise<string | null> => findLogo(database, of).then(logoSource, () => null);
