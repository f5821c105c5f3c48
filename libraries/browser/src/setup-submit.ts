// One submit, from the token of the form to an end that is known: handed over, asked by the bank where
// it wants to, followed by the status until the provider has spoken. Contract §4, card setup.

import type { CardFrame } from './card-frame.ts';
import type { CardSetupOptions, SetupResult } from './card-setup-types.ts';
import { sleep } from './send.ts';
import { errorOf, isLost, type SetupCalls, type SetupStanding } from './setup-calls.ts';
import { type Context, declined, givenUp, refused, settled, unknown } from './setup-outcome.ts';
import { failed, verified } from './setup-results.ts';
import { SvcError } from './svc-error.ts';
import type { Language } from './texts/index.ts';
import type { SetupAnswer } from './wire.ts';

export type Ground = {
  readonly frame: CardFrame;
  readonly calls: SetupCalls;
  readonly language: Language;
  readonly options: CardSetupOptions;
  readonly signal: AbortSignal;
};

/** The card of this submit, and the newest attempt before it. */
type Card = { readonly token: string; readonly before: string | null | undefined };

const followForMs = 300_000;
const challengeForMs = 900_000;
const waitSeconds = 10;
/** Between two reads of the status, however fast the service answers; twice that after a failure. */
const readEveryMs = 1_500;
const slowestReadMs = 10_000;
/** So many reads in a row may fail while it is not even known whether the card arrived: half a minute. */
const mostFailures = 4;
/** A card that meets another submit: once to tell whose it is, once after that one has ended. */
const mostRepeats = 2;
/** How often one challenge asks again by itself: the service counts the calls of a session. */
const mostLooks = 2;

export async function submitCard(ground: Ground): Promise<SetupResult> {
  try {
    const [token, before] = await Promise.all([takeToken(ground), lastAttempt(ground)]);
    return await handOver(ground, { token, before });
  } catch (cause) {
    return failed(errorOf(cause));
  }
}

/** A token of the form, with a new mount token where the old one has run out. */
async function takeToken({ frame, calls, signal }: Ground): Promise<string> {
  try {
    return (await frame.submit()).token;
  } catch (cause) {
    if (errorOf(cause).code !== 'session_expired') throw cause;
    const { vault } = await calls.readSession(signal);
    if (!vault) throw cause;
    frame.setMountToken(vault.mountToken);
    return (await frame.submit()).token;
  }
}

const lastAttempt = ({ calls, signal }: Ground): Promise<string | null | undefined> =>
  calls.readStatus(0, signal).then(
    ({ latestTransactionAttempt }) => latestTransactionAttempt?.id ?? null,
    () => undefined,
  );

type Line = Pick<Ground, 'calls' | 'signal'>;

/** The card, or with `chv` the same card again after the bank's question. */
const give = ({ calls, signal }: Line, body: { token: string; chv?: string }) =>
  calls.post<SetupAnswer>('/card-setup', body, { signal, withinMs: 12_000 });

/** Ends what waits for the bank; without an attempt's id only that which waits. */
const letGo = async ({ calls, signal }: Line, body: { reason: string; attemptId?: string }) =>
  (await calls.post<{ data: SetupStanding }>('/decline', body, { signal, withinMs: 8_000 })).data;

async function handOver(ground: Ground, card: Card, repeats = 0): Promise<SetupResult> {
  let answer: SetupAnswer;
  let isInDoubt = false;
  try {
    answer = await give(ground, { token: card.token });
  } catch (cause) {
    const error = errorOf(cause);
    if (error.code === 'checkout_attempt_in_progress' && repeats < mostRepeats) {
      return (await awaitOther(ground, repeats > 0)) ?? handOver(ground, card, repeats + 1);
    }
    const end = refused(error, { texts: ground.language.texts, isAsked: false });
    if (end) return end;
    isInDoubt = isLost(error);
    answer = { type: 'processing', sessionId: '', paymentMethodId: null };
  }
  if (answer.type === '3ds_required') return ask(ground, answer, card);
  if (answer.paymentMethodId) return verified(answer.paymentMethodId, false);
  const end = await follow(ground, { before: card.before, isInDoubt });
  if (end !== 'asked') return end;
  // The same card again: the service tells the same bank's question, which was lost on the way.
  return repeats < mostRepeats ? handOver(ground, card, repeats + 1) : unknown();
}

/**
 * Another submit of this session is running, or this one still: waited for, and answered where it has
 * saved its card. Where the bank is asking about another card, before a reload perhaps, which a
 * second refusal shows, that question is let go.
 */
async function awaitOther(ground: Ground, isOther: boolean): Promise<SetupResult | undefined> {
  let standing: SetupStanding | undefined;
  const onStanding = (read: SetupStanding) => {
    standing = read;
  };
  const end = await follow(ground, { before: undefined, isInDoubt: false, onStanding });
  if (end === 'asked' && isOther) {
    await letGo(ground, abandonment('authentication_abandoned', standing));
  }
  return end !== 'asked' && end.type === 'success' ? end : undefined;
}

const abandonment = (reason: string, standing: SetupStanding | undefined) => {
  const attemptId = standing?.latestTransactionAttempt?.id;
  return attemptId ? { reason, attemptId } : { reason: 'authentication_abandoned' };
};

type Followed = {
  readonly before: Card['before'];
  readonly isInDoubt: boolean;
  readonly isAsked?: boolean;
  readonly onStanding?: (standing: SetupStanding) => void;
};

