// Layout of the page: ribbon, way back, the order on one side, card form or outcome on the other.

import type { Merchant } from '@svc/contract/checkout-sessions/checkout-sessions-parts';
import { useLayoutEffect } from 'preact/hooks';
import { BackIcon } from '../kit/icons.tsx';
import { brandOf } from './brand.ts';
import { CardPanel } from './card-panel.tsx';
import { ChallengeDialog } from './challenge-dialog.tsx';
import { NoMoney } from './no-money.tsx';
import { Outcome } from './outcome.tsx';
import { SellerFoot, SellerHead } from './seller.tsx';
import { wayBack } from './state/addresses.ts';
import type { Checkout } from './state/checkout.ts';
import { headlineOf, languageOf, windowTitle } from './state/headline.ts';
import { isOutcome } from './state/outcome-text.ts';
import { hasCardForm } from './state/pay-button.ts';
import { hidesForm, isSandbox, isSetup, type View } from './state/view.ts';
import { Summary } from './summary.tsx';
import type { Language, Texts } from './texts/index.ts';

type PageProps = { checkout: Checkout | null; language: Language };

/** `missing` is the state that is shown when there is no checkout. */
type WholeProps = PageProps & { missing: 'notFound' | 'returned' };

export function Page({ checkout, missing, language: spoken }: WholeProps) {
  const view: View = checkout?.view.value ?? { name: missing };
  const session = checkout?.session.value ?? null;
  const language = languageOf(session, spoken);
  const { texts } = language;
  const merchant = session?.merchant ?? null;
  const title = windowTitle(view, texts, session);
  // Set before the page is painted, so that the title is right as soon as the page is visible.
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);

  const isAlone = isSetup(session) || !(session || view.name === 'loading');
  const cancel = wayBack(view, session);
  return (
    <>
      {isSandbox(session) && <NoMoney texts={texts} />}
      <main
        class="page"
        aria-busy={view.name === 'loading'}
        style={brandOf(merchant?.brandColor) ?? {}}
      >
        <h1 class="unseen">{texts.title}</h1>
        <header class="top">
          {cancel && <WayBack url={cancel} merchant={merchant} texts={texts} />}
        </header>
        <div class={isAlone ? 'columns alone' : 'columns'}>
          {session && !isSetup(session) && (
            <Summary checkout={checkout} session={session} language={language} />
          )}
          {view.name === 'loading' && !session && <SummaryBones />}
          <div class={isOutcome(view) ? 'side first' : 'side'}>
            {isAlone && <SellerHead merchant={merchant} />}
            <div class={isOutcome(view) ? 'panel first' : 'panel'}>
              <Panel checkout={checkout} view={view} language={language} />
            </div>
          </div>
        </div>
        <SellerFoot merchant={merchant} texts={texts} />
      </main>
      <p class="unseen" role="status">
        {headlineOf(view, texts, session)}
      </p>
    </>
  );
}

type PanelProps = PageProps & { view: View };

/** The form with the dialog over it, or the outcome of the payment. */
export function Panel({ checkout, view, language }: PanelProps) {
  const session = checkout?.session.value;
  return (
    <>
      {checkout && session && hasCardForm(checkout) && (
        <div hidden={hidesForm(view)}>
          <CardPanel checkout={checkout} session={session} language={language} />
        </div>
      )}
      {view.name === 'loading' && <PanelBones />}
      {checkout && view.name === 'confirming' && (
        <ChallengeDialog key={view.url} checkout={checkout} url={view.url} language={language} />
      )}
      {isOutcome(view) && (
        <Outcome key={view.name} checkout={checkout} view={view} language={language} />
      )}
    </>
  );
}

type WayBackProps = { url: URL; merchant: Merchant | null; texts: Texts };

function WayBack({ url, merchant, texts }: WayBackProps) {
  return (
    <a class="back" href={url.href}>
      <BackIcon />
      {merchant ? texts.backTo(merchant.name) : texts.back}
    </a>
  );
}

const SummaryBones = () => (
  <div class="summary" aria-hidden="true">
    <span class="bone bone-small" />
    <span class="bone bone-amount" />
    <span class="bone" />
    <span class="bone" />
  </div>
);

const PanelBones = () => (
  <div aria-hidden="true">
    <span class="bone bone-small" />
    <span class="bone bone-field" />
    <span class="bone bone-field" />
    <span class="bone bone-button" />
  </div>
);
