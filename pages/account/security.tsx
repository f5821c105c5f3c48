// How the person proves their identity: password, authenticator, passkeys.

import type { Account } from '@svc/contract/account/account-shapes';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { ActionButton } from '../kit/parts/action-button.tsx';
import { type Fields, Form } from '../kit/parts/form.tsx';
import { Cancel } from '../kit/parts/inputs.tsx';
import { SectionBox, TroubleAt } from '../kit/parts/section-box.tsx';
import { Section } from '../kit/section.ts';
import { NewPassword } from './new-password.tsx';
import { Passkeys } from './security-passkeys.tsx';
import { Authenticator } from './security-totp.tsx';

export function Security() {
  const account = useMemo(() => new Section(() => call('GET /v1/account', {})), []);
  return (
    <>
      <SectionBox section={account} title="Password and second factor">
        {(facts) => (
          <>
            <Password account={account} facts={facts} />
            <Authenticator account={account} facts={facts} />
          </>
        )}
      </SectionBox>
      <Passkeys />
    </>
  );
}

type PartProps = { account: Section<Account>; facts: Account };

function Password({ account, facts }: PartProps) {
  const [isChanging, setChanging] = useState(false);
  const send = async (fields: Fields) => {
    const said = 'Your password is saved, and every other browser is signed out.';
    await account.make(
      'password',
      () => call('PUT /v1/account/password', { body: { password: fields('password') } }),
      said,
    );
    setChanging(false);
  };
  return (
    <div class="block-part">
      <h3>Password</h3>
      <p class="row-text">
        {facts.hasPassword
          ? 'A new one signs out every other browser.'
          : 'You have none: you sign in with a passkey.'}
      </p>
      <TroubleAt section={account} at="password" />
      {isChanging ? (
        <Form
          submit="Save password"
          kind="second main"
          send={send}
          after={<Cancel onCancel={() => setChanging(false)} />}
        >
          <NewPassword hasFocus />
        </Form>
      ) : (
        <ActionButton section={account} at="password" onAction={() => setChanging(true)}>
          {facts.hasPassword ? 'Change password' : 'Choose a password'}
        </ActionButton>
      )}
    </div>
  );
}
