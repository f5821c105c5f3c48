// The pages of an account and of its merchants, by their addresses.

import { ActivityPage } from './audit.tsx';
import { Home } from './home.tsx';
import { MailsPage } from './mails.tsx';
import { MerchantPage } from './merchant-page.tsx';
import type { Params, Route } from './router.ts';

const merchant =
  (section: 'members' | 'tokens' | 'applications' | 'audit') =>
  ({ clientId = '' }: Params) => <MerchantPage clientId={clientId} section={section} />;

export const homeRoutes: readonly Route[] = [
  { path: '/account', asks: 'person', view: () => <Home /> },
  { path: '/account/activity', asks: 'person', view: () => <ActivityPage /> },
  { path: '/account/mails', asks: 'nothing', view: () => <MailsPage /> },
  { path: '/account/merchants/:clientId', asks: 'person', view: merchant('members') },
  { path: '/account/merchants/:clientId/tokens', asks: 'person', view: merchant('tokens') },
  {
    path: '/account/merchants/:clientId/applications',
    asks: 'person',
    view: merchant('applications'),
  },
  { path: '/account/merchants/:clientId/audit', asks: 'person', view: merchant('audit') },
];
