// The coupon field: what a buyer types, what the service returns, and what is charged then.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { type Answer, refusal } from '../test/stub-answers.ts';

const test = pageTest();

const cheaper = { subtotal: 49.7, discount: 4.97, total: 44.73, currency: 'EUR' };
const changes = () => test.wire.calls(/\/coupons$/);
const readPlain = async (selector: string) =>
  ((await test.page.locator(selector).textContent()) ?? '').replaceAll('\u00a0', ' ');
const field = () => test.page.getByLabel('Discount code');

/** Makes the service take ten percent off while there is a code. */
function discountTenth(): void {
  const answer = test.wire.coupons;
  test.wire.coupons = (codes) => {
    const { totals: _, ...rest } = test.wire.session;
    test.wire.session = codes.length > 0 ? { ...rest, totals: cheaper } : rest;
    return answer(codes);
  };
}

async function openField(): Promise<void> {
  test.wire.session = { couponsAccepted: true };
  await test.visit();
  await test.number().waitFor();
  await test.page.getByRole('button', { name: 'Add a discount code' }).click();
}

async function type(code: string): Promise<void> {
  await field().fill(code);
  await test.page.keyboard.press('Enter');
}

describe('the coupon field', () => {
  it('is there only where the merchant has coupons', async () => {
    const page = await test.visit();
    await test.number().waitFor();
    expect(await page.getByRole('button', { name: 'Add a discount code' }).count()).toBe(0);
  });

  it('a code: discount, new total and button say so, and the card stays as typed', async () => {
    discountTenth();
    await openField();
    expect(await field().evaluate((input) => input === document.activeElement)).toBe(true);
    await test.number().fill('4242424242424242');
    await type(' spring ');
    await test.page.getByText('The code was applied.').waitFor();
    expect(changes().map(({ method, body }) => [method, body])).toEqual([
      ['PATCH', { couponCodes: ['spring'] }],
    ]);
    expect(await readPlain('.coupon-news')).toContain('New total: €44.73');
    expect(await readPlain('.sums')).toContain('-€4.97');
    expect(await readPlain('button.pay')).toContain('€44.73');
    expect(await test.number().inputValue()).toBe('4242424242424242');
    expect(await field().inputValue()).toBe('');
  });

  it('taken off again by its own button, with the keyboard left on the news', async () => {
    discountTenth();
    await openField();
    await type('spring');
    await test.page.getByRole('button', { name: 'Remove code SPRING' }).click();
    await test.page.getByText('The code was removed.').waitFor();
    expect(changes().at(-1)?.body).toEqual({ couponCodes: [] });
    expect(await readPlain('button.pay')).toContain('€49.70');
    expect(await test.page.evaluate(() => document.activeElement?.id)).toBe('coupon-news');
  });

  it('an order that came with a code can lose it where nothing else is offered', async () => {
    test.wire.session = { couponCodes: ['SPRING'], totals: cheaper };
    discountTenth();
    const page = await test.visit();
    await page.getByRole('button', { name: 'Remove code SPRING' }).click();
    await page.getByText('The code was removed.').waitFor();
    expect(await field().count()).toBe(0);
  });

  it.each([
    ['coupon_unknown', 'This code does not exist.'],
    ['coupon_inactive', 'cannot be used at present'],
    ['coupon_not_started', 'not valid yet'],
    ['coupon_ended', 'no longer valid'],
    ['coupon_exhausted', 'already been used as often'],
    ['coupon_currency_differs', 'currency of your order'],
    ['coupon_without_effect', 'takes nothing off'],
    ['of_tomorrow', 'cannot be used for your order'],
  ])('%s has its own words, and what was typed stays', async (code, words) => {
    await openField();
    const errors = [{ path: 'couponCodes[0]', code, message: 'No.' }];
    test.wire.coupons = () => refusal('invalid_catalog_data', { errors });
    await type('spring');
    await test.page.getByText(words).waitFor();
    expect(await readPlain('.coupon-news')).toMatch(/^spring: /);
    expect(await field().inputValue()).toBe('spring');
    expect(await field().getAttribute('aria-invalid')).toBe('true');
    expect(await readPlain('button.pay')).toContain('€49.70');
  });

  it('applied with nothing in it: what was said of the code before is gone', async () => {
    await openField();
    const errors = [{ path: 'couponCodes[0]', code: 'coupon_ended', message: 'No.' }];
    test.wire.coupons = () => refusal('invalid_catalog_data', { errors });
    await type('spring');
    await test.page.getByText('no longer valid').waitFor();
    await type('');
    await expect.poll(() => readPlain('.coupon-news')).toBe('');
    expect(await field().getAttribute('aria-invalid')).toBe('false');
    expect(changes()).toHaveLength(1);
  });

  it('the same code twice is told without asking', async () => {
    discountTenth();
    await openField();
    await type('spring');
    await test.page.getByText('The code was applied.').waitFor();
    await type('Spring');
    await test.page.getByText('already part of your order').waitFor();
    expect(changes()).toHaveLength(1);
  });

  it.each([
    ['rate_limited', 'Too many codes were tried.'],
    ['checkout_attempt_in_progress', 'A payment is under way.'],
  ] as const)('%s: said, and nothing changes', async (code, words) => {
    await openField();
    test.wire.coupons = () => refusal(code);
    await type('spring');
    await test.page.getByText(words).waitFor();
  });

  it('while the price is being changed nothing can be paid', async () => {
    await openField();
    const held = Promise.withResolvers<Answer>();
    const answer = test.wire.coupons;
    test.wire.coupons = async (codes) => {
      await held.promise;
      return answer(codes);
    };
    await test.number().fill('4242424242424242');
    await type('spring');
    await expect.poll(() => changes().length).toBe(1);
    expect(await test.payButton().getAttribute('aria-disabled')).toBe('true');
    await test.number().press('Enter');
    held.resolve({ status: 200, body: null });
    await test.page.getByText('The code was applied.').waitFor();
    expect(test.processCalls()).toEqual([]);
  });

  it.each(['taken', 'refused', 'taken off'])(
    'a code %s while the card is typed: the keyboard stays in the card form',
    async (how) => {
      discountTenth();
      await openField();
      const isThere = how === 'taken off';
      if (isThere) await type('spring');
      await expect.poll(() => changes().length).toBe(isThere ? 1 : 0);
      const held = Promise.withResolvers<void>();
      const answer = test.wire.coupons;
      test.wire.coupons = async (codes) => {
        await held.promise;
        return how === 'refused' ? refusal('invalid_catalog_data') : answer(codes);
      };
      if (isThere) await test.page.getByRole('button', { name: 'Remove code SPRING' }).click();
      else await type('spring');
      await expect.poll(() => changes().length).toBe(isThere ? 2 : 1);
      await test.number().click();
      await test.page.keyboard.type('4242');
      held.resolve();
      await test.page.locator('.coupon-news:not(:empty)').waitFor();
      await test.page.keyboard.type('424242424242');
      expect(await test.number().inputValue()).toBe('4242424242424242');
    },
  );

  it('a lost answer: what the session says now is shown, and is what is paid', async () => {
    await openField();
    test.wire.coupons = () => {
      test.wire.session = { couponsAccepted: true, couponCodes: ['SPRING'], totals: cheaper };
      return 'break off';
    };
    await type('spring');
    await expect.poll(() => readPlain('button.pay')).toContain('€44.73');
  });

  it('a lost answer, and the session out of reach for a while: what is typed stays', async () => {
    await openField();
    await test.number().fill('4242424242424242');
    test.wire.coupons = () => {
      test.wire.sessionAnswer = refusal('service_unavailable');
      return 'break off';
    };
    await type('spring');
    await test.page.getByRole('heading', { name: 'We cannot reach the payment service' }).waitFor();
    test.wire.sessionAnswer = null;
    await test.page.getByRole('button', { name: 'Try again' }).click();
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    expect(await test.processCalls()).toHaveLength(1);
  });

  it('an order that has ended meanwhile is shown as ended', async () => {
    await openField();
    test.wire.coupons = () => refusal('checkout_session_expired');
    test.wire.standings = [{ status: 'expired' }];
    await type('spring');
    expect(await test.news().textContent()).toBe('This payment link has expired');
  });

  it('a code taken off in another tab: not paid unseen, the new total is shown, then it is paid', async () => {
    test.wire.session = { couponCodes: ['SPRING'], totals: cheaper };
    test.wire.process = [
      () => {
        test.wire.session = { couponCodes: [] };
        return refusal('checkout_session_total_changed');
      },
      ...test.wire.process,
    ];
    await test.visit();
    await expect.poll(() => readPlain('button.pay')).toContain('€44.73');
    await test.fillAndPay();
    await test.alert().getByText('has changed. Nothing was charged').waitFor();
    await expect.poll(() => readPlain('button.pay')).toContain('€49.70');
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    const shown = test.processCalls().map(({ body }) => body as { expectedTotal?: number });
    expect(shown.map(({ expectedTotal }) => expectedTotal)).toEqual([44.73, 49.7]);
  });

  it('a code taken off in another tab while the form was renewed: what the button said counts', async () => {
    test.wire.session = { couponCodes: ['SPRING'], totals: cheaper };
    test.wire.form = 'expired';
    const { process } = test.wire;
    test.wire.process = [() => refusal('checkout_session_total_changed'), ...process];
    await test.visit();
    await expect.poll(() => readPlain('button.pay')).toContain('€44.73');
    test.wire.session = { couponCodes: [] };
    await test.fillAndPay();
    await test.alert().getByText('has changed. Nothing was charged').waitFor();
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
    const shown = test.processCalls().map(({ body }) => body as { expectedTotal?: number });
    expect(shown.map(({ expectedTotal }) => expectedTotal)).toEqual([44.73, 49.7]);
  });

  it('a code that was used up since: said, taken off, paid', async () => {
    test.wire.session = { couponCodes: ['SPRING'], totals: cheaper };
    discountTenth();
    test.wire.process = [refusal('coupon_exhausted'), ...test.wire.process];
    const page = await test.visit();
    await test.fillAndPay();
    await test.alert().getByText('has been used up. Nothing was charged').waitFor();
    await page.getByRole('button', { name: 'Remove code SPRING' }).click();
    await page.getByText('The code was removed.').waitFor();
    expect(await test.alert().count()).toBe(0);
    await test.payButton().click();
    expect(await test.news().textContent()).toBe('Payment complete');
  });
});
