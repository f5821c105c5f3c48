// Who may see the pages of people: sends those who are not signed in to sign in, and back.

import { useEffect } from 'preact/hooks';
import { Busy, ErrorBox, Headline, Narrow, useAct, Waiting } from './parts.tsx';
import { person, personTrouble, readPerson } from './person.ts';
import { go, place, signInAddress } from './router.ts';

/** Lets nobody pass but a person; sends others to sign in, and back here after it. */
export function Doorman() {
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
