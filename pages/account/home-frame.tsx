// The frame of the account's own pages: who is signed in, the link to the home page, and signing out.

import type { ComponentChildren } from 'preact';
import { call } from './calls.ts';
import { Busy, ErrorBox, Headline, useAct } from './parts.tsx';
import { person } from './person.ts';
import { go, place } from './router.ts';
import { SandboxClock } from './sandbox-clock.tsx';

type WideProps = {
  readonly title: string;
  /** The part of the page that is shown. It distinguishes browser tabs by their titles. */
  readonly part?: string;
  readonly lead?: ComponentChildren;
  /** True when the page shows no real money: in a sandbox, or in test mode. */
  readonly isSandbox?: boolean;
  readonly children: ComponentChildren;
};

/** The service marks the document of a page that it serves in test mode. */
export const isTestMode = (): boolean => document.documentElement.dataset.mode === 'test';

/** Returns the name of the mode without real money. */
export const modeName = (): string => (isTestMode() ? 'Test mode' : 'Sandbox');

export function Wide({ title, part, lead, isSandbox = false, children }: WideProps) {
  return (
    <>
      {isSandbox && (
        <aside class="ribbon" aria-label={modeName()}>
          <strong>{modeName()}</strong> <span>No real money moves here.</span>{' '}
          {!isTestMode() && <SandboxClock />}
        </aside>
      )}
      <TopBar />
      <main class="page account-page">
        <Headline title={[part, title, 'Account'].filter(Boolean).join(' · ')}>{title}</Headline>
        {lead && <p class="account-lead">{lead}</p>}
        {children}
      </main>
    </>
  );
}

function TopBar() {
  const known = person.value;
  const { run, isBusy, failure } = useAct(async () => {
    await call('POST', '/v1/account/sign-out', { body: {} });
    person.value = null;
    go('/account/sign-in', { replaces: true });
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
      {failure && <ErrorBox failure={failure} />}
    </header>
  );
}
