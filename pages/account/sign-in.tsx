// The sign-in page. `?next=` is the address to continue at.

import { useEffect } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { Busy, useAction } from '../kit/parts/form.tsx';
import { Headline, NarrowPage, Waiting } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { person, readPerson } from '../kit/person.ts';
import { goTo, nextAddressOf } from '../kit/router.ts';
import { SignInBox } from './sign-in-box.tsx';

export function SignInPage() {
  const known = person.value;
  const next = nextAddressOf(location.search);
  useEffect(() => {
    void readPerson();
  }, []);
  const goToNext = () => goTo(next, { replaces: true });
  if (known) return <SignedIn onGoOn={goToNext} />;
  return (
    <NarrowPage>
      <SignInBox title="Sign in" onDone={goToNext} />
    </NarrowPage>
  );
}

/** This browser is already signed in: by the visitor, or by somebody else before. */
function SignedIn({ onGoOn }: { onGoOn: () => void }) {
  const { run, isBusy, failure } = useAction(async () => {
    await call('POST /v1/account/sign-out', { body: {} }, { isVisitor: true });
    person.value = null;
  });
  const known = person.value;
  if (!known) return <Waiting />;
  return (
    <NarrowPage>
      <Headline title="Signed in">You are signed in</Headline>
      <p class="lead">
        As <strong>{known.email}</strong> in this browser.
      </p>
      {failure && <Trouble hasFocus failure={failure} />}
      <button type="button" class="pay" onClick={onGoOn}>
        Go on
      </button>
      <p class="beside">
        <Busy kind="link" isBusy={isBusy} onClick={() => void run()}>
          Sign in as somebody else
        </Busy>
      </p>
    </NarrowPage>
  );
}
