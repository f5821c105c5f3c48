// Former addresses of a merchant's pages under the account lead to the dashboard, for bookmarks and old
// mails.

import type { FastifyInstance } from 'fastify';

/** By the part of the former address; the parts of Developers and Settings. */
const groups: Readonly<Record<string, string>> = {
  members: 'settings',
  business: 'settings',
  'refund-rule': 'settings',
  audit: 'settings',
  tokens: 'developers',
  applications: 'developers',
  webhooks: 'developers',
  events: 'developers',
  tester: 'developers',
};

/** Returns the new address of a former one, both as they stand in a request. */
function findNewAddress(url: string): string {
  const [path = '', search] = url.split('?', 2);
  const [, , clientId, part = 'members', ...more] = path.split('/').filter(Boolean);
  // A path that never existed leads to the dashboard's page for unknown addresses.
  const group = Object.hasOwn(groups, part) ? [groups[part]] : [];
  const parts = ['/dashboard', clientId, ...group, part, ...more].join('/');
  return search === undefined ? parts : `${parts}?${search}`;
}

/**
 * Redirects with 302, which browsers do not keep: an older version that runs again has pages there. The
 * browser keeps the fragment itself.
 */
export function redirectMovedPages(app: FastifyInstance): void {
  for (const path of ['/account/merchants/:clientId', '/account/merchants/:clientId/*']) {
    app.get(path, async ({ url }, reply) => reply.redirect(findNewAddress(url), 302));
  }
}
