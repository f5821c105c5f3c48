// The buyer's saved cards above the form, as one group of radio buttons, and the option to save another.

import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import type { ComponentChildren } from 'preact';
import { CardIcon } from '../kit/icons.tsx';
import { TextWithFixedPart } from './fixed-part.tsx';
import { brandName, cardNews } from './state/cards.ts';
import type { Checkout } from './state/checkout.ts';
import type { Language, Texts } from './texts/index.ts';

type ChoiceProps = { checkout: Checkout; language: Language };

export function SavedChoice({ checkout, language: { texts } }: ChoiceProps) {
  const { cards } = checkout;
  const list = cards.cards.value;
  if (list.length === 0) return null;
  return (
    <fieldset class="choices">
      <legend class="unseen">{texts.payWith}</legend>
      {list.map((card) => (
        <Choice key={card.id} checkout={checkout} id={card.id}>
          <CardName card={card} texts={texts} />
          <CardNews card={card} isDeclined={cards.declined.value.has(card.id)} texts={texts} />
        </Choice>
      ))}
      <Choice checkout={checkout} id={null}>
        <span class="choice-name">{texts.otherCard}</span>
      </Choice>
    </fieldset>
  );
}

type OneProps = { checkout: Checkout; id: string | null; children: ComponentChildren };

function Choice({ checkout: { cards, view }, id, children }: OneProps) {
  return (
    <label class="choice">
      <input
        type="radio"
        name="saved-card"
        checked={cards.choice.value === id}
        disabled={view.value.name !== 'form'}
        onChange={() => (cards.choice.value = id)}
      />
      {children}
    </label>
  );
}

type CardProps = { card: PaymentMethod; texts: Pick<Texts, 'anyBrand' | 'savedCard'> };

/** Brand and last four digits. Screen readers get a sentence, because they would read the dots aloud. */
export function CardName({ card, texts }: CardProps) {
  const brand = brandName(card.brand) ?? texts.anyBrand;
  if (!card.lastFour) return <span class="choice-name">{brand}</span>;
  return (
    <span class="choice-name" translate={false}>
      <CardIcon />
      <span class="unseen">{texts.savedCard(brand, card.lastFour)}</span>
      <bdi aria-hidden="true">
        {brand} <span class="dots">••••</span> {card.lastFour}
      </bdi>
    </span>
  );
}

type NewsProps = { card: PaymentMethod; isDeclined: boolean; texts: Texts };

function CardNews({ card, isDeclined, texts }: NewsProps) {
  const news = cardNews(card, isDeclined, texts);
  if (!news) return null;
  return (
    <span class={news.isBad ? 'choice-news bad' : 'choice-news'}>
      <TextWithFixedPart text={news.text} part={news.ends} />
    </span>
  );
}

export const KeepCard = ({ checkout, texts }: { checkout: Checkout; texts: Texts }) => (
  <label class="keep">
    <input
      type="checkbox"
      checked={checkout.cards.isKept.value}
      disabled={checkout.view.value.name !== 'form'}
      onChange={({ currentTarget }) => (checkout.cards.isKept.value = currentTarget.checked)}
    />
    <span>{texts.keepCard}</span>
  </label>
);
