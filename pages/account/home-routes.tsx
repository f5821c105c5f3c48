// The pages of a person's own account, by their addresses.

import type { Route } from '../kit/router.ts';
import { ActivityPage } from './activity.tsx';
import { Home } from './home.tsx';
import { MailsPage } from './mails.tsx';
import { RecentAccessPage, recentAccessPath } from './recent-access.tsx';

export const homeRoutes: readonly Route[] = [
  { path: '/account', asks: 'person', view: () => <Home /> },
  { path: '/account/activity', asks: 'person', view: () => <ActivityPage /> },
  { path: recentAccessPath, asks: 'person', view: () => <RecentAccessPage /> },
  { path: '/account/mails', asks: 'nothing', view: () => <MailsPage /> },
];
