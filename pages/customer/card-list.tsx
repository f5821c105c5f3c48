// The saved cards, each with its actions and its error.

import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { CardName } from '../checkout/saved-choice.tsx';
import { CardIcon, WalletIcon } from '../kit/icons.tsx';
import type { FailedChange } from './customer.ts';
import { Notice } from './notice.tsx';
import {
  type CardAction,
  cardActions,
  cardExpiry,
  cardName,
  isLocked,
  isRunning,
  type PartProps,
  troubleText,
} from './words.ts';

export function CardList({ customer, language }: PartProps) {
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

type RowProps = PartProps & { card: PaymentMethod };

function CardRow({ customer, card, language }: RowProps) {
  const { texts, own } = language;
  const isDefault = customer.defaultId.value === card.id;
  const trouble = customer.trouble.value;
  const isTroubled = trouble?.cardId === card.id;
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
      <Actions customer={customer} card={card} language={language} />
      {isTroubled && (
        <TroubleBox customer={customer} trouble={trouble} language={language} card={card} />
      )}
    </li>
  );
}

function Expiry({ card, language }: Omit<RowProps, 'customer'>) {
  const expiry = cardExpiry(card, language);
  return expiry && <span class={`choice-news ${expiry.tone}`}>{expiry.text}</span>;
}

function Actions({ customer, card, language }: RowProps) {
  const { own } = language;
  const name = cardName(card, language);
  const acts: Record<CardAction['kind'], () => unknown> = {
    makeDefault: () => customer.makeDefault(card),
    replace: () => customer.add(card),
    remove: () => customer.ask(card),
    // It may complete by itself, and a repeated request does no harm.
    retry: () => customer.remove(card),
  };
  const isLeaving = customer.leaving.value.has(card.id);
  const isTroubled = customer.trouble.value?.cardId === card.id;
  if (isLeaving && isTroubled) return null;
  const isBlocked = isLeaving ? customer.work.value !== null : isLocked(customer);
  return (
    <div class="card-ways">
      {isLeaving && (
        <p class="choice-news" role="status">
          {isRunning(customer, 'removing', card) ? own.removing : own.leaving}
        </p>
      )}
      {cardActions(card, customer, language).map(({ kind, label }) => (
        <button
          key={kind}
          type="button"
          class={kind === 'remove' ? 'quiet danger' : 'quiet'}
          aria-label={`${label}: ${name}`}
          // `aria-disabled` in place of `disabled`, which would lose the focus.
          aria-disabled={isBlocked}
          onClick={() => !isBlocked && acts[kind]()}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

type TroubleProps = PartProps & { trouble: FailedChange; card: PaymentMethod | null };

export function TroubleBox({ customer, trouble, card, language }: TroubleProps) {
  const { texts, own } = language;
  const { way, ...words } = troubleText(trouble, customer, language);
  return (
    <Notice trouble={trouble} {...words}>
      {card && way === 'add' && (
        <button type="button" class="quiet" onClick={() => void customer.add(card)}>
          {own.add}
        </button>
      )}
      {card && way === 'retry' && (
        <button type="button" class="quiet" onClick={() => void customer.remove(card)}>
          {texts.retry}
        </button>
      )}
    </Notice>
  );
}
