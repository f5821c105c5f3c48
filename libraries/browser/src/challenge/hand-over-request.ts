// What a card is handed over with, and what the service responds. Contract §3; §4, card setup.

import type { Meaning, SessionState } from '../api/session-state.ts';
import type { Texts } from '../texts/en.ts';
import type { Language } from '../texts/texts.ts';
import type { AbandonCall } from './abandon-attempt.ts';
import type { ChallengeOptions, openChallenge } from './challenge-dialog.ts';

export type Challenge = { readonly url: string | null; readonly returnUrl: string };

export type SubmitAnswer = { readonly type: string; readonly challenge?: Challenge };

/** The code of the bank's dialog, and its English words. */
export type LoadDialog = () => Promise<
  [{ readonly openChallenge: typeof openChallenge }, { readonly texts: Texts }]
>;

/** The card, the calls of the session and the caller's settings. */
export type HandOverRequest<A extends SubmitAnswer, Done> = Meaning<Done> & {
  /** True when the call moves money, false when it only saves a card. */
  readonly isPaying: boolean;
  /** Sends the card, or with `chv` the same card again after the bank's challenge. */
  readonly give: (chv: string | undefined, signal: AbortSignal) => Promise<A>;
  readonly readStatus: (wait: number, signal: AbortSignal) => Promise<SessionState>;
  readonly letGo: AbandonCall;
  /** What the response has settled; undefined when it has settled nothing. */
  readonly doneBy: (answer: A) => Done | undefined;
  readonly language: Language;
  readonly options: ChallengeOptions;
  /**
   * The element that contains the card form and the bank's dialog; the first form of the page by default.
   */
  readonly container?: Element | null | undefined;
  /** Loads the bank's dialog. A test without a browser gives a dialog of its own. */
  readonly loadDialog?: LoadDialog | undefined;
  readonly signal: AbortSignal;
  /** The id of the newest attempt before this card; undefined when it is not known. */
  readonly before: string | null | undefined;
};
