// The browsers that are signed in, with a way to sign each of them out.

import type { SignInSession } from '@svc/contract/account/account';
import { useMemo } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { ActionButton, SectionBox, TroubleAt } from '../kit/parts/section-box.tsx';
import { FactLine, SaidAt } from '../kit/parts/time.tsx';
import { Section } from '../kit/section.ts';
import { browserName } from '../kit/sign-ins-words.ts';

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
          <ul class="rows">
            {signIns.map((signIn) => (
              <SignInRow key={signIn.id} section={section} signIn={signIn} />
            ))}
          </ul>
          {signIns.some(({ isThisOne }) => !isThisOne) && (
            <ActionButton
              section={section}
              at="others"
              isDanger
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

type RowProps = { section: Section<readonly SignInSession[]>; signIn: SignInSession };

function SignInRow({ section, signIn }: RowProps) {
  const { id, isThisOne, address, userAgent, method, lastSeenAt } = signIn;
  const name = browserName(userAgent);
  return (
    <li class="row">
      <div class="row-head">
        <span class="row-name">{name}</span>
        {isThisOne && <span class="tag good">This browser</span>}
      </div>
      <FactLine>
        {address}
        {methods[method]}
        <SaidAt said="Last seen" at={lastSeenAt} />
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
                () => call('DELETE /v1/account/sign-ins/{signInId}', { signInId: id }),
                `${name} is signed out.`,
              )
            }
          >
            Sign out
          </ActionButton>
        </div>
      )}
    </li>
  );
}
