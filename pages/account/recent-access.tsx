// The access that was created with the account in the last 30 days and still works, with a way to end each:
// after a password reset, because whoever had the password may have created access that survives it.

import type { RecentAccess } from '@svc/contract/account/recent-access';
import { useMemo } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { ActionButton, SectionBox, TroubleAt } from '../kit/parts/section-box.tsx';
import { Empty } from '../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../kit/parts/time.tsx';
import { WidePage } from '../kit/parts/wide-page.tsx';
import { Section } from '../kit/section.ts';
import { browserName } from '../kit/sign-ins-words.ts';

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
          {made.every(({ isThisOne }) => isThisOne) && (
            <Empty title="Nothing else was made">
              <p>In the last 30 days only the sign-in of this browser was created.</p>
            </Empty>
          )}
          <TroubleAt section={section} at="all" />
          <ul class="rows">
            {made.map((one) => (
              <MadeRow key={one.id} section={section} made={one} />
            ))}
          </ul>
          {made.some(({ isThisOne }) => !isThisOne) && (
            <ActionButton
              section={section}
              at="all"
              isDanger
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

type RowProps = { section: Section<readonly RecentAccess[]>; made: RecentAccess };

function MadeRow({ section, made }: RowProps) {
  const { id, kind, clientName, createdAt, lastUsedAt, isThisOne } = made;
  const name = nameOf(made);
  const { what, end } = kinds[kind];
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{name}</span>
        {clientName && <span class="tag">at {clientName}</span>}
        {isThisOne && <span class="tag good">This browser</span>}
      </div>
      <FactLine>
        {what}
        <SaidAt said="Made" at={createdAt} />
        {lastUsedAt && <SaidAt said="Last used" at={lastUsedAt} />}
      </FactLine>
      <TroubleAt section={section} at={id} />
      {!isThisOne && (
        <div class="ways">
          <ActionButton
            section={section}
            at={id}
            about={name}
            isDanger
            onAction={() =>
              section.change(
                id,
                () =>
                  call('POST /v1/account/recent-access/end', { body: { items: [{ kind, id }] } }),
                `${name}: ended.`,
              )
            }
          >
            {end}
          </ActionButton>
        </div>
      )}
    </li>
  );
}
