// The saved cards, each with its actions and its error.

import type { PaymentMethod } from '@svc/contract/payment-methods';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CardName } from '../checkout/saved-choice.tsx';
import { expiryOf, expiryText } from '../checkout/state/cards.ts';
import { AlertIcon, CardIcon, WalletIcon } from '../kit/icons.tsx';
import type { Customer, FailedChange, RunningChange } from './customer.ts';
import type { CustomerLanguage } from './language.ts';
import { cardName, failureText } from './words.ts';

type ListProps = { customer: Customer; language: CustomerLanguage };

export function CardList({ customer, language }: ListProps) {
  const { own } = language;
  const cards = customer.cards.value;
  if (cards.length === 0) {
    return (
      <div class="panel empty">
        <span class="seal" aria-hidden="true">
          <CardIcon size={30} />
        </span>
        <h2>{own.empty}</h2>
        <p>{own.emptyText}</p>
      </div>
    );
  }
  return (
    <ul class="panel cards">
      {cards.map((card) => (
        <CardRow key={card.id} customer={customer} card={card} language={language} />
      ))}
    </ul>
  );
}

type RowProps = ListProps & { card: PaymentMethod };

function CardRow({ customer, card, language }: RowProps) {
  const { texts, own } = language;
  const isDefault = customer.defaultId.value === card.id;
  const trouble = customer.trouble.value;
  const isTroubled = trouble?.cardId === card.id;
  const isLeaving = customer.leaving.value.has(card.id);
  const isWallet = card.type === 'wallet';
  return (
    <li class="card">
      <div class="card-line">
        {isWallet ? (
          <span class="choice-name long">
            <WalletIcon size={22} /> <bdi>{cardName(card, language)}</bdi>
          </span>
        ) : (
          <CardName card={card} texts={texts} />
        )}
        {isDefault && <span class="coupon">{own.default}</span>}
        <Expiry card={card} language={language} />
      </div>
      {isLeaving ? (
        !isTroubled && <LeavingCard customer={customer} card={card} language={language} />
      ) : (
        <Actions customer={customer} card={card} isDefault={isDefault} language={language} />
      )}
      {isTroubled && (
        <TroubleBox customer={customer} trouble={trouble} language={language} card={card} />
      )}
    </li>
  );
}

function Expiry({ card, language: { texts, own } }: Omit<RowProps, 'customer'>) {
  const ends = expiryText(card);
  if (!ends) return null;
  switch (expiryOf(card, new Date())) {
    case 'over':
      return <span class="choice-news bad">{texts.cardExpired(ends)}</span>;
    case 'soon':
      return <span class="choice-news soon">{own.expiresSoon(ends)}</span>;
    default:
      return <span class="choice-news">{texts.cardExpires(ends)}</span>;
  }
}

/** A card whose removal has begun. It may complete by itself, and a repeated request does no harm. */
function LeavingCard({ customer, card, language }: RowProps) {
  const { texts, own } = language;
  const work = customer.work.value;
  const isRemoving = work?.kind === 'removing' && work.cardId === card.id;
  return (
    <div class="card-ways">
      <p class="choice-news" role="status">
        {isRemoving ? own.removing : own.leaving}
      </p>
      {!isRemoving && (
        <button
          type="button"
          class="quiet"
          aria-label={`${texts.retry}: ${cardName(card, language)}`}
          aria-disabled={work !== null}
          onClick={() => void customer.remove(card)}
        >
          {texts.retry}
        </button>
      )}
    </div>
  );
}

type ActionsProps = RowProps & { isDefault: boolean };

function Actions({ customer, card, isDefault, language }: ActionsProps) {
  const { own } = language;
  const work = customer.work.value;
  const isBlocked = work !== null || customer.addition.value !== null;
  const name = cardName(card, language);
  const isDoing = (kind: RunningChange['kind']) => work?.kind === kind && work.cardId === card.id;
  // `aria-disabled` in place of `disabled`, which would lose the focus.
  const pressUnlessBlocked = (act: () => unknown) => () => {
    if (!isBlocked) act();
  };
  return (
    <div class="card-ways">
      {!isDefault && (
        <button
          type="button"
          class="quiet"
          aria-label={`${isDoing('changing') ? own.changing : own.makeDefault}: ${name}`}
          aria-disabled={isBlocked}
          onClick={pressUnlessBlocked(() => customer.makeDefault(card))}
        >
          {isDoing('changing') ? own.changing : own.makeDefault}
        </button>
      )}
      {card.type !== 'wallet' && (
        <button
          type="button"
          class="quiet"
          aria-label={`${own.replace}: ${name}`}
          aria-disabled={isBlocked}
          onClick={pressUnlessBlocked(() => customer.add(card))}
        >
          {own.replace}
        </button>
      )}
      <button
        type="button"
        class="quiet danger"
        aria-label={`${isDoing('removing') ? own.removing : own.remove}: ${name}`}
        aria-disabled={isBlocked}
        onClick={pressUnlessBlocked(() => customer.ask(card))}
      >
        {isDoing('removing') ? own.removing : own.remove}
      </button>
    </div>
  );
}

type TroubleProps = ListProps & { trouble: FailedChange; card: PaymentMethod | null };

/** Takes the focus, so that keyboard and screen reader continue at the news. */
export function TroubleBox({ customer, trouble, card, language }: TroubleProps) {
  const { texts, own } = language;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), [trouble]);
  const isLeaving = card && customer.leaving.value.has(card.id);
  const { text, reference } = failureText(trouble.failure, language);
  const isInUse = trouble.failure.code === 'payment_method_in_use';
  const mayRetry = trouble.kind === 'removeFailed' && trouble.failure.retrySafe !== false;
  return (
    <div class="notice" role="alert" tabIndex={-1} ref={box}>
      <AlertIcon />
      <div>
        {trouble.isCertain && <strong>{isLeaving ? own.leaving : own[trouble.kind]}</strong>}
        <p>{text}</p>
        {reference && <p class="fine">{reference}</p>}
        {card && isInUse && (
          <button type="button" class="quiet" onClick={() => void customer.add(card)}>
            {own.add}
          </button>
        )}
        {card && mayRetry && !isInUse && (
          <button type="button" class="quiet" onClick={() => void customer.remove(card)}>
            {texts.retry}
          </button>
        )}
      </div>
    </div>
  );
}
