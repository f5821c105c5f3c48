// The card form and the button below it. The form is a frame of the card origin: this page never sees what
// is typed. Contract §4.

import type { UnifiedCheckoutSession } from '@svc/browser';
import { type CardFrame, mountCardFrame } from '@svc/browser/card-frame';
import type { Appearance, FormField, LoadErrorReason } from '@svc/contract/vault/form-messages';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { demandIntegrity } from '../kit/demand-integrity.ts';
import { AlertIcon, LockIcon, WalletIcon } from '../kit/icons.tsx';
import { TextWithFixedPart } from './fixed-part.tsx';
import { KeepCard, SavedChoice } from './saved-choice.tsx';
import type { Checkout } from './state/checkout.ts';
import { formProblemText, noticeText } from './state/notice-text.ts';
import {
  chargeLines,
  isLocked,
  type PayButton,
  payButton,
  readsCards,
  showsForm,
} from './state/pay-button.ts';
import { offersWallet, shownNotice, stopOf } from './state/stops.ts';
import { hasSubscription, isFree, isShell, type Notice, offersSaved } from './state/view.ts';
import type { Language, Texts } from './texts/index.ts';

const darkScheme = () => matchMedia('(prefers-color-scheme: dark)');

/** Reads the page's own colours for the form from its style sheet. */
function readAppearance(): Appearance {
  const style = getComputedStyle(document.documentElement);
  const names = {
    accent: '--accent',
    text: '--ink',
    background: '--field',
    border: '--line-strong',
    danger: '--danger',
    radius: '--radius',
  };
  const variables = Object.fromEntries(
    Object.entries(names).map(([name, property]) => [
      name,
      style.getPropertyValue(property).trim(),
    ]),
  );
  return {
    theme: darkScheme().matches ? 'dark' : 'light',
    variables: { ...variables, fontSize: '16px' },
  };
}

const knownField = /^(number|expiry|cvc|name|postalCode)$/;
const fieldsOf = (session: UnifiedCheckoutSession): FormField[] =>
  (session.vault?.fields ?? []).filter((field): field is FormField => knownField.test(field));

type PanelProps = { checkout: Checkout; session: UnifiedCheckoutSession; language: Language };

export function CardPanel({ checkout, session, language }: PanelProps) {
  const { texts } = language;
  const view = checkout.view.value;
  const stop = stopOf(session, view);
  // What comes later is placed below, so that nothing moves while the buyer types or presses: the wallet of a
  // shell, which is known with the cart, and the express buttons, of which only the provider's frame knows.
  const { current: isCardFirst } = useRef(isShell(session));
  const offer = offersWallet(session) && (
    <WalletWay checkout={checkout} isLast={isCardFirst} language={language} />
  );
  return (
    <section aria-labelledby="card-title" aria-busy={view.name !== 'form'}>
      {!isCardFirst && offer}
      <h2 id="card-title" class="panel-title">
        {titleOf(checkout, session, texts)}
      </h2>
      <NoticeBox notice={shownNotice(session, view)} language={language} />
      {!stop && <CardWay checkout={checkout} session={session} language={language} />}
      {isCardFirst && offer}
      {!stop && <div class="express" />}
    </section>
  );
}

function titleOf({ cards }: Checkout, session: UnifiedCheckoutSession, texts: Texts): string {
  if (isFree(session)) return texts.complete;
  return cards.cards.value.length > 0 ? texts.payWith : texts.cardTitle;
}

/** Saved cards, the form, and the button that pays with either of them. */
function CardWay({ checkout, session, language }: PanelProps) {
  const { texts } = language;
  const { form } = checkout;
  // The form stays mounted while hidden: when a coupon is removed again, it still has what was typed.
  const hasForm = showsForm(checkout);
  const isFreely = isFree(session);
  const button = payButton(checkout, language);
  const reason = form.problem.value;
  return (
    <>
      {!isFreely && <SavedChoice checkout={checkout} language={language} />}
      <div hidden={!hasForm}>
        {reason && <FormProblem checkout={checkout} reason={reason} language={language} />}
        {/* A form that loads late still works, so it stays mounted. */}
        <div hidden={reason !== null}>
          <CardHost
            key={form.renewals.value}
            checkout={checkout}
            session={session}
            language={language}
          />
        </div>
        {offersSaved(session) && !hasSubscription(session) && (
          <KeepCard checkout={checkout} texts={texts} />
        )}
      </div>
      {readsCards(checkout) ? (
        <Bones />
      ) : (
        <>
          {chargeLines(session, texts).map((line) => (
            <p key={line} class="hold-line">
              {line}
            </p>
          ))}
          {button && <Pay checkout={checkout} button={button} />}
          {isShell(session) && <p class="hold-line">{texts.cartComingText}</p>}
          <p class="fine">{button?.hint}</p>
          <PayerLine email={session.accountData?.email} texts={texts} />
        </>
      )}
    </>
  );
}

