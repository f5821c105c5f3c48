// The access that was created with the account in the last 30 days and still works, with a way to end each:
// after a password reset, because whoever had the password may have created access that survives it.

import type { RecentAccess } from '@svc/contract/account/recent-access';
import { useMemo } from 'preact/hooks';
import { browserName, thisBrowser } from '../kit/browser-name.ts';
import { call } from '../kit/calls.ts';
import { RowList, type RowSpec } from '../kit/list/row-list.tsx';
import { ActionButton } from '../kit/parts/action-button.tsx';
import { SectionBox, TroubleAt } from '../kit/parts/section-box.tsx';
import { Empty } from '../kit/parts/states.tsx';
import { timeFact } from '../kit/parts/time.tsx';
import { WidePage } from '../kit/parts/wide-page.tsx';
import { Section } from '../kit/section.ts';

export const recentAccessPath = '/account/recent';

export const RecentAccessPage = () => (
  <WidePage title="Made in the last 30 days">
    <RecentAccessList />
  </WidePage>
);

const kinds: Readonly<Record<RecentAccess['kind'], { what: string; end: string }>> = {
  sign_in: { what: 'Sign-in', end: 'Sign out' },
  passkey: { what: 'Passkey', end: 'Remove' },
  api_token: { what: 'API token', end: 'Revoke' },
  consent: { what: 'Application with access', end: 'Revoke access' },
  invitation: { what: 'Invitation', end: 'Take back' },
};

const nameOf = ({ kind, name }: RecentAccess): string =>
  kind === 'sign_in' ? browserName(name) : (name ?? 'Without a name');

function RecentAccessList() {
  const section = useMemo(
    () => new Section(async () => (await call('GET /v1/account/recent-access', {})).data),
    [],
  );
  const endAll = () =>
    section.change(
      'all',
      () => call('POST /v1/account/recent-access/end', { body: { all: true } }),
      'All of it ended.',
    );
  return (
    <SectionBox
      section={section}
      title="What can act as you"
      intro="Everything created in your name that is still valid. If somebody else had your password, end everything that you do not recognise."
    >
      {(made) => (
        <>
          {made.length > 0 && made.every(({ isThisOne }) => isThisOne) && (
            <Empty title={nothingElse.title}>{nothingElse.text}</Empty>
          )}
          <TroubleAt section={section} at="all" />
          <RowList spec={madeSpec} section={section} rows={made} />
          {made.some(({ isThisOne }) => !isThisOne) && (
            <ActionButton
              section={section}
              at="all"
              kind="quiet danger"
              onAction={endAll}
              question={{
                title: 'End everything created in the last 30 days?',
                yes: 'End all of it',
                no: 'Keep it',
                text: (
                  <p>
                    Programs with these API tokens, applications and other browsers stop at their
                    next request. Only this browser stays signed in.
                  </p>
                ),
              }}
            >
              End all of it
            </ActionButton>
          )}
        </>
      )}
    </SectionBox>
  );
}

const nothingElse = {
  title: 'Nothing else was made',
  text: <p>In the last 30 days only the sign-in of this browser was created.</p>,
};

const madeSpec: RowSpec<RecentAccess> = {
  title: 'What can act as you',
  noun: ['entry', 'entries'],
  keyOf: ({ id }) => id,
  nameOf,
  tagsOf: ({ clientName, isThisOne }) => [
    clientName !== null && { text: `at ${clientName}`, tone: 'plain' },
    isThisOne && thisBrowser,
  ],
  factsOf: ({ kind, createdAt, lastUsedAt }) => [
    kinds[kind].what,
    timeFact('Made', createdAt),
    lastUsedAt && timeFact('Last used', lastUsedAt),
  ],
  actionsOf: (made) => [
    !made.isThisOne && {
      label: kinds[made.kind].end,
      isDanger: true,
      action: () => {
        const items = [{ kind: made.kind, id: made.id }];
        return call('POST /v1/account/recent-access/end', { body: { items } });
      },
      said: `${nameOf(made)}: ended.`,
    },
  ],
  empty: nothingElse,
};
