// The second factor after the password: a code of the authenticator, or a recovery code.

import { useState } from 'preact/hooks';
import { call } from '../kit/calls.ts';
import { Field, Form } from '../kit/parts/form.tsx';
import { Headline } from '../kit/parts/page.tsx';
import { secondFactorOf, signInFailed, wrongCode } from '../kit/proofs.ts';

type SecondFactorProps = { onDone: () => Promise<void>; onBack: () => void };

export function SecondFactor({ onDone, onBack }: SecondFactorProps) {
  const [isRecovery, setRecovery] = useState(false);
  const send = async (fields: (name: string) => string) => {
    const body = secondFactorOf(fields('code'), isRecovery);
    await call('POST /v1/account/sign-in/second-factor', { body }, { isVisitor: true }).catch(
      signInFailed(wrongCode(isRecovery)),
    );
    await onDone();
  };
  return (
    // The key makes another kind of code a new form, so that nothing typed is carried over.
    <div key={String(isRecovery)}>
      <Headline title="Second step">One more step</Headline>
      <p class="lead">
        {isRecovery
          ? 'Type one of the recovery codes that you kept when you set up your authenticator. Each works once.'
          : 'Type the six digits that your authenticator app shows for this account.'}
      </p>
      <Form submit="Go on" send={send}>
        {isRecovery ? (
          <Field label="Recovery code" name="code" class="code" maxLength={40} hasFocus />
        ) : (
          <Field
            label="Code"
            name="code"
            class="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern="\s*(\d\s*){6}"
            title="Six digits"
            maxLength={12}
            hasFocus
          />
        )}
      </Form>
      <p class="beside">
        <button type="button" class="link" onClick={() => setRecovery(!isRecovery)}>
          {isRecovery ? 'Use a code of the app instead' : 'Use a recovery code instead'}
        </button>
        <button type="button" class="link" onClick={onBack}>
          Start again
        </button>
      </p>
    </div>
  );
}
