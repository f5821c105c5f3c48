// The card form and the button below it. The form is a frame of the card origin: this page never sees what
// is typed. Contract §4.

import { useSignal } from '@preact/signals';
import type { UnifiedCheckoutSession } from '@svc/browser';
import { type CardFrame, mountCardFrame } from '@svc/browser/card-frame';
import type { Appearance, FormField, LoadErrorReason } from '@svc/contract/form-messages';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatAmount } from '../kit/amounts.ts';
import { demandIntegrity } from '../kit/demand-integrity.ts';
import { AlertIcon, LockIcon, WalletIcon } from '../kit/icons.tsx';
import { TextWithFixedPart } from './fixed-part.tsx';
import { formatWait, localeOf } from './locale.ts';
import { KeepCard, SavedChoice } from './saved-choice.tsx';
import type { Checkout } from './state/checkout.ts';
import { isUnknown, stopOf } from './state/stops.ts';
import {
  hasSubscription,
  isFree,
  isSetup,
  isShell,
  type Notice,
  offersSaved,
} from './state/view.ts';
import { type Language, type Texts, textOf } from './texts/index.ts';

const darkness = matchMedia('(prefers-color-scheme: dark)');

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
    theme: darkness.matches ? 'dark' : 'light',
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
  const notice = view.name === 'form' ? view.notice : null;
  const stop = stopOf(session, notice);
  const isHold = session.captureMethod === 'manual';
  // What is added with the cart is placed below, so that nothing moves while the buyer types or presses.
  const { current: isCardFirst } = useRef(isShell(session));
  const isOffered = session.data.wallet && session.totals && !isHold && !isFree(session);
  const offer = isOffered && !isUnknown(session) && (
    <WalletWay checkout={checkout} isLast={isCardFirst} language={language} />
  );
  const express = !stop && <div class="express" />;
  return (
    <section aria-labelledby="card-title" aria-busy={view.name !== 'form'}>
      {!isCardFirst && express}
      {!isCardFirst && offer}
      <h2 id="card-title" class="panel-title">
        {titleOf(checkout, session, texts)}
      </h2>
      <NoticeBox notice={notice ?? stop} language={language} />
      {!stop && <CardWay checkout={checkout} session={session} language={language} />}
      {isCardFirst && offer}
      {express}
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
  const problem = useSignal<LoadErrorReason | null>(null);
  const tries = useSignal(0);
  const isReady = useSignal(false);
  const view = checkout.view.value;
  const isBusy = view.name !== 'form';
  const isHold = session.captureMethod === 'manual';
  const { cards } = checkout;
  const isReading = cards.isReading.value;
  // The form stays mounted while hidden: when a coupon is removed again, it still has what was typed.
  const isFreely = isFree(session);
  const hasForm = !isReading && !isFreely && cards.choice.value === null;
  const amount = amountOf(session, language);
  const label = labelOf(session, amount, texts);
  const isLeaving = view.name === 'redirecting';
  const isToWallet = isLeaving && view.to === 'wallet';
  const leavingLabel = isToWallet ? texts.redirectingWallet : texts.redirecting;
  const cardLabel = isHold ? texts.authorising : texts.paying;
  const payingLabel = isFreely ? texts.completing : cardLabel;
  const waitLabel = isShell(session) ? texts.cartComing : payingLabel;
  const busyLabel = isLeaving ? leavingLabel : waitLabel;
  const hint = isBusy ? texts.payingHint : isFreely ? texts.freeLine : texts.safe;
  const isRepricing = checkout.coupons.isBusy.value;
  const isPaused = view.name === 'form' && view.notice?.kind === 'wait';
  const isWaiting = (isReading && !isFreely) || isRepricing || isPaused;
  const isBlocked = isBusy || isWaiting || (hasForm && !isReady.value);

  return (
    <>
      {isReading && <span class="bone bone-field" aria-hidden="true" />}
      {!isFreely && <SavedChoice checkout={checkout} language={language} />}
      <div hidden={!hasForm}>
        {problem.value && (
          <FormProblem
            checkout={checkout}
            reason={problem.value}
            language={language}
            onRenewed={() => {
              // A form that has loaded after all is kept, because the buyer may have typed into it.
              if (problem.value) tries.value += 1;
              problem.value = null;
            }}
          />
        )}
        {/* A form that loads late still works, so it stays mounted. */}
        <div hidden={problem.value !== null}>
          <CardHost
            key={tries.value}
            checkout={checkout}
            session={session}
            language={language}
            onReady={() => {
              problem.value = null;
              isReady.value = true;
            }}
            onProblem={(reason) => {
              isReady.value = false;
              problem.value = reason;
            }}
          />
        </div>
        {offersSaved(session) && !hasSubscription(session) && (
          <KeepCard checkout={checkout} texts={texts} />
        )}
      </div>
      {isHold && !isFreely && <p class="hold-line">{texts.holdLine}</p>}
      {isSetup(session) && <p class="hold-line">{texts.setupLine}</p>}
      {hasSubscription(session) && <p class="hold-line">{texts.keepLine}</p>}
      <button
        type="button"
        class="pay"
        // `aria-disabled` in place of `disabled`, which would lose the focus.
        aria-disabled={isBlocked}
        onClick={() => !isBlocked && void checkout.pay()}
      >
        {isBusy ? <span class="spinner" aria-hidden="true" /> : <LockIcon />}
        <span>{isBusy ? busyLabel : <TextWithFixedPart text={label} part={amount} />}</span>
      </button>
      {isShell(session) && <p class="hold-line">{texts.cartComingText}</p>}
      <p class="fine">{hint}</p>
      <PayerLine email={session.accountData?.email} texts={texts} />
    </>
  );
}

