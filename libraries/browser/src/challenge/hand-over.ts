// Hands over one card and follows it to a known end: shows the bank's challenge where the bank asks for
// one, and reads the status until the provider has responded. Used for a card that is saved and for one
// that pays. Contract §3; §4, card setup.

import { loadPart } from '../api/load-part.ts';
import { repeatWhileLost } from '../api/send.ts';
import { type End, endOfRefusal, refusedEnd, type SessionState } from '../api/session-state.ts';
import { errorOf, SvcError } from '../api/svc-error.ts';
import { abandonment, letGo } from './abandon-attempt.ts';
import { followStatus } from './follow-status.ts';
import type { Challenge, HandOverRequest, LoadDialog, SubmitAnswer } from './hand-over-request.ts';
import { showChallenge } from './show-challenge.ts';

/** An end, and whether the bank showed a challenge. */
export type HandOverEnd<Done> = End<Done> & { readonly isAsked: boolean };

/** How long a call whose response was lost is repeated, always with the same body. */
const giveWithinMs = 12_000;
/**
 * How often the card is sent again when another submit is running: once to learn whether that submit has
 * ended, and once after its challenge was ended.
 */
const mostRepeats = 2;

const withoutChallenge = <Done>(end: End<Done>): HandOverEnd<Done> => ({ ...end, isAsked: false });

/** Rejects only with the signal's reason. */
export async function handOver<A extends SubmitAnswer, Done>(
  deal: HandOverRequest<A, Done>,
  {
    answer: known,
    repeats = 0,
  }: { readonly answer?: A | undefined; readonly repeats?: number } = {},
): Promise<HandOverEnd<Done>> {
  const { signal, loadDialog: load = loadDialog } = deal;
  // The bank may ask for a challenge: the dialog loads while the card is sent.
  const ahead = load().catch(() => undefined);
  let answer = known;
  // A card that is sent again may have arrived before.
  let isInDoubt = repeats > 0;
  const onLost = () => {
    isInDoubt = true;
  };
  const patience = { signal, withinMs: giveWithinMs, onLost };
  try {
    answer ??= await repeatWhileLost(() => deal.give(undefined, signal), patience);
    isInDoubt = false;
  } catch (cause) {
    const error = errorOf(cause);
    if (error.code === 'checkout_attempt_in_progress') {
      const end = repeats < mostRepeats && (await waitForOtherSubmit(deal, repeats > 0));
      if (end) return withoutChallenge(end);
      if (repeats < mostRepeats) return handOver(deal, { repeats: repeats + 1 });
      // The other submit may still move money.
      if (deal.isPaying) return withoutChallenge({ kind: 'unknown' });
    }
    const end = endOfRefusal(error, isInDoubt);
    if (end) return withoutChallenge(end);
  }
  if (answer?.type === '3ds_required') {
    return { ...(await question(deal, answer.challenge, ahead)), isAsked: true };
  }
  const done = answer && deal.doneBy(answer);
  if (done !== undefined) return withoutChallenge({ kind: 'succeeded', done });
  const end = await followStatus(deal, { before: deal.before, isInDoubt });
  if (end !== 'asked') return withoutChallenge(end);
  // Sends the same card again: the service returns the same challenge, whose first response was lost.
  return repeats < mostRepeats
    ? handOver(deal, { repeats: repeats + 1 })
    : withoutChallenge({ kind: 'unknown' });
}

/** Loads the dialog of the bank's challenge. The form also loads it ahead. */
export const loadDialog: LoadDialog = () =>
  Promise.all([
    loadPart(() => import('./challenge-dialog.ts'), 'openChallenge'),
    // English texts, for when those of the buyer's language cannot be loaded.
    loadPart(() => import('../texts/en.ts'), 'texts', 'en'),
  ]);

/** Shows the bank's challenge, or ends it when it cannot be shown. */
async function question<A extends SubmitAnswer, Done>(
  deal: HandOverRequest<A, Done>,
  challenge: Challenge | undefined,
  ahead: Promise<Awaited<ReturnType<LoadDialog>> | undefined>,
): Promise<End<Done>> {
  // The second load runs after the first: only a second failure gives `reload_required`.
  const code = (await ahead) ?? (await (deal.loadDialog ?? loadDialog)().catch(errorOf));
  const { url } = challenge ?? {};
  if (challenge && !(code instanceof SvcError) && url && /^https?:\/\//i.test(url)) {
    const [{ openChallenge }, { texts }] = code;
    return showChallenge(deal, { ...challenge, url }, (request) => openChallenge(request, texts));
  }
  const { code: unshownAs, retryable } =
    code instanceof SvcError ? code : { code: 'challenge_unsupported', retryable: false };
  const unshown = refusedEnd(
    unshownAs ?? 'network_error',
    `The confirmation of the bank could not be shown. ${deal.nothing}`,
    retryable,
  );
  const body = abandonment('authentication_abandoned', undefined);
  // The card may have succeeded meanwhile, whatever this call returns: only the status can settle it.
  await letGo(deal, body, deal.signal).catch(() => deal.signal.throwIfAborted());
  const end = await followStatus(deal, { before: undefined, isInDoubt: false });
  if (end === 'asked') return { kind: 'unknown' };
  return ['succeeded', 'declined', 'unknown'].includes(end.kind) ? end : unshown;
}

/**
 * Another submit of this session is running, or an earlier repeat of this one. Waits for it and returns its
 * end when it succeeded. A second refusal shows that the bank's challenge is about another card, perhaps
 * from before a reload: then that challenge is ended.
 */
async function waitForOtherSubmit<A extends SubmitAnswer, Done>(
  deal: HandOverRequest<A, Done>,
  isOther: boolean,
): Promise<End<Done> | undefined> {
  let standing: SessionState | undefined;
  const handleStatus = (read: SessionState) => {
    standing = read;
  };
  const end = await followStatus(deal, {
    before: undefined,
    isInDoubt: false,
    onStanding: handleStatus,
  });
  if (end === 'asked' && isOther) {
    const body = abandonment('authentication_abandoned', standing);
    // The card may have succeeded meanwhile: the next call will show it.
    await letGo(deal, body, deal.signal).catch(() => deal.signal.throwIfAborted());
  }
  return end !== 'asked' && end.kind === 'succeeded' ? end : undefined;
}
