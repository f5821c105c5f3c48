// Every page of this bundle by its address.

import { homeRoutes } from './home-routes.tsx';
import type { Route } from './router.ts';
import { signInRoutes } from './sign-in-routes.tsx';

export const routes: readonly Route[] = [...signInRoutes, ...homeRoutes];
