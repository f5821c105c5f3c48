// Signing in with a passkey: by its button, or as the browser suggests it in the address field.

import { useEffect, useRef } from 'preact/hooks';
import { CallFailure, call } from '../kit/calls.ts';
import { Busy, useAction } from '../kit/parts/form.tsx';
import { Trouble } from '../kit/parts/states.tsx';
import { hasPasskeys, PasskeyGivenUp, signWithPasskey, suggestsPasskeys } from '../kit/passkey.ts';
import { signInFailed } from '../kit/proofs.ts';

/** The service accepts a challenge for five minutes; a suggestion is renewed before that. */
const offerMs = 4 * 60_000;

/** The one open passkey request of this page: the browser does not allow a second one. */
let open: AbortController | null = null;

async function provePasskey(isSuggested: boolean): Promise<void> {
  open?.abort();
  const mine = new AbortController();
  open = mine;
  const isVisitor = true;
  const options = await call(
    'POST /v1/account/sign-in/passkey-options',
    { body: {} },
    { isVisitor },
  );
  if (mine.signal.aborted) throw new PasskeyGivenUp('AbortError');
  const body = await signWithPasskey(options, { isSuggested, signal: mine.signal });
  await call('POST /v1/account/sign-in/passkey', { body }, { isVisitor }).catch(
    signInFailed('This passkey opens no account here.'),
  );
}

/** Suggests passkeys in the list of saved passwords as long as the page is shown. */
export function usePasskeySuggestion(onDone: () => Promise<void>): void {
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    let isHere = true;
    const offerPasskey = async () => {
      if (!isHere || !(await suggestsPasskeys())) return;
      // An error of a suggestion is ignored, because nobody has asked for it.
      await provePasskey(true).then(
        () => done.current(),
        () => {},
      );
    };
    void offerPasskey();
    const again = setInterval(() => void offerPasskey(), offerMs);
    return () => {
      isHere = false;
      clearInterval(again);
      open?.abort();
    };
  }, []);
}

const givenUp = new CallFailure(422, {
  message: 'No passkey was used. Try again, or sign in with your password.',
});

export function PasskeyButton({ onDone }: { onDone: () => Promise<void> }) {
  const { run, isBusy, failure } = useAction(async () => {
    await provePasskey(false).catch((cause: unknown) => {
      throw cause instanceof PasskeyGivenUp ? givenUp : cause;
    });
    await onDone();
  });
  if (!hasPasskeys()) return null;
  return (
    <>
      <p class="or">or</p>
      {failure && <Trouble hasFocus failure={failure} />}
      <Busy kind="second wide" isBusy={isBusy} onClick={() => void run()}>
        Sign in with a passkey
      </Busy>
    </>
  );
}
