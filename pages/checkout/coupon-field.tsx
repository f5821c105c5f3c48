// The field for a discount code, below the totals of the order.

import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { TextWithFixedPart } from './fixed-part.tsx';
import { focusUnlessTyping } from './keyboard.ts';
import type { Checkout } from './state/checkout.ts';
import { couponText } from './state/coupons.ts';
import { isLocked } from './state/pay-button.ts';
import type { Language } from './texts/index.ts';

type FieldProps = { checkout: Checkout; language: Language };

export function CouponField({ checkout, language }: FieldProps) {
  const { texts } = language;
  const { coupons } = checkout;
  const isOpen = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isOpen.value) input.current?.focus();
  }, [isOpen.value]);

  const isBlocked = isLocked(checkout);
  const apply = async (event: Event) => {
    event.preventDefault();
    if (isBlocked) return;
    await coupons.apply();
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
              value={coupons.typed.value}
              maxLength={100}
              dir="ltr"
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              readOnly={isBlocked}
              aria-invalid={hasProblem}
              aria-describedby="coupon-news"
              onInput={(event) => (coupons.typed.value = event.currentTarget.value)}
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
  const news = checkout.coupons.news.value;
  const said = news && couponText(news, checkout.session.value, language);
  return (
    <p
      id="coupon-news"
      class={news?.kind === 'problem' ? 'coupon-news bad' : 'coupon-news'}
      role="status"
      tabIndex={-1}
    >
      {said?.coupon && (
        <>
          <bdi translate={false}>{said.coupon}</bdi>:{' '}
        </>
      )}
      {said && <TextWithFixedPart text={said.text} part={said.amount} />}
    </p>
  );
}
