// What is being paid for: the merchant's lines and the totals, in the language's notation.

import { useSignal } from '@preact/signals';
import type { UnifiedCheckoutSession } from '@svc/browser';
import { useRef } from 'preact/hooks';
import { formatAmount } from '../kit/amounts.ts';
import { CrossIcon } from '../kit/icons.tsx';
import { CouponField } from './coupon-field.tsx';
import { TextWithFixedPart, Verbatim } from './fixed-part.tsx';
import { focusUnlessTyping } from './keyboard.ts';
import { Picture, SellerHead } from './seller.tsx';
import type { Checkout } from './state/checkout.ts';
import { isLocked } from './state/pay-button.ts';
import { keepsForm } from './state/view.ts';
import type { Language } from './texts/index.ts';
import { localeOf } from './texts/locale.ts';

/** More lines than this are hidden behind a button, so that the card form stays near on a phone. */
const linesAtOnce = 4;

type SummaryProps = {
  checkout: Checkout | null;
  session: UnifiedCheckoutSession;
  language: Language;
};

export function Summary({ checkout, session, language }: SummaryProps) {
  const { texts } = language;
  const { products, totals } = session;
  const locale = localeOf(language);
  const money = (amount: number, currency: string) => formatAmount(amount, currency, locale);
  return (
    <section class="summary" aria-labelledby="summary-title">
      <SellerHead merchant={session.merchant ?? null} />
      <h2 id="summary-title" class="label">
        {texts.summary}
      </h2>
      {!totals && (
        <p class="amount coming" role="status">
          {texts.cartComing}
        </p>
      )}
      {totals && (
        <p class="amount">
          <span class="unseen">
            {session.captureMethod === 'manual' ? texts.toHold : texts.toPay}:{' '}
          </span>
          <Verbatim text={money(totals.total, totals.currency)} />
        </p>
      )}
      <Lines products={products} language={language} />
      {totals && (
        <dl class="sums">
          {totals.discount > 0 && (
            <>
              <div>
                <dt>{texts.subtotal}</dt>
                <dd>
                  <Verbatim text={money(totals.subtotal, totals.currency)} />
                </dd>
              </div>
              <div>
                <dt>
                  {texts.discount}
                  {session.couponCodes.map((code) => (
                    <Coupon
                      key={code}
                      {...{ checkout, code, language }}
                      isFixed={session.couponsByMerchantOnly}
                    />
                  ))}
                </dt>
                <dd>
                  <Verbatim text={money(-totals.discount, totals.currency)} />
                </dd>
              </div>
            </>
          )}
          <div class="sum-total">
            <dt>{texts.total}</dt>
            <dd>
              <Verbatim text={money(totals.total, totals.currency)} />
            </dd>
          </div>
        </dl>
      )}
      {checkout?.coupons.isOffered && <CouponField checkout={checkout} language={language} />}
    </section>
  );
}

type LinesProps = { products: UnifiedCheckoutSession['products']; language: Language };

function Lines({ products, language }: LinesProps) {
  const { texts } = language;
  const isWhole = useSignal(false);
  const list = useRef<HTMLUListElement>(null);
  const formatDue = ({ overrideAmount, totalAmount, currency }: (typeof products)[number]) =>
    formatAmount(overrideAmount ?? totalAmount, currency, localeOf(language));
  const shown = isWhole.value || products.length <= linesAtOnce ? products : products.slice(0, 3);
  return (
    <>
      <ul class="lines" tabIndex={-1} ref={list}>
        {shown.map((line, index) => (
          // Lines of the merchant's own have no code, and two may be alike.
          <li key={`${index} ${line.imageUrl}`}>
            {line.imageUrl && <Picture url={line.imageUrl} name="line-image" />}
            <span class="line-name">
              <bdi>{line.name ?? line.code}</bdi>
              {line.quantity > 1 && (
                <span class="line-count">
                  <span aria-hidden="true">× {line.quantity}</span>
                  <span class="unseen">{texts.quantity(line.quantity)}</span>
                </span>
              )}
              {line.description && (
                <span class="line-note">
                  <bdi>{line.description}</bdi>
                </span>
              )}
              {line.interval && (
                <span class="line-repeat">
                  <TextWithFixedPart
                    text={texts.repeats[line.interval](formatDue(line))}
                    part={formatDue(line)}
                  />
                </span>
              )}
            </span>
            <span class="line-amount">
              <Verbatim text={formatDue(line)} />
            </span>
          </li>
        ))}
      </ul>
      {shown.length < products.length && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isWhole.value = true;
            // This button disappears then: the focus moves to the list.
            list.current?.focus();
          }}
        >
          {texts.showAll(products.length)}
        </button>
      )}
    </>
  );
}

type CouponProps = {
  checkout: Checkout | null;
  code: string;
  /** Only the merchant removes it. */
  isFixed: boolean;
  language: Language;
};

function Coupon({ checkout, code, isFixed, language: { texts } }: CouponProps) {
  if (!checkout || isFixed || !keepsForm(checkout.view.value)) {
    return (
      <bdi class="coupon" translate={false}>
        {code}
      </bdi>
    );
  }
  const isBlocked = isLocked(checkout);
  const remove = async () => {
    await checkout.coupons.remove(code);
    // This button may disappear: the focus moves to the news.
    focusUnlessTyping(document.getElementById('coupon-news'));
  };
  return (
    <button
      type="button"
      class="coupon"
      aria-label={texts.couponRemove(code)}
      aria-disabled={isBlocked}
      onClick={() => !isBlocked && void remove()}
    >
      <bdi translate={false}>{code}</bdi>
      <CrossIcon size={14} />
    </button>
  );
}
