import { describe, expect, it } from 'vitest';
import { adviceFor, declineMessage } from './decline-advice.ts';

describe('adviceFor', () => {
  it.each([
    ['lost_card', 'do_not_try_again'],
    ['stolen_card', 'do_not_try_again'],
    ['pickup_card', 'do_not_try_again'],
    ['fraudulent', 'do_not_try_again'],
    ['restricted_card', 'do_not_try_again'],
    ['revocation_of_all_authorizations', 'do_not_try_again'],
    ['do_not_try_again', 'do_not_try_again'],
    ['stop_payment_order', 'do_not_try_again'],
    ['revocation_of_authorization', 'do_not_try_again'],
    ['transaction_not_allowed', 'do_not_try_again'],
    ['not_permitted', 'do_not_try_again'],
    ['service_not_allowed', 'do_not_try_again'],
    ['card_not_supported', 'do_not_try_again'],
    ['currency_not_supported', 'do_not_try_again'],
    ['incorrect_address', 'confirm_card_data'],
    ['expired_card', 'confirm_card_data'],
    ['incorrect_cvc', 'confirm_card_data'],
    ['incorrect_number', 'confirm_card_data'],
    ['incorrect_zip', 'confirm_card_data'],
    ['insufficient_funds', 'try_again_later'],
    ['processing_error', 'try_again_later'],
    ['generic_decline', 'try_again_later'],
    ['a_code_of_tomorrow', 'try_again_later'],
    [null, 'try_again_later'],
  ])('%s: %s', (code, advice) => {
    expect(adviceFor(code)).toBe(advice);
  });

  it.each([
    ['generic_decline', 'do_not_try_again', 'do_not_try_again'],
    ['authentication_required', 'confirm_card_data', 'confirm_card_data'],
    ['lost_card', 'a_word_of_tomorrow', 'do_not_try_again'],
    // The card's data may have been typed wrongly.
    ['expired_card', 'do_not_try_again', 'confirm_card_data'],
    [null, 'do_not_try_again', 'do_not_try_again'],
  ])('%s of which the provider says %s: %s', (code, said, advice) => {
    expect(adviceFor(code, said)).toBe(advice);
  });
});

describe('declineMessage', () => {
  it('a thief with the card learns no more than that it was declined', () => {
    const plain = declineMessage('generic_decline');
    for (const code of ['lost_card', 'stolen_card', 'pickup_card', 'fraudulent', null]) {
      expect(declineMessage(code)).toBe(plain);
    }
  });

  it('says what a buyer can mend', () => {
    expect(declineMessage('incorrect_cvc')).toMatch(/security code/);
    expect(declineMessage('expired_card')).toMatch(/expired/);
    expect(declineMessage('insufficient_funds')).toMatch(/funds/);
  });
});
