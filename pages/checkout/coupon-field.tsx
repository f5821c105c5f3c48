// The field for a discount code, below the totals of the order.

import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatAmount } from '../kit/amounts.ts';
import { TextWithFixedPart } from './fixed-part.tsx';
import { focusUnlessTyping } from './keyboard.ts';
import { localeOf } from './locale.ts';
import type { Checkout } from './state/checkout.ts';
import type { CouponNews } from './state/coupons.ts';
import { type Language, textOf } from './texts/index.ts';

type FieldProps = { checkout: Checkout; language: Language };

export function CouponField({ checkout, language }: FieldProps) {
  const { texts } = language;
  const { coupons } = checkout;
  const isOpen = useSignal(false);
  const typed = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isOpen.value) input.current?.focus();
  }, [isOpen.value]);

  const isBlocked = coupons.isBusy.value || checkout.view.value.name !== 'form';
  const apply = async (event: Event) => {
    event.preventDefault();
    if (isBlocked) return;
    if (await coupons.apply(typed.value)) typed.value = '';
    focusUnlessTyping(input.current);
  };
  if (!isOpen.value && checkout.session.value?.couponsAccepted) {
    return (
      <>
        <News checkout={checkout} language={language} />
        <button type="button" class="quiet" onClick={() => (isOpen.value = true)}>
          {texts.couponOpen}
        </button>
      </>
    );
  }
  const hasProblem = coupons.news.value?.kind === 'problem';
  return (
    <>
      {isOpen.value && (
        <form class="coupon-form" onSubmit={(event) => void apply(event)} noValidate>
          <label for="coupon">{texts.couponLabel}</label>
          <div class="coupon-row">
            <input
              id="coupon"
              ref={input}
              value={typed.value}
              maxLength={100}
              dir="ltr"
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              readOnly={isBlocked}
              aria-invalid={hasProblem}
              aria-describedby="coupon-news"
              onInput={(event) => (typed.value = event.currentTarget.value)}
            />
            <button type="submit" class="second" aria-disabled={isBlocked}>
              {coupons.isBusy.value && <span class="spinner" aria-hidden="true" />}
              {texts.couponApply}
            </button>
          </div>
        </form>
      )}
      <News checkout={checkout} language={language} />
    </>
  );
}

function News({ checkout, language }: FieldProps) {
  const { texts } = language;
  const news = checkout.coupons.news.value;
  const { total = 0, currency = 'EUR' } = checkout.session.value?.totals ?? {};
  const amount = formatAmount(total, currency, localeOf(language));
  const couponText = (kind: 'applied' | 'removed') => (
    <TextWithFixedPart
      text={kind === 'applied' ? texts.couponApplied(amount) : texts.couponRemoved(amount)}
      part={amount}
    />
  );
  return (
    <p
      id="coupon-news"
      class={news?.kind === 'problem' ? 'coupon-news bad' : 'coupon-news'}
      role="status"
      tabIndex={-1}
    >
      {news?.kind === 'problem' ? (
        <Problem news={news} texts={texts} />
      ) : (
        news && couponText(news.kind)
      )}
    </p>
  );
}

type ProblemProps = {
  news: Extract<CouponNews, { kind: 'problem' }>;
  texts: Language['texts'];
};

const Problem = ({ news: { code, coupon }, texts }: ProblemProps) => (
  <>
    {coupon && (
      <>
        <bdi translate={false}>{coupon}</bdi>:{' '}
      </>
    )}
    {textOf(texts.coupons, code) ?? texts.couponOther}
  </>
);
