// Shows the bank's challenge and waits for its end. The end comes from the frame that returns, from the
// status, from the buyer who cancels, from a newer attempt, or from the time limit. Experience: 3DS.

import type { ChallengeWish, Challenge as Dialog } from './challenge-dialog.ts';
import { follow } from './follow.ts';
import type { Answer, Deal } from './hand-over.ts';
import { abandonment, letGo, letGoWithinMs } from './let-go.ts';
import { persist, sleep } from './send.ts';
import { declinedBy, type End, type Standing } from './standing.ts';
import { errorOf } from './svc-error.ts';

const challengeForMs = 900_000;
/** How many times one challenge repeats the call by itself: the service limits the calls of a session. */
const mostLooks = 2;
/** How long to wait for the repeated call's own response once the status has reported the end. */
const answersWithinMs = 3_000;
/** Shows the bank's challenge and returns how it ended. */
export async function ask<A extends Answer, Done>(
  deal: Deal<A, Done>,
  challenge: { readonly url: string; readonly returnUrl: string },
  open: (wish: ChallengeWish) => Dialog,
): Promise<End<Done>> {
  const { language, options, signal, before, isPaying, container } = deal;
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  const watch = new AbortController();
  stop.signal.addEventListener('abort', () => watch.abort());
  let standing: Standing | undefined;
  // The page has aborted the submit: the bank's challenge must not stay open at the provider.
  const leave = () => {
    const late = AbortSignal.timeout(letGoWithinMs);
    letGo(deal, abandonment('authentication_abandoned', standing), late).catch(() => {});
  };
  // The submit may have been aborted while the dialog was loading.
  if (signal.aborted) leave();
  signal.throwIfAborted();
  const dialog = open({ ...challenge, language, options, isPaying, container });
  const asked = { ...deal, signal: stop.signal };
  // Another page has ended this challenge and begun a new attempt, which this page must not end.
  let overtake!: (end: End<Done>) => void;
  const overtaken = new Promise<End<Done>>((resolve) => {
    overtake = resolve;
  });
  let askedId: string | undefined;
  const onStanding = (read: Standing) => {
    if (read.status === 'requires_action') {
      const id = read.latestTransactionAttempt?.id;
      askedId ??= id;
      if (askedId !== id) return overtake({ kind: 'cancelled' });
    }
    standing = read;
    if (read.status === 'processing') dialog.showChecking(true);
  };
  const pursuit = { before, isInDoubt: false, isAsked: true, onStanding };
  const looks = lookAtReturns(asked, dialog);
  try {
    return (await Promise.race([
      follow({ ...deal, signal: watch.signal }, pursuit).then(
        (told) => fuller(told, looks.running(), stop.signal),
        (cause) => {
          if (stop.signal.aborted) throw cause;
          return never;
        },
      ),
      looks.end,
      overtaken,
      givingUp(asked, dialog).then((reason) => {
        // This page ends the challenge itself: the status would only repeat that end.
        watch.abort();
        dialog.showChecking(true);
        return endQuestion(asked, reason, standing);
      }),
    ])) as End<Done>;
  } catch (cause) {
    leave();
    throw cause;
  } finally {
    signal.removeEventListener('abort', end);
    stop.abort();
    dialog.close();
  }
}

const never = new Promise<never>(() => {});

type Reason = 'cancelled' | 'timed_out';

const givingUp = (
  { options, signal }: Pick<Deal<Answer, unknown>, 'options' | 'signal'>,
  dialog: Dialog,
): Promise<Reason> =>
  Promise.race([
    dialog.givenUp.then(() => 'cancelled' as const),
    sleep(options.challengeTimeoutMs ?? challengeForMs, signal).then(() => 'timed_out' as const),
  ]);

/** Waits for the repeated call where one is running: its response holds more than the status. */
const fuller = async <Told>(
  told: Told,
  running: Promise<unknown>,
  signal: AbortSignal,
): Promise<Told> => {
  await Promise.race([running, sleep(answersWithinMs, signal)]);
  return told;
};

type Looks<Done> = { readonly end: Promise<End<Done>>; readonly running: () => Promise<unknown> };

/**
 * Repeats the call with the same card when the bank's frame has returned. `end` resolves only when a
 * response settles the payment.
 */
function lookAtReturns<A extends Answer, Done>(
  { give, doneBy, signal }: Deal<A, Done>,
  dialog: Dialog,
): Looks<Done> {
  let looks = 0;
  let running: Promise<unknown> = Promise.resolve();
  const end = new Promise<End<Done>>((resolve) => {
    const look = async (chv: string) => {
      dialog.showChecking(true);
      try {
        const answer = await persist(() => give(chv, signal), { signal, withinMs: 12_000 });
        const done = doneBy(answer);
        if (done !== undefined) resolve({ kind: 'succeeded', done });
        else if (answer.type === 'processing') return;
      } catch (cause) {
        const refusal = declinedBy(errorOf(cause));
        // Any other failure leaves the card's outcome open: only the status can settle it.
        if (refusal) resolve(refusal);
      }
      dialog.showChecking(false);
    };
    dialog.onReturn((chv) => {
      looks += 1;
      if (looks <= mostLooks) running = look(chv);
    });
  });
  return { end, running: () => running };
}

/**
 * Ends the bank's challenge, at the provider too. When the card succeeded meanwhile, that result counts.
 */
async function endQuestion<A extends Answer, Done>(
  deal: Deal<A, Done>,
  reason: Reason,
  standing: Standing | undefined,
): Promise<End<Done>> {
  const word = reason === 'cancelled' ? 'buyer_canceled' : 'authentication_abandoned';
  try {
    const left = await letGo(deal, abandonment(word, standing), deal.signal);
    const done = deal.doneAt(left);
    if (done !== undefined) return { kind: 'succeeded', done };
    // The buyer approved at the last moment: the provider has not reported a result yet.
    if (left.status !== 'processing') return { kind: reason };
  } catch (cause) {
    deal.signal.throwIfAborted();
    const { code } = errorOf(cause);
    const isSettling = /_completed$|_in_progress$|_outcome_unknown$/.test(code ?? '');
    if (!isSettling) return { kind: 'unknown' };
  }
  const pursuit = { before: undefined, isInDoubt: false, isAsked: true, isEnding: true };
  const end = await follow(deal, pursuit);
  return end === 'asked' ? { kind: 'unknown' } : end;
}
