import fc from 'fast-check';
import type Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { toProviderAmount } from './amounts.ts';
import {
  cardFacts,
  isIntent,
  translateDecline,
  translateFailure,
  translateIntent,
} from './translate.ts';

const intent = (more: object = {}) =>
  ({
    object: 'payment_intent',
    id: 'pi_1',
    status: 'requires_capture',
    amount: 1000,
    amount_received: 0,
    currency: 'eur',
    latest_charge: null,
    cancellation_reason: null,
    ...more,
  }) as unknown as Stripe.PaymentIntent;

describe('toProviderAmount', () => {
  // The provider's documentation, Supported currencies: zero-decimal list and special cases.
  it.each([
    ['EUR', 1990, 1990],
    ['JPY', 500, 500],
    ['KRW', 500, 500],
    ['KWD', 5120, 5120],
    ['BHD', 1230, 1230],
    ['ISK', 5, 500],
    ['UGX', 5, 500],
    ['MGA', 50_000, 500],
    ['HUF', 1045, 1045],
    ['TWD', 80_000, 80_000],
  ])('%s %i is sent as %i', (currency, minor, provider) => {
    expect(toProviderAmount(minor, currency)).toBe(provider);
  });

  it.each(['BIF', 'CLP', 'DJF', 'GNF', 'KMF', 'PYG', 'RWF', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'])(
    '%s has no decimals on either side',
    (currency) => expect(toProviderAmount(7, currency)).toBe(7),
  );

  it('what the provider cannot count is not whole, so that it is not sent', () => {
    expect(Number.isInteger(toProviderAmount(150, 'MGA'))).toBe(false);
  });

  it('comes back as the same amount', () => {
    const currency = fc.constantFrom('EUR', 'JPY', 'KWD', 'ISK', 'UGX', 'MGA');
    fc.assert(
      fc.property(currency, fc.integer({ min: 1, max: 1e9 }), (code, amount) => {
        const minor = code === 'MGA' ? amount * 100 : amount;
        const sent = toProviderAmount(minor, code);
        expect(Number.isSafeInteger(sent)).toBe(true);
        const read = translateIntent(intent({ amount: sent, currency: code.toLowerCase() }));
        expect(read).toMatchObject({ amountMinor: minor, currency: code });
      }),
      { numRuns: 2000 },
    );
  });

  it('an amount that the currency cannot have is never equal to ours', () => {
    const read = translateIntent(intent({ amount: 501, currency: 'isk' }));
    expect(Number.isInteger(read.amountMinor)).toBe(false);
  });
});

describe('translateIntent', () => {
  it.each([
    ['requires_payment_method', 'new'],
    ['requires_confirmation', 'new'],
    ['requires_action', 'requires_action'],
    ['processing', 'processing'],
    ['requires_capture', 'authorized'],
    ['succeeded', 'captured'],
    ['canceled', 'released'],
    ['something_newer', 'new'],
  ])('%s is %s', (status, state) => {
    expect(translateIntent(intent({ status })).state).toBe(state);
  });

  it('a charge that was disputed is told as such, any other not', () => {
    const told = [true, false].map((disputed) =>
      translateIntent(intent({ status: 'succeeded', latest_charge: { id: 'ch_1', disputed } })),
    );
    expect(told.map(({ isDisputed }) => isDisputed)).toEqual([true, undefined]);
  });

  it.each([
    ['DE', 'DE'],
    ['de', undefined],
    ['DEU', undefined],
    ['<b>', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('a card of the country %o is of %o, paid with or declined', (country, told) => {
    const card = { brand: 'visa', last4: '4242', exp_month: 1, exp_year: 2030, wallet: null };
    const given = { ...card, ...(country === undefined ? {} : { country }) };
    expect(cardFacts(given).country).toBe(told);
    const declined = { code: 'card_declined', payment_method: { card: given } };
    expect(translateFailure(declined).cardCountry).toBe(told);
  });

  it('a captured intent counts by what was received', () => {
    const said = intent({ status: 'succeeded', amount: 1000, amount_received: 400 });
    expect(translateIntent(said).amountMinor).toBe(400);
  });

  it.each([
    ['expired', 'expired'],
    ['automatic', 'canceled'],
    ['requested_by_customer', 'canceled'],
    ['abandoned', 'canceled'],
    [null, 'canceled'],
  ])('a release because of %s is %s', (reason, because) => {
    const said = intent({ status: 'canceled', cancellation_reason: reason });
    expect(translateIntent(said).releasedBecause).toBe(because);
  });

  it.each([
    ['succeeded', 'off_session', true],
    ['requires_capture', 'off_session', true],
    ['requires_action', 'off_session', false],
    ['processing', 'off_session', false],
    ['canceled', 'off_session', false],
    ['succeeded', null, false],
  ])('%s with usage %s: kept is %s', (status, usage, isKept) => {
    const said = intent({ status, setup_future_usage: usage, customer: 'cus_1' });
    const saved = { customerId: 'cus_1', providerPaymentMethodId: 'pm_1', payerEmail: null };
    const { saved: found } = translateIntent({ ...said, payment_method: 'pm_1' });
    expect(found).toEqual(isKept ? saved : undefined);
    const expanded = { customer: { id: 'cus_1' }, payment_method: { id: 'pm_1' } };
    expect(translateIntent({ ...said, ...expanded } as Stripe.PaymentIntent).saved).toEqual(found);
  });

  it("takes deadline and time of the money from the charge, never from this machine's clock", () => {
    const charge = {
      id: 'ch_1',
      payment_method_details: { card: { capture_before: 1_800_000_000 } },
      balance_transaction: { created: 1_700_000_000 },
    };
    expect(translateIntent(intent({ latest_charge: charge }))).toMatchObject({
      chargeId: 'ch_1',
      captureBefore: new Date('2027-01-15T08:00:00.000Z'),
      effectiveAt: new Date('2023-11-14T22:13:20.000Z'),
    });
    expect(translateIntent(intent({ latest_charge: 'ch_2' }))).toMatchObject({
      chargeId: 'ch_2',
      captureBefore: null,
      effectiveAt: null,
    });
  });
});

describe('isIntent', () => {
  it('holds for an intent, and for nothing that lacks what it is judged by', () => {
    expect(isIntent(intent())).toBe(true);
    for (const name of ['object', 'id', 'currency', 'status', 'amount', 'amount_received']) {
      expect(isIntent(intent({ [name]: undefined })), name).toBe(false);
      expect(isIntent(intent({ [name]: { a: 1 } })), name).toBe(false);
    }
    expect(isIntent(intent({ amount: 10.5 }))).toBe(false);
  });
});

describe('translateDecline', () => {
  it.each([
    [{ code: 'card_declined', decline_code: 'lost_card' }, 'lost_card', 'do_not_try_again'],
    [{ code: 'card_declined' }, 'generic_decline', 'try_again_later'],
    [{ code: 'incorrect_cvc' }, 'incorrect_cvc', 'confirm_card_data'],
    [{ code: 'expired_card', decline_code: 'expired_card' }, 'expired_card', 'confirm_card_data'],
    [{ code: 'expired_card', decline_code: '' }, 'expired_card', 'confirm_card_data'],
    [
      { code: 'card_declined', decline_code: 'do_not_honor', advice_code: 'do_not_try_again' },
      'do_not_honor',
      'do_not_try_again',
    ],
    [{}, null, 'try_again_later'],
  ])('%j', (error, declineCode, advice) => {
    expect(translateDecline(error)).toEqual({ declineCode, advice });
  });
});
