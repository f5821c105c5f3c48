// Shows the bank's challenge and waits for its end. The end comes from the frame that returns, from the
// status, from the buyer who cancels, from a newer attempt, or from the time limit.

import { repeatWhileLost, sleep } from '../api/send.ts';
import { declineEndOf, type End, type SessionState } from '../api/session-state.ts';
import { errorOf } from '../api/svc-error.ts';
import { abandonment, letGo, letGoWithinMs } from './abandon-attempt.ts';
import type { ChallengeRequest, Challenge as Dialog } from './challenge-dialog.ts';
import { followStatus } from './follow-status.ts';
import type { HandOverRequest, SubmitAnswer } from './hand-over-request.ts';

const challengeForMs = 900_000;
/** How many times one challenge repeats the call by itself: the service limits the calls of a session. */
const mostLooks = 2;
/** How long to wait for the repeated call's own response once the status has reported the end. */
const answersWithinMs = 3_000;
/** Shows the bank's challenge and returns how it ended. */
export async function showChallenge<A extends SubmitAnswer, Done>(
  deal: HandOverRequest<A, Done>,
  challenge: { readonly url: string; readonly returnUrl: string },
  open: (request: ChallengeRequest) => Dialog,
): Promise<End<Done>> {
  const { language, options, signal, before, isPaying, container } = deal;
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  const watch = new AbortController();
  stop.signal.addEventListener('abort', () => watch.abort());
  let standing: SessionState | undefined;
  // The page has aborted the submit: the bank's challenge must not stay open at the provider.
  const abandonAttempt = () => {
    const late = AbortSignal.timeout(letGoWithinMs);
    letGo(deal, abandonment('authentication_abandoned', standing), late).catch(() => {});
  };
  // The submit may have been aborted while the dialog was loading.
  if (signal.aborted) abandonAttempt();
  signal.throwIfAborted();
  const dialog = open({ ...challenge, language, options, isPaying, container });
  const asked = { ...deal, signal: stop.signal };
  // Another page has ended this challenge and begun a new attempt, which this page must not end.
  let overtake!: (end: End<Done>) => void;
  const overtaken = new Promise<End<Done>>((resolve) => {
    overtake = resolve;
  });
  let askedId: string | undefined;
  const handleStatus = (read: SessionState) => {
    if (read.status === 'requires_action') {
      const id = read.latestTransactionAttempt?.id;
      askedId ??= id;
      if (askedId !== id) return overtake({ kind: 'cancelled' });
    }
    standing = read;
    if (read.status === 'processing') dialog.showChecking(true);
  };
  const pursuit = { before, isInDoubt: false, isAsked: true, onStanding: handleStatus };
  const looks = lookAtReturns(asked, dialog);
  try {
    return (await Promise.race([
      followStatus({ ...deal, signal: watch.signal }, pursuit).then(
        (told) => preferRunningCall(told, looks.running(), stop.signal),
        (cause) => {
          if (stop.signal.aborted) throw cause;
          return never;
        },
      ),
      looks.end,
      overtaken,
      waitForGiveUp(asked, dialog).then((reason) => {
        // This page ends the challenge itself: the status would only repeat that end.
        watch.abort();
        dialog.showChecking(true);
        return endQuestion(asked, reason, standing);
      }),
    ])) as End<Done>;
  } catch (cause) {
    abandonAttempt();
    throw cause;
  } finally {
    signal.removeEventListener('abort', end);
    stop.abort();
    dialog.close();
  }
}

const never = new Promise<never>(() => {});

type Reason = 'cancelled' | 'timed_out';

const waitForGiveUp = (
  { options, signal }: Pick<HandOverRequest<SubmitAnswer, unknown>, 'options' | 'signal'>,
  dialog: Dialog,
): Promise<Reason> =>
  Promise.race([
    dialog.givenUp.then(() => 'cancelled' as const),
    sleep(options.challengeTimeoutMs ?? challengeForMs, signal).then(() => 'timed_out' as const),
  ]);

/** Waits for the repeated call where one is running: its response holds more than the status. */
const preferRunningCall = async <Told>(
  told: Told,
  running: Promise<unknown>,
  signal: AbortSignal,
): Promise<Told> => {
  await Promise.race([running, sleep(answersWithinMs, signal)]);
  return told;
};

type StatusReads<Done> = {
  readonly end: Promise<End<Done>>;
  readonly running: () => Promise<unknown>;
};

/**
 * Repeats the call with the same card when the bank's frame has returned. `end` resolves only when a
 * response settles the payment.
 */
function lookAtReturns<A extends SubmitAnswer, Done>(
  { give, doneBy, signal }: HandOverRequest<A, Done>,
  dialog: Dialog,
): StatusReads<Done> {
  let looks = 0;
  let running: Promise<unknown> = Promise.resolve();
  const end = new Promise<End<Done>>((resolve) => {
    const checkResult = async (chv: string) => {
      dialog.showChecking(true);
      try {
        const answer = await repeatWhileLost(() => give(chv, signal), { signal, withinMs: 12_000 });
        const done = doneBy(answer);
        if (done !== undefined) resolve({ kind: 'succeeded', done });
        else if (answer.type === 'processing') return;
      } catch (cause) {
        const refusal = declineEndOf(errorOf(cause));
        // Any other failure leaves the card's outcome open: only the status can settle it.
        if (refusal) resolve(refusal);
      }
      dialog.showChecking(false);
    };
    dialog.onReturn((chv) => {
      looks += 1;
      if (looks <= mostLooks) running = checkResult(chv);
    });
  });
  return { end, running: () => running };
}

/**
 * Ends the bank's challenge, at the provider too. When the card succeeded meanwhile, that result counts.
 */
async function endQuestion<A extends SubmitAnswer, Done>(
  deal: HandOverRequest<A, Done>,
  reason: Reason,
  standing: SessionState | undefined,
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
  const end = await followStatus(deal, pursuit);
  return end === 'asked' ? { kind: 'unknown' } : end;
}