/** Grey bars in place of the cards or the form, and of the button, whose place depends on them. */
const Bones = () => (
  <div aria-hidden="true">
    <span class="bone bone-field" />
    <span class="bone bone-field" />
    <span class="bone bone-button" />
  </div>
);

function Pay({ checkout, button }: { checkout: Checkout; button: PayButton }) {
  const { label, amount, isBusy, isBlocked } = button;
  return (
    <button
      type="button"
      class="pay"
      // `aria-disabled` in place of `disabled`, which would lose the focus.
      aria-disabled={isBlocked}
      onClick={() => !isBlocked && void checkout.pay()}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : <LockIcon />}
      <span>{isBusy ? label : <TextWithFixedPart text={label} part={amount} />}</span>
    </button>
  );
}

type PayingAsProps = { email: string | undefined; texts: Texts };

const PayerLine = ({ email, texts }: PayingAsProps) =>
  email ? (
    <p class="fine">
      <TextWithFixedPart text={texts.receiptFor(email)} part={email} />
    </p>
  ) : null;

type OfferProps = Omit<PanelProps, 'session'> & { isLast: boolean };

function WalletWay({ checkout, isLast, language: { texts } }: OfferProps) {
  const isBlocked = isLocked(checkout);
  return (
    <>
      <button
        type="button"
        class="second wallet"
        aria-disabled={isBlocked}
        onClick={() => !isBlocked && void checkout.payWithWallet()}
      >
        <WalletIcon size={22} /> {texts.walletPay}
      </button>
      {!isLast && <p class="or">{texts.orCard}</p>}
    </>
  );
}

function CardHost({ checkout, session, language }: PanelProps) {
  const host = useRef<HTMLDivElement>(null);
  const { form } = checkout;
  // Runs once per mount: reading the session again must not remove what was typed.
  useLayoutEffect(() => {
    const { vault } = session;
    if (!host.current || !vault) return;
    const frame: CardFrame = mountCardFrame(host.current, {
      ...vault,
      title: language.texts.cardFrame,
      options: {
        appearance: readAppearance(),
        locale: language.code,
        ...(vault.fields.length ? { fields: fieldsOf(session) } : {}),
      },
      onReady: ({ hasExpress }) => {
        form.noteReady();
        // The frame that fetched the form's document has done its work.
        document.getElementById('early-form')?.remove();
        if (hasExpress && host.current) {
          void loadExpress(host.current, { checkout, language, appearance: readAppearance });
        }
      },
      onLoadError: (reason) => form.noteProblem(reason),
      onEnter: () => void checkout.pay(),
    });
    form.begin(frame);
    const repaint = () => frame.update({ appearance: readAppearance() });
    const darkness = darkScheme();
    darkness.addEventListener('change', repaint);
    return () => {
      darkness.removeEventListener('change', repaint);
      frame.destroy();
      form.end();
    };
  }, []);
  return <div ref={host} class={form.isReady.value ? 'card-host' : 'card-host waiting'} />;
}

/** When the script cannot be loaded, the page has no express buttons and the buyer uses the card form. */
function loadExpress(...given: Parameters<typeof import('./express.ts').showExpress>) {
  demandIntegrity('express');
  return import('./express.ts').then(
    (file) => file.showExpress(...given),
    () => {},
  );
}

type ProblemProps = { checkout: Checkout; reason: LoadErrorReason; language: Language };

function FormProblem({ checkout, reason, language }: ProblemProps) {
  const { texts } = language;
  const retry = async () => {
    if (reason === 'version_mismatch') return location.reload();
    if (await checkout.renew()) checkout.form.replace();
  };
  return (
    <div class="notice" role="alert">
      <AlertIcon />
      <div>
        <strong>{texts.formTitle}</strong>
        <p>{formProblemText(reason, language)}</p>
        <button type="button" class="quiet" onClick={() => void retry()}>
          {texts.retry}
        </button>
      </div>
    </div>
  );
}

function NoticeBox({ notice, language }: { notice: Notice | null; language: Language }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (notice) box.current?.focus();
  }, [notice]);
  if (!notice) return null;
  const { title, text, reference } = noticeText(notice, language);
  return (
    <div class="notice" role="alert" tabIndex={-1} ref={box}>
      <AlertIcon />
      <div>
        <strong>{title}</strong>
        <p>{text}</p>
        {reference && (
          <p class="fine">
            <TextWithFixedPart text={language.texts.problemReference(reference)} part={reference} />
          </p>
        )}
      </div>
    </div>
  );
}
