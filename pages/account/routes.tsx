// Every page of this bundle by its address.

import { Headline, Narrow } from './parts.tsx';
import { person } from './person.ts';
import type { Route } from './router.ts';

export const routes: readonly Route[] = [
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
