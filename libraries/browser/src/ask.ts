// The bank's question, from its dialog to its end: heard by the frame that comes back, by the status,
// by the buyer who gives it up or by its time. Experience: 3DS.

import type { ChallengeWish, Challenge as Dialog } from './challenge-dialog.ts';
import { follow } from './follow.ts';
import type { Answer, Deal } from './hand-over.ts';
import { abandonment, letGo, letGoWithinMs } from './let-go.ts';
import { persist, sleep } from './send.ts';
import { declinedBy, type End, type Standing } from './standing.ts';
import { errorOf } from './svc-error.ts';

const challengeForMs = 900_000;
/** How often one challenge asks again by itself: the service counts the calls of a session. */
const mostLooks = 2;
/** How long the card's own answer may take once the status has told the end. */
const answersWithinMs = 3_000;
/** Shows the bank's question and answers how it ended. */
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
  // The page has ended the submit: the bank's question must not stay open behind it.
  const leave = () => {
    const late = AbortSignal.timeout(letGoWithinMs);
    letGo(deal, abandonment('authentication_abandoned', standing), late).catch(() => {});
  };
  // While the dialog was on its way.
  if (signal.aborted) leave();
  signal.throwIfAborted();
  const dialog = open({ ...challenge, language, options, isPaying, container });
  const asked = { ...deal, signal: stop.signal };
  // Given up by another page, which has begun anew: what is asked there is not this one's to end.
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
        // Its end is of this page's making: the status would only tell it back.
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

/** The same end by the card's own answer, which says more than the status, where it is on its way. */
const fuller = async <Told>(
  told: Told,
  running: Promise<unknown>,
  signal: AbortSignal,
): Promise<Told> => {
  await Promise.race([running, sleep(answersWithinMs, signal)]);
  return told;
};

type Looks<Done> = { readonly end: Promise<End<Done>>; readonly running: () => Promise<unknown> };

/** Hands the same card over again when the bank's frame has come back; `end` is only an end. */
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
        // Any other failure leaves open what became of the card: the status tells.
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

/** Ends the bank's question, at the provider too; where the card has gone through meanwhile, it stands. */
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
    // Approved at the last moment: its provider has not spoken yet.
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
