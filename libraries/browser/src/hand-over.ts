// One card, from the call that hands it over to an end that is known: asked by the bank where it wants
// to, followed by the status until the provider has spoken. The same for a card that is saved and one
// that pays. Contract §3; §4, card setup.

import { ask } from './ask.ts';
import type { ChallengeOptions, openChallenge } from './challenge-dialog.ts';
import { follow } from './follow.ts';
import { abandonment, type LetGo, letGo } from './let-go.ts';
import { loadPart } from './load-part.ts';
import { persist } from './send.ts';
import { type End, type Meaning, refused, refusedAs, type Standing } from './standing.ts';
import { errorOf, SvcError } from './svc-error.ts';
import type { Texts } from './texts/en.ts';
import type { Language } from './texts/index.ts';

type Challenge = { readonly url: string | null; readonly returnUrl: string };

export type Answer = { readonly type: string; readonly challenge?: Challenge };

/** What is handed over, and to whom. */
export type Deal<A extends Answer, Done> = Meaning<Done> & {
  /** Money moves, and not only a card is saved. */
  readonly isPaying: boolean;
  /** The card, or with `chv` the same card again after the bank's question. */
  readonly give: (chv: string | undefined, signal: AbortSignal) => Promise<A>;
  readonly readStatus: (wait: number, signal: AbortSignal) => Promise<Standing>;
  readonly letGo: LetGo;
  /** What the answer has settled; undefined where it has not. */
  readonly doneBy: (answer: A) => Done | undefined;
  readonly language: Language;
  readonly options: ChallengeOptions;
  /** What holds the card form, and the bank's dialog in it; the first form of the page by default. */
  readonly container?: Element | null | undefined;
  readonly signal: AbortSignal;
  /** Id of the newest attempt before this card; undefined when it is not known. */
  readonly before: string | null | undefined;
};

/** An end, and whether the bank was asking. */
export type Ended<Done> = End<Done> & { readonly isAsked: boolean };

/** How long an answer that is lost is asked for again, with the very same body. */
const giveWithinMs = 12_000;
/** A card that meets another submit: once to tell whose it is, once after that one has ended. */
const mostRepeats = 2;

const unasked = <Done>(end: End<Done>): Ended<Done> => ({ ...end, isAsked: false });

/** Never rejects but with the reason of the signal. */
export async function handOver<A extends Answer, Done>(
  deal: Deal<A, Done>,
  {
    answer: known,
    repeats = 0,
  }: { readonly answer?: A | undefined; readonly repeats?: number } = {},
): Promise<Ended<Done>> {
  const { signal } = deal;
  // The bank may ask: its dialog travels while the card does.
  const ahead = loadDialog().catch(() => undefined);
  let answer = known;
  // What is given again may have arrived before.
  let isInDoubt = repeats > 0;
  const onLost = () => {
    isInDoubt = true;
  };
  const patience = { signal, withinMs: giveWithinMs, onLost };
  try {
    answer ??= await persist(() => deal.give(undefined, signal), patience);
    isInDoubt = false;
  } catch (cause) {
    const error = errorOf(cause);
    if (error.code === 'checkout_attempt_in_progress') {
      const end = repeats < mostRepeats && (await awaitOther(deal, repeats > 0));
      if (end) return unasked(end);
      if (repeats < mostRepeats) return handOver(deal, { repeats: repeats + 1 });
      // Money may be on its way by the other.
      if (deal.isPaying) return unasked({ kind: 'unknown' });
    }
    const end = refused(error, isInDoubt);
    if (end) return unasked(end);
  }
  if (answer?.type === '3ds_required') {
    return { ...(await question(deal, answer.challenge, ahead)), isAsked: true };
  }
  const done = answer && deal.doneBy(answer);
  if (done !== undefined) return unasked({ kind: 'succeeded', done });
  const end = await follow(deal, { before: deal.before, isInDoubt });
  if (end !== 'asked') return unasked(end);
  // The same card again: the service tells the same bank's question, which was lost on the way.
  return repeats < mostRepeats
    ? handOver(deal, { repeats: repeats + 1 })
    : unasked({ kind: 'unknown' });
}

type Dialog = { readonly openChallenge: typeof openChallenge };
type Words = { readonly texts: Texts };

/** The dialog of the bank's question; also fetched ahead, with the form. */
export const loadDialog = (): Promise<[Dialog, Words]> =>
  Promise.all([
    loadPart(() => import('./challenge-dialog.ts'), 'openChallenge'),
    // Its words where those of the buyer's language cannot be had.
    loadPart(() => import('./texts/en.ts'), 'texts', 'en'),
  ]);

/** Shows the bank's question, or ends it where it cannot be shown. */
async function question<A extends Answer, Done>(
  deal: Deal<A, Done>,
  challenge: Challenge | undefined,
  ahead: Promise<[Dialog, Words] | undefined>,
): Promise<End<Done>> {
  // One after the other: the second failure is what makes the error `reload_required`.
  const code = (await ahead) ?? (await loadDialog().catch(errorOf));
  const { url } = challenge ?? {};
  if (challenge && !(code instanceof SvcError) && url && /^https?:\/\//i.test(url)) {
    const [{ openChallenge }, { texts }] = code;
    return ask(deal, { ...challenge, url }, (wish) => openChallenge(wish, texts));
  }
  const { code: unshownAs, retryable } =
    code instanceof SvcError ? code : { code: 'challenge_unsupported', retryable: false };
  const unshown = refusedAs(
    unshownAs ?? 'network_error',
    `The confirmation of the bank could not be shown. ${deal.nothing}`,
    retryable,
  );
  const body = abandonment('authentication_abandoned', undefined);
  // Gone through meanwhile, perhaps, whatever is answered: the status tells.
  await letGo(deal, body, deal.signal).catch(() => deal.signal.throwIfAborted());
  const end = await follow(deal, { before: undefined, isInDoubt: false });
  if (end === 'asked') return { kind: 'unknown' };
  return ['succeeded', 'declined', 'unknown'].includes(end.kind) ? end : unshown;
}

/**
 * Another submit of this session is running, or this one still: waited for, and answered where it has
 * come to what is wanted. Where the bank is asking about another card, before a reload perhaps, which
 * a second refusal shows, that question is let go.
 */
async function awaitOther<A extends Answer, Done>(
  deal: Deal<A, Done>,
  isOther: boolean,
): Promise<End<Done> | undefined> {
  let standing: Standing | undefined;
  const onStanding = (read: Standing) => {
    standing = read;
  };
  const end = await follow(deal, { before: undefined, isInDoubt: false, onStanding });
  if (end === 'asked' && isOther) {
    const body = abandonment('authentication_abandoned', standing);
    // Gone through meanwhile, perhaps: the next call tells.
    await letGo(deal, body, deal.signal).catch(() => deal.signal.throwIfAborted());
  }
  return end !== 'asked' && end.kind === 'succeeded' ? end : undefined;
}
