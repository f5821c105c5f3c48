// Signing in, wherever a page needs it: email address and password or a passkey, then the second factor if
// the account has one.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type CallFailure, call } from '../kit/calls.ts';
import { Field, Form } from '../kit/parts/form.tsx';
import { Headline } from '../kit/parts/page.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { readPerson } from '../kit/person.ts';
import { signInFailed } from '../kit/proofs.ts';
import { PasskeyButton, usePasskeySuggestion } from './passkey-ways.tsx';
import { SecondFactor } from './second-factor.tsx';

type SignInProps = {
  title: string;
  intro?: ComponentChildren;
  /** The only email address that can be used here. */
  email?: string;
  /** Why signing in is needed. */
  failure?: CallFailure | null;
  onDone: () => void;
};

export function SignInBox({ title, intro, email, failure, onDone }: SignInProps) {
  const [isHalf, setHalf] = useState(false);
  const finish = async () => {
    await readPerson();
    onDone();
  };
  if (isHalf) return <SecondFactor onDone={finish} onBack={() => setHalf(false)} />;
  return (
    <>
      <Headline>{title}</Headline>
      {intro && <p class="lead">{intro}</p>}
      {failure && <Trouble hasFocus failure={failure} />}
      <Proofs
        {...(email === undefined ? {} : { email })}
        onHalf={() => setHalf(true)}
        onDone={finish}
      />
    </>
  );
}

type ProofsProps = { email?: string; onHalf: () => void; onDone: () => Promise<void> };

function Proofs({ email, onHalf, onDone }: ProofsProps) {
  usePasskeySuggestion(onDone);
  const send = async (fields: (name: string) => string) => {
    const body = { email: fields('email').trim(), password: fields('password') };
    const { state } = await call('POST /v1/account/sign-in', { body }, { isVisitor: true }).catch(
      signInFailed('The address or the password is wrong.'),
    );
    if (state === 'second_factor') onHalf();
    else await onDone();
  };
  return (
    <>
      <Form submit="Sign in" send={send}>
        <Field
          label="Email address"
          name="email"
          type="email"
          inputMode="email"
          autoComplete="username webauthn"
          maxLength={254}
          {...(email === undefined ? { hasFocus: true } : { value: email, isReadOnly: true })}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          maxLength={1000}
          hasFocus={email !== undefined}
        />
      </Form>
      <PasskeyButton onDone={onDone} />
      <p class="beside">
        <a href="/account/forgotten">Forgotten your password?</a>
      </p>
    </>
  );
}
