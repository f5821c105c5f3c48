// Shows the page of the address. A page that needs a person shows the sign-in page first.

import { ConfirmDialog } from '../kit/parts/confirm-dialog.tsx';
import { Doorman } from '../kit/parts/doorman.tsx';
import { Headline, NarrowPage } from '../kit/parts/page.tsx';
import { person } from '../kit/person.ts';
import { findRoute, place } from '../kit/router.ts';
import { routes } from './routes.tsx';

export function App() {
  const path = place.value;
  const found = findRoute(routes, path);
  return (
    <>
      {found?.route.asks === 'person' && <Doorman />}
      {!found && <NoSuchPage />}
      {found && (found.route.asks === 'nothing' || person.value) && (
        // The key makes a page of another address start with new state.
        <div key={path}>{found.route.view(found.params)}</div>
      )}
      <ConfirmDialog />
    </>
  );
}

const NoSuchPage = () => (
  <NarrowPage>
    <Headline>There is no such page</Headline>
    <p class="lead">The address may be mistyped, or the page has moved.</p>
    <a class="pay" href="/account">
      Go to your account
    </a>
  </NarrowPage>
);
