// Shows the page of the address: for a person, the page of signing in comes first.

import { useEffect } from 'preact/hooks';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Busy, ErrorBox, Headline, Narrow, useAct, Waiting } from './parts.tsx';
import { person, personTrouble, readPerson } from './person.ts';
import { findRoute, go, place, signInAddress } from './router.ts';
import { routes } from './routes.tsx';

export function App() {
  const path = place.value;
  const found = findRoute(routes, path);
  return (
    <>
      {found?.route.asks === 'person' && <Doorman />}
      {!found && <NoSuchPage />}
      {found && (found.route.asks === 'nothing' || person.value) && (
        // A page of another address begins anew.
        <div key={path}>{found.route.view(found.params)}</div>
      )}
      <ConfirmDialog />
    </>
  );
}

/** Lets nobody pass but a person; sends others to sign in, and back here after it. */
function Doorman() {
  const known = person.value;
  useEffect(() => {
    if (known === undefined) void readPerson();
    if (known === null) go(signInAddress(place.value + location.search), { replaces: true });
  }, [known]);
  const { run, isBusy } = useAct(readPerson);
  if (known) return null;
  const failure = personTrouble.value;
  if (!failure) return <Waiting />;
  return (
    <Narrow>
      <Headline>We cannot tell who you are</Headline>
      <ErrorBox failure={failure} />
      <Busy isBusy={isBusy} onClick={() => void run()}>
        Try again
      </Busy>
    </Narrow>
  );
}

const NoSuchPage = () => (
  <Narrow>
    <Headline>There is no such page</Headline>
    <p class="lead">The address may be mistyped, or the page has moved.</p>
    <a class="pay" href="/account">
      Go to your account
    </a>
  </Narrow>
);
