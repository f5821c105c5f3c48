// One submit of CardSetup: takes a token from the form, sends it to the setup session, and passes the end
// to the callbacks. Contract §4, card setup.

import { loadPart, translateReload } from '../api/load-part.ts';
import type { SessionState } from '../api/session-state.ts';
import { errorOf, SvcError } from '../api/svc-error.ts';
import type { SetupAnswer } from '../api/wire.ts';
import type { CardFrame } from '../card-frame/card-frame.ts';
import type { HandOverEnd } from '../challenge/hand-over.ts';
import type { LoadDialog } from '../challenge/hand-over-request.ts';
import type { Language } from '../texts/texts.ts';
import type { CardSetupOptions, ChallengeOutcome, SetupResult } from './card-setup-types.ts';
import type { SetupCalls } from './setup-calls.ts';
import { failedSetup, verified } from './setup-results.ts';

export type Fixture = {
  readonly frame: CardFrame;
  readonly calls: SetupCalls;
  readonly language: Language;
  readonly options: CardSetupOptions;
  readonly signal: AbortSignal;
  readonly loadDialog?: LoadDialog;
};

export async function submitCard(fixture: Fixture): Promise<SetupResult> {
  const { calls, language, options, signal, loadDialog } = fixture;
  try {
    const [token, before] = await Promise.all([takeToken(fixture), lastAttempt(fixture)]);
    const { handOver } = await loadPart(() => import('../challenge/hand-over.ts'), 'handOver');
    const ended = await handOver<SetupAnswer, string>({
      isPaying: false,
      nothing: 'Nothing was saved; submit it again.',
      give: (chv, until) => calls.post('/card-setup', chv ? { token, chv } : { token }, until),
      readStatus: (wait, until) => calls.readStatus(wait, until),
      letGo: async (body, until) =>
        (await calls.post<{ data: SessionState }>('/decline', body, until)).data,
      // The id exists only once the provider has verified the card.
      doneBy: ({ paymentMethodId }) => paymentMethodId ?? undefined,
      doneAt: ({ status, paymentMethodId }) =>
        (status === 'completed' && paymentMethodId) || undefined,
      language,
      options,
      container: fixture.frame.element.parentElement,
      loadDialog,
      signal,
      before,
    });
    return resultOf(ended, language);
  } catch (cause) {
    return failedSetup(errorOf(cause));
  }
}

/** Takes a token from the form, with a new mount token when the old one has expired. */
async function takeToken({ frame, calls, signal }: Fixture): Promise<string> {
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

const lastAttempt = ({ calls, signal }: Fixture): Promise<string | null | undefined> =>
  calls.readStatus(0, signal).then(
    ({ latestTransactionAttempt }) => latestTransactionAttempt?.id ?? null,
    () => undefined,
  );

function resultOf(ended: HandOverEnd<string>, { texts }: Language): SetupResult {
  switch (ended.kind) {
    case 'succeeded':
      return verified(ended.done, ended.isAsked);
    case 'refused':
      return failedSetup(translateReload(ended.error, texts?.reload));
    case 'cancelled':
    case 'timed_out':
      return { type: 'cancel', reason: ended.kind, challenge: ended.kind };
    case 'unknown':
      return failedSetup(
        new SvcError('api_error', 'outcome_unknown', {
          message: 'It is not known yet whether the card is saved. Ask again in a while.',
          retryable: true,
        }),
      );
    case 'declined': {
      const { code, advice, message, isAsked } = ended;
      const isUnconfirmed = code === 'authentication_failed';
      const asked: ChallengeOutcome = isUnconfirmed ? 'failed' : 'declined';
      return {
        type: 'decline',
        code,
        message: texts?.[isUnconfirmed ? 'notConfirmed' : 'declined'] ?? message,
        retryable: advice !== 'do_not_try_again',
        advice,
        challenge: isAsked ? asked : null,
      };
    }
  }
}
