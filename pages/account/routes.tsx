// Every page of this bundle by its address.

import { Headline, Narrow } from './parts.tsx';
import { person } from './person.ts';
import type { Route } from './router.ts';
import { signInRoutes } from './sign-in-routes.tsx';

export const routes: readonly Route[] = [
  ...signInRoutes,
  {
    path: '/account',
    asks: 'person',
    view: () => (
      <Narrow>
        <Headline title="Account">{person.value?.name ?? person.value?.email}</Headline>
      </Narrow>
    ),
  },
];
