// The browsers that are signed in, with a way to sign each of them out.

import type { SignInSession } from '@svc/contract/account/account';
import { useMemo } from 'preact/hooks';
import { browserName, thisBrowser } from '../kit/browser-name.ts';
import { call } from '../kit/calls.ts';
import { RowList, type RowSpec } from '../kit/list/row-list.tsx';
import { ActionButton } from '../kit/parts/action-button.tsx';
import { SectionBox, TroubleAt } from '../kit/parts/section-box.tsx';
import { timeFact } from '../kit/parts/time.tsx';
import { Section } from '../kit/section.ts';

const methods: Readonly<Record<SignInSession['method'], string>> = {
  password: 'Password',
  password_totp: 'Password and authenticator',
  password_recovery_code: 'Password and recovery code',
  passkey: 'Passkey',
  link: 'Link from a mail',
};

export function SignIns() {
  const section = useMemo(
    () => new Section(async () => (await call('GET /v1/account/sign-ins', {})).data),
    [],
  );
  return (
    <SectionBox
      section={section}
      title="Where you are signed in"
      intro="Browsers that are signed in as you. End those that you do not recognise, then change your password."
    >
      {(signIns) => (
        <>
          <TroubleAt section={section} at="others" />
          <RowList spec={signInsSpec} section={section} rows={signIns} />
          {signIns.some(({ isThisOne }) => !isThisOne) && (
            <ActionButton
              section={section}
              at="others"
              kind="quiet danger"
              onAction={() =>
                section.change(
                  'others',
                  () => call('POST /v1/account/sign-ins/end-others', { body: {} }),
                  'All other browsers are signed out.',
                )
              }
            >
              Sign out everywhere else
            </ActionButton>
          )}
        </>
      )}
    </SectionBox>
  );
}

const signInsSpec: RowSpec<SignInSession> = {
  title: 'Where you are signed in',
  noun: ['sign-in', 'sign-ins'],
  keyOf: ({ id }) => id,
  nameOf: ({ userAgent }) => browserName(userAgent),
  tagsOf: ({ isThisOne }) => [isThisOne && thisBrowser],
  factsOf: ({ address, method, lastSeenAt }) => [
    address,
    methods[method],
    timeFact('Last seen', lastSeenAt),
  ],
  actionsOf: ({ id, isThisOne, userAgent }) => [
    !isThisOne && {
      label: 'Sign out',
      isDanger: true,
      action: () => call('DELETE /v1/account/sign-ins/{signInId}', { signInId: id }),
      said: `${browserName(userAgent)} is signed out.`,
    },
  ],
  empty: { title: 'No browser is signed in' },
};
