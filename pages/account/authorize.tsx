// The page for an application that requests access: sign-in first if it is required, then the choice of the
// merchant, and consent. Nothing is permitted without pressing the button. Contract §6.

import { useEffect, useState } from 'preact/hooks';
import { CallFailure, call } from '../kit/calls.ts';
import type { Interaction } from '../kit/doors.ts';
import { Busy, useAction } from '../kit/parts/form.tsx';
import { Headline, NarrowPage, Waiting } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { Consent } from './authorize-consent.tsx';
import { SignInBox } from './sign-in-box.tsx';

export function AuthorizePage({ uid }: { uid: string }) {
  const [asked, setAsked] = useState<Interaction | null>(null);
  const [isOver, setOver] = useState(false);
  const reading = useAction(async () => {
    try {
      setAsked(await call('GET /oauth/interactions/{uid}', { uid }, { isVisitor: true }));
    } catch (cause) {
      if (!(cause instanceof CallFailure) || cause.code !== 'authorization_not_found') throw cause;
      setOver(true);
    }
  });
  const read = () => void reading.run();
  useEffect(read, []);
  if (isOver) return <RequestOver />;
  if (reading.failure) {
    return (
      <NarrowPage>
        <Headline>The request cannot be read</Headline>
        <Trouble hasFocus failure={reading.failure} />
        <Busy isBusy={reading.isBusy} onClick={read}>
          Try again
        </Busy>
      </NarrowPage>
    );
  }
  if (!asked) return <Waiting />;
  if (asked.prompt === 'consent' && asked.person) {
    return (
      <NarrowPage>
        <Consent
          uid={uid}
          asked={asked}
          person={asked.person}
          onOver={() => setOver(true)}
          onStale={read}
        />
      </NarrowPage>
    );
  }
  const known = asked.person;
  return (
    <NarrowPage>
      <SignInBox
        title={known ? 'Is it you?' : 'Sign in'}
        intro={
          <>
            <strong>{asked.application.name}</strong> asks for access.{' '}
            {known ? 'Sign in once more to go on.' : 'Sign in to see the request.'}
          </>
        }
        {...(known ? { email: known.email } : {})}
        onDone={read}
      />
    </NarrowPage>
  );
}

const RequestOver = () => (
  <NarrowPage>
    <Headline>There is nothing to decide here</Headline>
    <p class="lead">
      This authorization request is invalid, expired or already used. You have not granted any
      access.
    </p>
    <p class="lead">To give an application access, start again in the application.</p>
    <a class="second" href="/account">
      Go to your account
    </a>
  </NarrowPage>
);
