// The sentence that tells a state: read out by screen readers, and the beginning of the window's title.

import type { UnifiedCheckoutSession } from '@svc/browser';
import { type Language, type Texts, withSetupTexts } from '../texts/index.ts';
import { titleOfNotice } from './notice-text.ts';
import { isFree, isSetup, isShell, type View } from './view.ts';

type Session = UnifiedCheckoutSession | null;

/** Empty while the form is shown without a notice. */
export function headlineOf(view: View, texts: Texts, session: Session): string {
  switch (view.name) {
    case 'loading':
      return texts.loading;
    case 'form':
      return view.notice ? titleOfNotice(view.notice, texts) : '';
    case 'paying':
      if (isFree(session)) return texts.completing;
      return isShell(session) ? texts.cartComing : texts.paying;
    case 'succeeded':
      return isFree(session) ? texts.ordered : texts.succeeded;
    case 'redirecting':
      return view.to === 'wallet' ? texts.redirectingWallet : texts.redirecting;
    default:
      return texts[view.name];
  }
}

export function windowTitle(view: View, texts: Texts, session: Session): string {
  const said = headlineOf(view, texts, session);
  const { merchant } = session ?? {};
  if (merchant) return `${said || texts.title} · ${merchant.name}`;
  return said ? `${said} · ${texts.title}` : texts.title;
}

/** A session that saves a card without a payment has words of its own. */
export const languageOf = (session: Session, language: Language): Language =>
  isSetup(session) ? withSetupTexts(language) : language;
