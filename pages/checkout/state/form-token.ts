// Takes a single-use token from the card form, with a new mount token when the old one has expired.

import type { CardFrame } from '@svc/browser/card-frame';
import { failureOf } from './failures.ts';
import { tokenNotice } from './refusals.ts';
import type { Notice } from './view.ts';

/** The card form, or the express buttons. */
export type TokenSource = Pick<CardFrame, 'setMountToken' | 'submit'>;

export type FormAnswer = { readonly token: string } | { readonly notice: Notice | null };

/** `renew` returns a new mount token, or undefined when the session accepts no card any more. */
export async function takeToken(
  frame: TokenSource,
  renew: () => Promise<string | undefined>,
): Promise<FormAnswer> {
  for (let isRepeat = false; ; isRepeat = true) {
    try {
      return { token: (await frame.submit()).token };
    } catch (cause) {
      const error = failureOf(cause);
      const mountToken = error.code === 'session_expired' && !isRepeat ? await renew() : undefined;
      if (!mountToken) return { notice: tokenNotice(error) };
      frame.setMountToken(mountToken);
    }
  }
}
