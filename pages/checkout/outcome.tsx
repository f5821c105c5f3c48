// Everything except the form: the result of the payment, or why there is none, and the next step.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { formatAmount } from '../kit/amounts.ts';
import { AlertIcon, BankIcon, CheckIcon, CrossIcon, HoldIcon, WalletIcon } from '../kit/icons.tsx';
import { TextWithFixedPart } from './fixed-part.tsx';
import { localeOf } from './locale.ts';
import { CardName } from './saved-choice.tsx';
import { returnAddress } from './state/addresses.ts';
import type { Checkout } from './state/checkout.ts';
import { isFree, keepsForm, type View } from './state/view.ts';
import type { Language, Texts } from './texts/index.ts';

/** Long enough to read the result, and short enough not to make the buyer wait. */
const leadOnAfterMs = 3_000;

type OutcomeView = Exclude<
  View,
  { name: 'loading' | 'form' | 'paying' | 'redirecting' | 'confirming' }
>;

/** True for every state that replaces the form. */
export const isOutcome = (view: View): view is OutcomeView =>
  view.name === 'checking' || !(view.name === 'loading' || keepsForm(view));

type OutcomeProps = { checkout: Checkout | null; view: OutcomeView; language: Language };

export function Outcome({ checkout, view, language }: OutcomeProps) {
  const { texts } = language;
  switch (view.name) {
    case 'succeeded':
    case 'authorized':
      return checkout && <Receipt checkout={checkout} view={view} language={language} />;
    case 'saved':
      return checkout && <SavedPage checkout={checkout} view={view} language={language} />;
    case 'checking':
      return (
        <Panel tone="wait" title={texts.checking} icon={<span class="spinner big" />}>
          <p>{texts.checkingText}</p>
          {view.isOffline && <p class="hold-line">{texts.checkingOffline}</p>}
          {view.isLong && !view.isOffline && <p class="hold-line">{texts.checkingLong}</p>}
        </Panel>
      );
    case 'challenge':
      return (
        <Panel tone="wait" title={texts.challenge} icon={<BankIcon />}>
          <p>{texts.challengeElsewhere}</p>
          <Stop checkout={checkout} label={texts.challengeStop} />
        </Panel>
      );
    case 'wallet':
      return (
        <Panel tone="wait" title={texts.wallet} icon={<WalletIcon />}>
          <p>{texts.walletText}</p>
          <button type="button" class="pay" onClick={() => void checkout?.payWithWallet()}>
            {texts.walletOpen}
          </button>
          <Stop checkout={checkout} label={texts.walletStop} />
        </Panel>
      );
    case 'unreachable':
      return (
        <Panel tone="bad" title={texts.unreachable} icon={<AlertIcon size={30} />}>
          <p>{texts.unreachableText}</p>
          <button type="button" class="pay" onClick={() => void checkout?.load()}>
            {texts.retry}
          </button>
        </Panel>
      );
    default:
      return <EndPage checkout={checkout} name={view.name} language={language} />;
  }
}

const Stop = ({ checkout, label }: { checkout: Checkout | null; label: string }) => (
  <button type="button" class="quiet" onClick={() => void checkout?.stopAsking()}>
    {label}
  </button>
);

type EndPageProps = {
  checkout: Checkout | null;
  name: 'expired' | 'canceled' | 'unusable' | 'notFound' | 'returned';
  language: Language;
};

function EndPage({ checkout, name, language: { texts } }: EndPageProps) {
  const session = checkout?.session.value;
  const back = session && returnAddress(session.cancelUrl, session.id);
  return (
    <Panel
      tone="plain"
      title={texts[name]}
      icon={name === 'returned' ? <HoldIcon /> : <CrossIcon />}
    >
      <p>{texts[`${name}Text`]}</p>
      {back && (
        <a class="pay" href={back.href}>
          {session.merchant ? texts.backTo(session.merchant.name) : texts.back}
        </a>
      )}
    </Panel>
  );
}

type PanelProps = {
  tone: 'good' | 'wait' | 'bad' | 'plain';
  title: string;
  icon: ComponentChildren;
  children: ComponentChildren;
};

