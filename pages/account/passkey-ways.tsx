// Signing in with a passkey: by its button, or as the browser offers it in the field of the address.

import { useEffect, useRef } from 'preact/hooks';
import { CallFailure } from './calls.ts';
import { Busy, ErrorBox, useAct } from './parts.tsx';
import { hasPasskeys, PasskeyGivenUp, signWithPasskey, suggestsPasskeys } from './passkey.ts';
import { passkeyOptions, signInWithPasskey } from './sign-in-calls.ts';

/** The service takes a challenge for five minutes; an offered one is made anew before that. */
const offerMs = 4 * 60_000;

/** The one question that this page has open: the browser allows no second one. */
let open: AbortController | null = null;

async function prove(isSuggested: boolean): Promise<void> {
  open?.abort();
  const mine = new AbortController();
  open = mine;
  const options = await passkeyOptions();
  if (mine.signal.aborted) throw new PasskeyGivenUp('AbortError');
  await signInWithPasskey(await signWithPasskey(options, { isSuggested, signal: mine.signal }));
}

/** Offers passkeys in the list of saved passwords for as long as the page is there. */
export function usePasskeySuggestion(onDone: () => Promise<void>): void {
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    let isHere = true;
    const offer = async () => {
      if (!isHere || !(await suggestsPasskeys())) return;
      // What goes wrong with an offer that nobody asked for is no news.
      await prove(true).then(
        () => done.current(),
        () => {},
      );
    };
    void offer();
    const again = setInterval(() => void offer(), offerMs);
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
  const { run, isBusy, failure } = useAct(async () => {
    await prove(false).catch((cause: unknown) => {
      throw cause instanceof PasskeyGivenUp ? givenUp : cause;
    });
    await onDone();
  });
  if (!hasPasskeys()) return null;
  return (
    <>
      <p class="or">or</p>
      {failure && <ErrorBox failure={failure} />}
      <Busy kind="second wide" isBusy={isBusy} onClick={() => void run()}>
        Sign in with a passkey
      </Busy>
    </>
  );
}
