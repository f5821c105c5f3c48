// Everything except the form: the result of the payment, or why there is none, and the next step.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { AlertIcon, BankIcon, CheckIcon, CrossIcon, HoldIcon, WalletIcon } from '../kit/icons.tsx';
import { TextWithFixedPart } from './fixed-part.tsx';
import { CardName } from './saved-choice.tsx';
import { returnAddress } from './state/addresses.ts';
import type { Checkout } from './state/checkout.ts';
import { type OutcomeText, type OutcomeView, outcomeText } from './state/outcome-text.ts';
import type { View } from './state/view.ts';
import type { Language, Texts } from './texts/index.ts';

/** Long enough to read the result, and short enough not to make the buyer wait. */
const leadOnAfterMs = 3_000;

type OutcomeProps = { checkout: Checkout | null; view: OutcomeView; language: Language };

export function Outcome({ checkout, view, language }: OutcomeProps) {
  const { texts } = language;
  const text = outcomeText(view, checkout?.session.value ?? null, language);
  switch (view.name) {
    case 'succeeded':
    case 'authorized':
      return checkout && <Receipt checkout={checkout} view={view} text={text} texts={texts} />;
    case 'saved':
      return checkout && <SavedPage checkout={checkout} view={view} text={text} texts={texts} />;
    case 'checking':
      return (
        <Panel tone="wait" text={text} icon={<span class="spinner big" />}>
          {text.aside && <p class="hold-line">{text.aside}</p>}
        </Panel>
      );
    case 'challenge':
      return (
        <Panel tone="wait" text={text} icon={<BankIcon />}>
          <Stop checkout={checkout} label={texts.challengeStop} />
        </Panel>
      );
    case 'wallet':
      return (
        <Panel tone="wait" text={text} icon={<WalletIcon />}>
          <button type="button" class="pay" onClick={() => void checkout?.payWithWallet()}>
            {texts.walletOpen}
          </button>
          <Stop checkout={checkout} label={texts.walletStop} />
        </Panel>
      );
    case 'unreachable':
      return (
        <Panel tone="bad" text={text} icon={<AlertIcon size={30} />}>
          <button type="button" class="pay" onClick={() => void checkout?.load()}>
            {texts.retry}
          </button>
        </Panel>
      );
    default:
      return <EndPage checkout={checkout} name={view.name} text={text} texts={texts} />;
  }
}

const Stop = ({ checkout, label }: { checkout: Checkout | null; label: string }) => (
  <button type="button" class="quiet" onClick={() => void checkout?.stopAsking()}>
    {label}
  </button>
);

type EndPageProps = {
  checkout: Checkout | null;
  name: OutcomeView['name'];
  text: OutcomeText;
  texts: Texts;
};

function EndPage({ checkout, name, text, texts }: EndPageProps) {
  const session = checkout?.session.value;
  const back = session && returnAddress(session.cancelUrl, session.id);
  return (
    <Panel tone="plain" text={text} icon={name === 'returned' ? <HoldIcon /> : <CrossIcon />}>
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
  text: OutcomeText;
  icon: ComponentChildren;
  /** Shown between the title and the text. */
  head?: ComponentChildren;
  children: ComponentChildren;
};

/** Takes the focus, so that keyboard and screen reader continue at the news. */
function Panel({ tone, text: { title, lines, amount }, icon, head, children }: PanelProps) {
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
      {head}
      {lines.map((line) => (
        <p key={line}>
          <TextWithFixedPart text={line} part={amount} />
        </p>
      ))}
      {children}
    </section>
  );
}

type EndProps<Name extends View['name']> = {
  checkout: Checkout;
  view: Extract<View, { name: Name }>;
  text: OutcomeText;
  texts: Texts;
};

/** Names the card as soon as it is known which one it is. */
function SavedPage({ checkout, view, text, texts }: EndProps<'saved'>) {
  const { cards, calls } = checkout;
  const id = view.paymentMethodId;
  useEffect(() => {
    if (id) void cards.findKept(id, () => calls.listCards());
  }, [id]);
  const card = cards.kept.value;
  const name = card && (
    <p class="kept-card">
      <CardName card={card} texts={texts} />
    </p>
  );
  return (
    <Panel tone="good" text={text} icon={<CheckIcon />} head={name}>
      <WayOn checkout={checkout} isFresh={view.isFresh} texts={texts} />
    </Panel>
  );
}

function Receipt({ checkout, view, text, texts }: EndProps<'succeeded' | 'authorized'>) {
  const icon = view.name === 'authorized' ? <HoldIcon /> : <CheckIcon />;
  return (
    <Panel tone="good" text={text} icon={icon}>
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