/** Takes the focus, so that keyboard and screen reader continue at the news. */
function Panel({ tone, title, icon, children }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <section class={`outcome ${tone}`} aria-labelledby="outcome-title">
      <span class="seal" aria-hidden="true">
        {icon}
      </span>
      <h2 id="outcome-title" tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {children}
    </section>
  );
}

type SavedView = Extract<View, { name: 'saved' }>;
type SavedProps = { checkout: Checkout; view: SavedView; language: Language };

/** Names the card as soon as it is known which one it is. */
function SavedPage({ checkout, view, language: { texts } }: SavedProps) {
  const { cards, calls } = checkout;
  const id = view.paymentMethodId;
  useEffect(() => {
    if (id) void cards.findKept(id, () => calls.listCards());
  }, [id]);
  const card = cards.kept.value;
  return (
    <Panel tone="good" title={texts.saved} icon={<CheckIcon />}>
      {card && (
        <p class="kept-card">
          <CardName card={card} texts={texts} />
        </p>
      )}
      <p>{texts.savedText}</p>
      <WayOn checkout={checkout} isFresh={view.isFresh} texts={texts} />
    </Panel>
  );
}

type ReceiptView = Extract<View, { name: 'succeeded' | 'authorized' }>;
type ReceiptProps = { checkout: Checkout; view: ReceiptView; language: Language };

function Receipt({ checkout, view, language }: ReceiptProps) {
  const { texts } = language;
  const isHold = view.name === 'authorized';
  // Not known when a shell was paid and its cart could not be read: the amount is then left out.
  const { totals } = checkout.session.value ?? {};
  const amount = totals && formatAmount(totals.total, totals.currency, localeOf(language));
  const isFreely = isFree(checkout.session.value);
  const title = isFreely ? texts.ordered : texts[view.name];
  const text = isFreely ? texts.orderedText : texts.succeededText(amount ?? '');
  return (
    <Panel tone="good" title={title} icon={isHold ? <HoldIcon /> : <CheckIcon />}>
      {amount &&
        (isHold ? (
          <HoldText checkout={checkout} view={view} language={language} amount={amount} />
        ) : (
          <p>
            <TextWithFixedPart text={text} part={amount} />
          </p>
        ))}
      {view.paymentId && (
        <dl class="reference">
          <dt>{texts.reference}</dt>
          <dd translate={false}>{view.paymentId}</dd>
        </dl>
      )}
      <WayOn checkout={checkout} isFresh={view.isFresh} texts={texts} />
    </Panel>
  );
}

/** The text about a hold. The shop may have charged or released a hold that was made earlier. */
function HoldText({ checkout, view, language, amount }: ReceiptProps & { amount: string }) {
  const { texts } = language;
  const locale = localeOf(language);
  const until = view.authorizationExpiresAt;
  if (!view.isFresh) {
    const made = view.paidAt ?? checkout.session.value?.createdAt ?? '';
    return (
      <p>
        <TextWithFixedPart
          text={texts.authorizedBefore(amount, longDate(made, locale))}
          part={amount}
        />
      </p>
    );
  }
  return (
    <>
      <p>
        <TextWithFixedPart text={texts.authorizedText(amount)} part={amount} />
      </p>
      {until && <p>{texts.authorizedUntil(longDate(until, locale, 'short'))}</p>}
    </>
  );
}

type WayOnProps = { checkout: Checkout; isFresh: boolean; texts: Texts };

/** The way back to the shop, followed automatically straight after a success. */
function WayOn({ checkout, isFresh, texts }: WayOnProps) {
  const session = checkout.session.value;
  const next = session && returnAddress(session.successUrl, session.id);
  const address = next?.href;
  useEffect(() => {
    if (!address || !isFresh) return;
    const timer = setTimeout(() => location.assign(address), leadOnAfterMs);
    return () => clearTimeout(timer);
  }, [address, isFresh]);
  if (!next) return null;
  return (
    <>
      <a class="pay" href={next.href}>
        {session.merchant ? texts.continueTo(session.merchant.name) : texts.continue}
      </a>
      {isFresh && <p class="fine">{texts.returning}</p>}
    </>
  );
}

const longDate = (instant: string, locale: string, timeStyle?: 'short') =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle }).format(new Date(instant));