/** Reads the status until it settles the card, through every loss of the connection. */
async function follow(ground: Ground, followed: Followed): Promise<SetupResult | 'asked'> {
  const { calls, language, signal } = ground;
  const { before, isInDoubt, isAsked = false, onStanding } = followed;
  const since = Date.now();
  let wait = 0;
  let failures = 0;
  for (;;) {
    const began = Date.now();
    const forMs = began - since;
    if (forMs > followForMs && !isAsked) return unknown();
    try {
      const standing = await calls.readStatus(wait, signal);
      failures = 0;
      onStanding?.(standing);
      const context = { texts: language.texts, isAsked };
      const end = settled(standing, { ...context, before, isInDoubt, forMs: Date.now() - since });
      if (end) return end;
      const isFirst = wait === 0 && standing.status !== 'open';
      // Where no change may be the news, no answer is waited for.
      wait = standing.status === 'open' ? 0 : waitSeconds;
      // A change in a pause would be missed: the wait answers only to what changes during it.
      if (isFirst) continue;
    } catch (cause) {
      signal.throwIfAborted();
      if (errorOf(cause).status === 404) return failed(errorOf(cause));
      failures += 1;
      if (isInDoubt && failures > mostFailures) return unknown();
    }
    const pauseMs = Math.min(readEveryMs * 2 ** failures, slowestReadMs);
    await sleep(Math.max(0, began + pauseMs - Date.now()), signal);
  }
}

/** Shows the bank's question and answers how it ended. */
async function ask(ground: Ground, { challenge }: SetupAnswer, card: Card): Promise<SetupResult> {
  const { language, options, signal } = ground;
  const code = await import('./challenge-dialog.ts').catch(() => null);
  const { url } = challenge ?? {};
  if (!challenge || !code || !url || !/^https?:\/\//i.test(url)) {
    await letGo(ground, abandonment('', undefined)).catch(() => undefined);
    return failed(unshown(code !== null));
  }
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  const watch = new AbortController();
  stop.signal.addEventListener('abort', () => watch.abort());
  let standing: SetupStanding | undefined;
  const dialog = code.openChallenge({ ...challenge, url, language, options });
  const asked = { ...ground, signal: stop.signal };
  const onStanding = (read: SetupStanding) => {
    standing = read;
    if (read.status === 'processing') dialog.showChecking(true);
  };
  const pursuit = { before: card.before, isInDoubt: false, isAsked: true, onStanding };
  try {
    return (await Promise.race([
      follow({ ...ground, signal: watch.signal }, pursuit).catch((cause) => {
        if (stop.signal.aborted) throw cause;
        return never;
      }),
      lookAtReturns(asked, card, dialog),
      givingUp(dialog, options, stop.signal).then((reason) => {
        // Its end is of this page's making: the status would only tell it back.
        watch.abort();
        dialog.showChecking(true);
        return endQuestion(asked, reason, standing);
      }),
    ])) as SetupResult;
  } catch (cause) {
    // The page has ended the submit: the bank's question must not stay open behind it.
    const late = AbortSignal.timeout(8_000);
    const last = { calls: ground.calls, signal: late };
    letGo(last, abandonment('authentication_abandoned', standing)).catch(() => undefined);
    throw cause;
  } finally {
    signal.removeEventListener('abort', end);
    stop.abort();
    dialog.close();
  }
}

const unshown = (isLoaded: boolean): SvcError =>
  new SvcError('api_error', isLoaded ? 'challenge_unsupported' : 'network_error', {
    message: 'The confirmation of the bank could not be shown. Nothing was saved.',
    retryable: !isLoaded,
  });

const never = new Promise<never>(() => {});

type Dialog = ReturnType<typeof import('./challenge-dialog.ts').openChallenge>;

const givingUp = (
  dialog: Dialog,
  { challengeTimeoutMs = challengeForMs }: CardSetupOptions,
  signal: AbortSignal,
): Promise<'cancelled' | 'timed_out'> =>
  Promise.race([
    dialog.givenUp.then(() => 'cancelled' as const),
    sleep(challengeTimeoutMs, signal).then(() => 'timed_out' as const),
  ]);

/** Hands the same card over again when the bank's frame has come back; answers only an end. */
function lookAtReturns(ground: Ground, { token }: Card, dialog: Dialog): Promise<SetupResult> {
  const context: Context = { texts: ground.language.texts, isAsked: true };
  let looks = 0;
  return new Promise((resolve) => {
    dialog.onReturn(async (chv) => {
      looks += 1;
      if (looks > mostLooks) return;
      dialog.showChecking(true);
      try {
        const answer = await give(ground, { token, chv });
        if (answer.paymentMethodId) resolve(verified(answer.paymentMethodId, true));
        else if (answer.type === 'processing') return;
      } catch (cause) {
        const { status, declineCode, advice, message } = errorOf(cause);
        const code = declineCode ?? 'generic_decline';
        // Any other failure leaves open what became of the card: the status tells.
        if (status === 402) resolve(declined({ code, advice, message }, context));
      }
      dialog.showChecking(false);
    });
  });
}

/** Ends the bank's question, at the provider too; where the card was verified meanwhile, it stands. */
async function endQuestion(
  ground: Ground,
  reason: 'cancelled' | 'timed_out',
  standing: SetupStanding | undefined,
): Promise<SetupResult> {
  const word = reason === 'cancelled' ? 'buyer_canceled' : 'authentication_abandoned';
  try {
    const left = await letGo(ground, abandonment(word, standing));
    if (left.status === 'completed' && left.paymentMethodId) {
      return verified(left.paymentMethodId, true);
    }
    return givenUp(reason);
  } catch (cause) {
    ground.signal.throwIfAborted();
    const { code } = errorOf(cause);
    const isSettling = /_completed$|_in_progress$|_outcome_unknown$/.test(code ?? '');
    if (!isSettling) return unknown();
    const end = await follow(ground, { before: undefined, isInDoubt: false, isAsked: true });
    return end === 'asked' ? unknown() : end;
  }
}
