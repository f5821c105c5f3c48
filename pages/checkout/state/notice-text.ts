// The words of a notice above the form: what happened, and what to do.

import type { LoadErrorReason } from '@svc/contract/vault/form-messages';
import { type Language, textOf } from '../texts/index.ts';
import { formatWait, localeOf } from '../texts/locale.ts';
import type { Notice } from './view.ts';

export type NoticeText = {
  readonly title: string;
  readonly text: string;
  /** The code and the request, for a problem without words of its own. */
  readonly reference: string | null;
};

export function noticeText(notice: Notice, language: Language): NoticeText {
  const { texts } = language;
  const title = titleOfNotice(notice, texts);
  switch (notice.kind) {
    case 'declined': {
      const reason = textOf(texts.declines, notice.code) ?? texts.declineOther;
      const advice = textOf(texts.advices, notice.advice) ?? texts.adviceOther;
      return { title, text: `${reason} ${advice}`, reference: null };
    }
    case 'wait': {
      const time = formatWait(notice.seconds, localeOf(language));
      return { title, text: texts.waitText(time), reference: null };
    }
    case 'problem': {
      const known = textOf(texts.problems, notice.code);
      if (known) return { title, text: known, reference: null };
      const reference = [notice.code, notice.requestId].filter(Boolean).join(' · ');
      return { title, text: texts.problemOther, reference };
    }
  }
}

export const titleOfNotice = (notice: Notice, texts: Language['texts']): string =>
  notice.kind === 'declined' ? texts.declineTitle : texts.problemTitle;

/** The hosted fields have two more reasons not to load, with the advice of a blocked form. */
export const formProblemText = (
  reason: LoadErrorReason,
  { texts: { formProblems } }: Language,
): string => textOf(formProblems, reason) ?? formProblems.blocked_by_extension_or_network;
