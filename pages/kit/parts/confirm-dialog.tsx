// Asks for a proof of identity before money or credentials change, with the proofs that the account has.
// Contract §6.

import { useEffect, useState } from 'preact/hooks';
import { CallFailure, call } from '../calls.ts';
import { question } from '../confirmation.ts';
import { hasPasskeys, PasskeyGivenUp, signWithPasskey } from '../passkey.ts';
import { person, readPerson } from '../person.ts';
import { secondFactorOf, signInFailed, unlessSignedOut, waysToProve } from '../proofs.ts';
import type { InputFor } from '../rows.ts';
import { Dialog } from './dialog.tsx';
import { Busy, Field, Form, useAction } from './form.tsx';
import { Trouble } from './states.tsx';

const confirmSignIn = (body: InputFor<'POST /v1/account/confirm'>['body']) =>
  call('POST /v1/account/confirm', { body }, { isVisitor: true });

export function ConfirmDialog() {
  const open = question.value;
  // A page for visitors may not have read yet who is signed in.
  useEffect(() => {
    if (open && !person.value) void readPerson();
  }, [open]);
  if (!open) return null;
  return (
    <Dialog title="Is it you?" onClose={() => open.answer(false)}>
      {(close) => (
        <>
          <p class="fine">This changes money or access. Please confirm your identity again.</p>
          <Proofs
            onProven={() => open.answer(true)}
            cancel={
              <button type="button" class="second" onClick={close}>
                Cancel
              </button>
            }
          />
        </>
      )}
    </Dialog>
  );
}

type ProofsProps = { onProven: () => void; cancel: preact.JSX.Element };

function Proofs({ onProven, cancel }: ProofsProps) {
  const known = person.value;
  if (!known) {
    return (
      <div class="form-ways" aria-busy="true">
        {cancel}
      </div>
    );
  }
  const { byPasskey, byPassword } = waysToProve(known, hasPasskeys());
  return (
    <>
      {byPasskey && <ByPasskey onProven={onProven} cancel={byPassword ? null : cancel} />}
      {byPasskey && byPassword && <p class="or">or</p>}
      {byPassword && (
        <ByPassword hasCode={known.hasAuthenticator} onProven={onProven} cancel={cancel} />
      )}
      {!byPasskey && !byPassword && (
        <>
          <p class="hold-line">
            This browser cannot use your passkey. Sign in on the device that has it, or set a
            password with “Forgotten your password?”.
          </p>
          <div class="form-ways">{cancel}</div>
        </>
      )}
    </>
  );
}

type WayProps = { onProven: () => void; cancel: preact.JSX.Element | null };

function ByPassword({ hasCode, onProven, cancel }: WayProps & { hasCode: boolean }) {
  const [isRecovery, setRecovery] = useState(false);
  const send = async (fields: (name: string) => string) => {
    const second = hasCode ? secondFactorOf(fields('code'), isRecovery) : {};
    const proof = { password: fields('password'), ...second };
    await unlessSignedOut(confirmSignIn(proof)).catch(signInFailed('The password is wrong.'));
    onProven();
  };
  return (
    <Form submit="Confirm" send={send} after={cancel}>
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        hasFocus
      />
      {hasCode && (
        <>
          <Field
            key={String(isRecovery)}
            label={isRecovery ? 'Recovery code' : 'Code of your authenticator'}
            name="code"
            class="code"
            maxLength={isRecovery ? 40 : 12}
            {...(isRecovery
              ? {}
              : { inputMode: 'numeric' as const, autoComplete: 'one-time-code' })}
          />
          <button type="button" class="link" onClick={() => setRecovery(!isRecovery)}>
            {isRecovery ? 'Use a code of the app instead' : 'Use a recovery code instead'}
          </button>
        </>
      )}
    </Form>
  );
}

const givenUp = new CallFailure(422, { message: 'No passkey was used. Try again.' });

function ByPasskey({ onProven, cancel }: WayProps) {
  const { run, isBusy, failure } = useAction(async () => {
    const proving = call(
      'POST /v1/account/confirm/passkey-options',
      { body: {} },
      { isVisitor: true },
    )
      .then((options) => signWithPasskey(options))
      .then((passkey) => confirmSignIn({ passkey }));
    await unlessSignedOut(proving).catch((cause: unknown) => {
      throw cause instanceof PasskeyGivenUp ? givenUp : cause;
    });
    onProven();
  });
  return (
    <>
      {failure && <Trouble hasFocus failure={failure} />}
      <Busy kind="pay" isBusy={isBusy} onClick={() => void run()}>
        Confirm with a passkey
      </Busy>
      {cancel && <div class="form-ways">{cancel}</div>}
    </>
  );
}
