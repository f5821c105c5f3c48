// Layout of the page: ribbon, way back, the order on one side, card form or outcome on the other.

import type { UnifiedCheckoutSession } from '@svc/browser';
import type { Merchant } from '@svc/contract/checkout-sessions-parts';
import { useEffect } from 'preact/hooks';
import { BackIcon } from '../kit/icons.tsx';
import { brandOf } from './brand.ts';
import { CardPanel } from './card-panel.tsx';
import { ChallengeDialog } from './challenge-dialog.tsx';
import { NoMoney } from './no-money.tsx';
import { isOutcome, Outcome } from './outcome.tsx';
import { SellerFoot, SellerHead } from './seller.tsx';
import { returnAddress } from './state/addresses.ts';
import type { Checkout } from './state/checkout.ts';
import {
  hidesForm,
  isFree,
  isPaymentRunning,
  isSetup,
  isShell,
  keepsForm,
  type View,
} from './state/view.ts';
import { Summary } from './summary.tsx';
import { type Language, type Texts, withSetupTexts } from './texts/index.ts';

/** One sentence per state for screen readers, which also begins the window's title. */
function headline(view: View, texts: Texts, session: UnifiedCheckoutSession | null): string {
  switch (view.name) {
    case 'loading':
      return texts.loading;
    case 'form':
      if (!view.notice) return '';
      return view.notice.kind === 'declined' ? texts.declineTitle : texts.problemTitle;
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

type PageProps = { checkout: Checkout | null; language: Language };

/** `missing` is the state that is shown when there is no checkout. */
type WholeProps = PageProps & { missing: 'notFound' | 'returned' };

export function Page({ checkout, missing, language: spoken }: WholeProps) {
  const view: View = checkout?.view.value ?? { name: missing };
  const session = checkout?.session.value ?? null;
  const language = isSetup(session) ? withSetupTexts(spoken) : spoken;
  const { texts } = language;
  const said = headline(view, texts, session);
  const merchant = session?.merchant ?? null;
  useEffect(() => {
    document.title = merchant
      ? `${said || texts.title} · ${merchant.name}`
      : said
        ? `${said} · ${texts.title}`
        : texts.title;
  }, [said, texts, merchant]);

  const isSandbox = session?.data.cardprovider?.publishableKey.startsWith('pk_test_') ?? false;
  const isOver = ['succeeded', 'authorized', 'saved'].includes(view.name);
  const isAlone = isSetup(session) || !(session || view.name === 'loading');
  const cancel = session && !isOver ? returnAddress(session.cancelUrl, session.id) : null;
  return (
    <>
      {isSandbox && <NoMoney texts={texts} />}
      <main
        class="page"
        aria-busy={view.name === 'loading'}
        style={brandOf(merchant?.brandColor) ?? {}}
      >
        <h1 class="unseen">{texts.title}</h1>
        <header class="top">
          {cancel && !isPaymentRunning(view) && (
            <WayBack url={cancel} merchant={merchant} texts={texts} />
          )}
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
        {said}
      </p>
    </>
  );
}

type PanelProps = PageProps & { view: View };

/** The form with the dialog over it, or the outcome of the payment. */
export function Panel({ checkout, view, language }: PanelProps) {
  const session = checkout?.session.value;
  const isHidden = hidesForm(view);
  const hasForm = keepsForm(view) || (isHidden && checkout?.frame);
  return (
    <>
      {checkout && session?.vault && hasForm && (
        <div hidden={isHidden}>
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
