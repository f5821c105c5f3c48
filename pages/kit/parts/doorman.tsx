// Protects the pages of people: visitors who are not signed in go to the sign-in page and then return.

import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { person, personTrouble, readPerson } from '../person.ts';
import { goTo, place, signInAddress } from '../router.ts';
import { Busy, useAction } from './form.tsx';
import { Headline, NarrowPage, Waiting } from './page.tsx';
import { Trouble } from './states.tsx';

type DoormanProps = {
  /** Shown while it is not known who is there. */
  readonly waiting?: VNode;
};

/** Sends a visitor who is not signed in to the sign-in page, which leads back here. */
export function Doorman({ waiting = <Waiting /> }: DoormanProps) {
  const known = person.value;
  useEffect(() => {
    if (known === undefined) void readPerson();
    if (known === null) goTo(signInAddress(place.value + location.search), { replaces: true });
  }, [known]);
  const { run, isBusy } = useAction(readPerson);
  if (known) return null;
  const failure = personTrouble.value;
  if (!failure) return waiting;
  return (
    <NarrowPage>
      <Headline>Your sign-in could not be checked</Headline>
      <Trouble hasFocus failure={failure} />
      <Busy isBusy={isBusy} onClick={() => void run()}>
        Try again
      </Busy>
    </NarrowPage>
  );
}
