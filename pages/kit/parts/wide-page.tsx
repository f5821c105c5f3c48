// The frame of the account's own pages: who is signed in, the link to the home page, and signing out.

import type { ComponentChildren } from 'preact';
import { call } from '../calls.ts';
import { person } from '../person.ts';
import { goTo, place } from '../router.ts';
import { Busy, useAction } from './form.tsx';
import { Headline } from './page.tsx';
import { Trouble } from './states.tsx';

type WideProps = {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
};

export function WidePage({ title, lead, children }: WideProps) {
  return (
    <>
      <TopBar />
      <main class="page account-page">
        <Headline title={`${title} · Account`}>{title}</Headline>
        {lead && <p class="account-lead">{lead}</p>}
        {children}
      </main>
    </>
  );
}

function TopBar() {
  const known = person.value;
  const { run, isBusy, failure } = useAction(async () => {
    await call('POST /v1/account/sign-out', { body: {} });
    person.value = null;
    goTo('/account/sign-in', { replaces: true });
  });
  return (
    <header class="bar">
      <nav class="bar-line" aria-label="Account">
        <a href="/account" {...(place.value === '/account' ? { 'aria-current': 'page' } : {})}>
          Account
        </a>
        {known && (
          <>
            <span class="bar-who">{known.email}</span>
            <Busy kind="quiet" isBusy={isBusy} onClick={() => void run()}>
              Sign out
            </Busy>
          </>
        )}
      </nav>
      {failure && <Trouble hasFocus failure={failure} />}
    </header>
  );
}
