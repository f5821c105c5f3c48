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