type PayingAsProps = { email: string | undefined; texts: Texts };

const PayerLine = ({ email, texts }: PayingAsProps) =>
  email ? (
    <p class="fine">
      <TextWithFixedPart text={texts.receiptFor(email)} part={email} />
    </p>
  ) : null;

/** The button's label, with its amount. A cart that has not come yet has no amount. */
function labelOf(session: UnifiedCheckoutSession, amount: string | null, texts: Texts): string {
  if (amount === null) return texts.payPlain;
  if (isFree(session)) return texts.complete;
  return session.captureMethod === 'manual' ? texts.authorise(amount) : texts.pay(amount);
}

const amountOf = ({ totals }: UnifiedCheckoutSession, language: Language): string | null =>
  totals && formatAmount(totals.total, totals.currency, localeOf(language));

type OfferProps = Omit<PanelProps, 'session'> & { isLast: boolean };

function WalletWay({ checkout, isLast, language: { texts } }: OfferProps) {
  const { view, coupons } = checkout;
  const isBlocked = view.value.name !== 'form' || coupons.isBusy.value;
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

type HostProps = PanelProps & { onReady: () => void; onProblem: (reason: LoadErrorReason) => void };

function CardHost({ checkout, session, language, onReady, onProblem }: HostProps) {
  const host = useRef<HTMLDivElement>(null);
  const isReady = useSignal(false);
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
        isReady.value = true;
        onReady();
        if (hasExpress && host.current) {
          void loadExpress(host.current, { checkout, language, appearance: readAppearance });
        }
      },
      onLoadError: onProblem,
      onEnter: () => void checkout.pay(),
    });
    checkout.frame = frame;
    const repaint = () => frame.update({ appearance: readAppearance() });
    darkness.addEventListener('change', repaint);
    return () => {
      darkness.removeEventListener('change', repaint);
      frame.destroy();
      checkout.frame = null;
    };
  }, []);
  return <div ref={host} class={isReady.value ? 'card-host' : 'card-host waiting'} />;
}

/** Where the script cannot be had there are no buttons, and the form takes the card. */
function loadExpress(...given: Parameters<typeof import('./express.ts').showExpress>) {
  demandIntegrity('express');
  return import('./express.ts').then(
    (file) => file.showExpress(...given),
    () => {},
  );
}

type ProblemProps = {
  checkout: Checkout;
  reason: LoadErrorReason;
  language: Language;
  onRenewed: () => void;
};

function FormProblem({ checkout, reason, language: { texts }, onRenewed }: ProblemProps) {
  const retry = async () => {
    if (reason === 'version_mismatch') return location.reload();
    if (await checkout.renew()) onRenewed();
  };
  return (
    <div class="notice" role="alert">
      <AlertIcon />
      <div>
        <strong>{texts.formTitle}</strong>
        {/* The hosted fields have two more reasons, with the same advice. */}
        <p>
          {textOf(texts.formProblems, reason) ?? texts.formProblems.blocked_by_extension_or_network}
        </p>
        <button type="button" class="quiet" onClick={() => void retry()}>
          {texts.retry}
        </button>
      </div>
    </div>
  );
}

function NoticeBox({ notice, language }: { notice: Notice | null; language: Language }) {
  const { texts } = language;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (notice) box.current?.focus();
  }, [notice]);
  if (!notice) return null;
  return (
    <div class="notice" role="alert" tabIndex={-1} ref={box}>
      <AlertIcon />
      <div>
        <strong>{notice.kind === 'declined' ? texts.declineTitle : texts.problemTitle}</strong>
        <NoticeText notice={notice} language={language} />
      </div>
    </div>
  );
}

function NoticeText({ notice, language }: { notice: Notice; language: Language }) {
  const { texts } = language;
  switch (notice.kind) {
    case 'declined':
      return (
        <p>
          {textOf(texts.declines, notice.code) ?? texts.declineOther}{' '}
          {textOf(texts.advices, notice.advice) ?? texts.adviceOther}
        </p>
      );
    case 'wait':
      return <p>{texts.waitText(formatWait(notice.seconds, localeOf(language)))}</p>;
    case 'problem': {
      const known = textOf(texts.problems, notice.code);
      const reference = [notice.code, notice.requestId].filter(Boolean).join(' · ');
      return (
        <>
          <p>{known ?? texts.problemOther}</p>
          {!known && (
            <p class="fine">
              <TextWithFixedPart text={texts.problemReference(reference)} part={reference} />
            </p>
          )}
        </>
      );
    }
  }
}
