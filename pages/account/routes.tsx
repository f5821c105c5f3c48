// Every page of this bundle by its address.

import type { Route } from '../kit/router.ts';
import { homeRoutes } from './home-routes.tsx';
import { signInRoutes } from './sign-in-routes.tsx';

export const routes: readonly Route[] = [...signInRoutes, ...homeRoutes];
