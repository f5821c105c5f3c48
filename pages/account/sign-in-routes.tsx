// The pages for signing in, joining and consent, by address.

import type { Route } from '../kit/router.ts';
import { AuthorizePage } from './authorize.tsx';
import { DevicePage } from './device.tsx';
import { InvitationPage } from './invitation.tsx';
import { ForgottenPage, ResetPage } from './reset.tsx';
import { SignInPage } from './sign-in.tsx';

export const signInRoutes: readonly Route[] = [
  { path: '/account/sign-in', asks: 'nothing', view: () => <SignInPage /> },
  { path: '/account/forgotten', asks: 'nothing', view: () => <ForgottenPage /> },
  { path: '/account/reset', asks: 'nothing', view: () => <ResetPage /> },
  { path: '/account/invitation', asks: 'nothing', view: () => <InvitationPage /> },
  {
    path: '/account/authorize/:uid',
    asks: 'nothing',
    view: ({ uid = '' }) => <AuthorizePage uid={uid} />,
  },
  { path: '/account/device', asks: 'nothing', view: () => <DevicePage /> },
];
