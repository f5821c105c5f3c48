// The pages of an account and of its merchants, by their addresses.

import { MerchantPage, type SectionName } from '../dashboard/section-page.tsx';
import { ActivityPage } from './audit.tsx';
import { Home } from './home.tsx';
import { MailsPage } from './mails.tsx';
import { RecentAccessPage, recentAccessPath } from './recent-access.tsx';
import type { Params, Route } from './router.ts';

const merchant =
  (section: SectionName) =>
  ({ clientId = '', id }: Params) => (
    <MerchantPage clientId={clientId} section={section} id={id ?? null} />
  );

export const homeRoutes: readonly Route[] = [
  { path: '/account', asks: 'person', view: () => <Home /> },
  { path: '/account/activity', asks: 'person', view: () => <ActivityPage /> },
  { path: recentAccessPath, asks: 'person', view: () => <RecentAccessPage /> },
  { path: '/account/mails', asks: 'nothing', view: () => <MailsPage /> },
  { path: '/account/merchants/:clientId', asks: 'person', view: merchant('members') },
  { path: '/account/merchants/:clientId/business', asks: 'person', view: merchant('business') },
  {
    path: '/account/merchants/:clientId/refund-rule',
    asks: 'person',
    view: merchant('refund-rule'),
  },
  { path: '/account/merchants/:clientId/tokens', asks: 'person', view: merchant('tokens') },
  {
    path: '/account/merchants/:clientId/applications',
    asks: 'person',
    view: merchant('applications'),
  },
  { path: '/account/merchants/:clientId/webhooks', asks: 'person', view: merchant('webhooks') },
  { path: '/account/merchants/:clientId/webhooks/:id', asks: 'person', view: merchant('webhooks') },
  { path: '/account/merchants/:clientId/events/:id', asks: 'person', view: merchant('event') },
  { path: '/account/merchants/:clientId/tester', asks: 'person', view: merchant('tester') },
  { path: '/account/merchants/:clientId/audit', asks: 'person', view: merchant('audit') },
];
