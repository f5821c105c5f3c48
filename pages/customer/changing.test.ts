// What a customer changes on the customer's page: removing, adding, replacing, the default. Without a browser.

import { describe, expect, it } from 'vitest';
import { customerTest } from '../test/customer-test.ts';
import { type Answer, attempt, refusal, savedCard, sessionId } from '../test/stub-answers.ts';
import { askText, isLocked, listText } from './words.ts';

const test = customerTest();
const visa = savedCard('4242');
const master = savedCard('4444', { brand: 'mastercard' });
const retryable = { retrySafe: true, resolution: 'retry_delete' };

describe('removing', () => {
  it('asks, naming the card; then it is gone from the list that was read again', async () => {
    test.setCards(visa, master);
    await test.open();
    test.customer.ask(visa);
    const asked = askText(visa, test.customer, test.own);
    expect(asked).toMatchObject({ title: 'Remove Visa ending in 4242?', remove: 'Remove card' });
    expect(test.removals()).toEqual([]);
    await test.remove(visa);
    expect(test.done()).toBe('Visa ending in 4242 was removed.');
    expect(test.names()).toEqual(['Mastercard ending in 4444']);
    expect(test.removals()).toEqual([visa.id]);
    expect(test.customer.asked.value).toBeNull();
    const lists = test.service.calls(/payment-methods/).filter(({ method }) => method === 'GET');
    expect(lists).toHaveLength(2);
  });

  it('kept: nothing is sent', async () => {
    test.setCards(visa);
    await test.open();
    test.customer.ask(visa);
    test.customer.ask(null);
    await test.settle();
    expect([test.removals(), test.names()]).toEqual([[], ['Visa ending in 4242']]);
  });

  it('speaks of subscriptions only where another card could take over', async () => {
    test.setCards(visa, master);
    await test.open();
    const text = () => askText(master, test.customer, test.own).text;
    expect(text()).toContain('move to another saved card');
    await test.remove(visa);
    expect(text()).not.toContain('Subscriptions');
  });

  it('of wallets alone the page says wallets, and asks in no card’s words', async () => {
    const none = { type: 'wallet', brand: null, lastFour: null, payerEmail: 'w@x.de' } as const;
    const wallet = savedCard('0001', none);
    test.setCards(wallet);
    await test.open();
    expect(listText(test.customer.cards.value, test.own).title).toBe('Your saved wallets');
    expect(listText(test.customer.cards.value, test.own).intro).not.toContain('card');
    const asked = askText(wallet, test.customer, test.own);
    expect(asked.title).toBe('Remove w@x.de?');
    expect(Object.values(asked).join(' ')).not.toMatch(/card/i);
  });

  it('is not shown as done before it is: the card stays, its button says what is under way', async () => {
    test.setCards(visa, master);
    const held = Promise.withResolvers<Answer>();
    test.service.customer.removal = () => held.promise;
    await test.open();
    await test.remove(visa);
    expect(test.actions(visa)).toEqual(['Replace', 'Removing…']);
    expect(test.names()).toHaveLength(2);
    // Only one change runs at a time.
    expect(isLocked(test.customer)).toBe(true);
    test.customer.ask(master);
    expect(test.customer.asked.value).toBeNull();
    await test.makeDefault(master);
    await test.add();
    expect(test.service.calls(/default|setup-sessions/)).toEqual([]);
    held.resolve(test.service.customer.remove(visa.id));
    await test.settle();
    expect(test.done()).toContain('was removed');
    expect(test.names()).toEqual(['Mastercard ending in 4444']);
  });

  it.each([
    ['payment_method_in_use', {}, 'Add another card first, then remove this one.', 'add'],
    ['payment_method_has_active_payment', {}, 'is not finished yet. Wait until it is', 'retry'],
    [
      'payment_method_reassignment_requires_payer_action',
      {},
      'only you can approve another way',
      'retry',
    ],
    [
      'payment_method_deletion_failed',
      retryable,
      'could not be completed yet. The card stays in this list',
      'retry',
    ],
    [
      'payment_method_deletion_failed',
      { reason: 'verification_failed', retrySafe: false, resolution: 'contact_support' },
      'Please ask the shop before you try again.',
      null,
    ],
    [
      'payment_method_deletion_failed',
      { retrySafe: true, resolution: 'update_funding_manually' },
      'could not be moved to another one',
      'retry',
    ],
    ['invalid_request', {}, 'invalid_request · req_01J8Z6Q4W3', 'retry'],
  ] as const)(
    '%s %j: the card stays, and beside it stands what to do',
    async (code, more, text, way) => {
      test.setCards(visa, master);
      test.service.customer.removal = () => refusal(code, more);
      await test.open();
      await test.remove(visa);
      const isBegun = 'resolution' in more && more.resolution === 'retry_delete';
      const title = isBegun ? 'The removal is not complete yet.' : 'The card was not removed';
      expect(test.trouble()).toMatchObject({ cardId: visa.id, way });
      expect(test.trouble()?.said).toContain(title);
      expect(test.trouble()?.said).toContain(text);
      expect(test.names()).toHaveLength(2);
      expect(test.actions(visa)).toEqual(isBegun ? [] : ['Replace', 'Remove']);
    },
  );

  it('a removal that failed is tried again with the same call', async () => {
    test.setCards(visa);
    const { customer } = test.service;
    customer.removal = () => refusal('payment_method_deletion_failed', retryable);
    await test.open();
    await test.remove(visa);
    customer.removal = null;
    await test.customer.remove(visa);
    expect(test.done()).toContain('was removed');
    expect(test.removals()).toEqual([visa.id, visa.id]);
  });

  it('no answer: the list tells whether it is gone', async () => {
    test.setCards(visa, master);
    const { customer } = test.service;
    customer.removal = () => {
      customer.remove(visa.id);
      return 'break off';
    };
    await test.open();
    await test.remove(visa);
    expect(test.done()).toBe('Visa ending in 4242 was removed.');
  });

  it('no answer, and still there: said as that', async () => {
    test.setCards(visa);
    test.service.customer.removal = () => 'break off';
    await test.open();
    await test.remove(visa);
    expect(test.trouble()?.said).toMatch(/^It is not known yet whether this worked\./);
  });
});

describe('a card that is being removed', () => {
  it('after a removal that goes on: its row offers nothing but to ask again', async () => {
    test.setCards(visa, master);
    const { customer } = test.service;
    customer.removal = () => refusal('payment_method_deletion_failed', retryable);
    await test.open();
    await test.remove(visa);
    await test.makeDefault(master);
    expect(test.done()).toContain('is now the default');
    expect(test.actions(visa)).toEqual(['Try again']);
    customer.removal = null;
    await test.customer.remove(visa);
    expect(test.done()).toContain('was removed');
  });

  it('a default that is 404 is not said to be no longer saved while it is listed', async () => {
    test.setCards(visa, master);
    test.service.customer.choice = () => refusal('payment_method_not_found');
    await test.open();
    await test.makeDefault(master);
    expect(test.trouble()).toMatchObject({ cardId: master.id });
    expect(test.trouble()?.said).toContain('This card is being removed, or');
    expect(test.trouble()?.said).not.toContain('no longer saved');
  });
});

describe('adding', () => {
  it('in the page: the form of a setup session, and then the card is listed', async () => {
    test.setCards();
    test.listOnceSaved(master);
    await test.open();
    await test.add();
    expect(test.lines()).toContain('Nothing is charged now.');
    // The address is masked, because the page's link may have been passed on.
    expect(test.language.texts.receiptFor('ada@example.com')).toBe(
      'Will be saved for a•••@example.com',
    );
    await test.saveCard();
    expect(test.done()).toBe('The card was added.');
    expect(test.names()).toEqual(['Mastercard ending in 4444']);
    expect(test.customer.addition.value).toBeNull();
    expect(test.service.calls(/card-setup$/)).toHaveLength(1);
  });

  it('declined: says so in the form, which takes another', async () => {
    test.setCards();
    await test.open();
    test.service.setups = [refusal('card_declined', { declineCode: 'expired_card' })];
    await test.add();
    await test.saveCard();
    expect(test.notice()).toContain('The card has expired.');
    test.listOnceSaved(master);
    await test.saveCard();
    expect(test.done()).toBe('The card was added.');
  });

  it('the bank asks, and the same call again saves the card', async () => {
    test.setCards();
    await test.open();
    const challenge = { kind: 'redirect', url: 'https://bank.example/question' };
    test.service.setups = [
      () => {
        const asked = attempt('REQUIRES_ACTION');
        test.service.standings = [{ status: 'requires_action', attempt: asked }];
        test.listOnceSaved(master);
        const body = { type: '3ds_required', sessionId, paymentMethodId: null, challenge };
        return { status: 200, body };
      },
    ];
    await test.add();
    await test.saveCard();
    expect(test.checkout.view.value.name).toBe('confirming');
    void test.checkout.noteReturn('redirect_status=succeeded');
    await test.settle();
    expect(test.done()).toBe('The card was added.');
  });

  it('saved after the page’s time is over: says both', async () => {
    test.setCards(visa);
    await test.open();
    await test.add();
    test.listOnceSaved(master);
    test.service.customer.listing = () => refusal('customer_page_not_found');
    await test.saveCard();
    expect(test.customer.view.value).toBe('expired');
    expect(test.done()).toBe('The card was added.');
  });

  it('given up: the form closes, and its session ends', async () => {
    test.setCards(visa);
    await test.open();
    await test.add();
    test.customer.cancelAddition();
    await test.settle();
    expect(test.customer.addition.value).toBeNull();
    expect(test.service.calls(/decline$/)[0]?.body).toEqual({ reason: 'buyer_canceled' });
  });

  it('gateway_unavailable: says that the form could not be opened', async () => {
    test.setCards();
    test.service.customer.setup = () => refusal('gateway_unavailable');
    await test.open();
    await test.add();
    expect(test.trouble()).toMatchObject({ cardId: null, way: null });
    expect(test.trouble()?.said).toContain('The card form could not be opened');
    test.service.customer.setup = null;
    await test.add();
    expect(test.hasForm()).toBe(true);
  });
});

describe('replacing', () => {
  it('adds first, then removes the old one, and says both', async () => {
    test.setCards(visa);
    test.listOnceSaved(master);
    await test.open();
    await test.add(visa);
    expect(test.customer.addition.value?.replaced).toEqual(visa);
    await test.saveCard();
    expect(test.done()).toBe('The new card was added, and Visa ending in 4242 was removed.');
    expect(test.names()).toEqual(['Mastercard ending in 4444']);
    const order = test.service.received.map(({ method, url }) => `${method} ${url}`);
    const added = order.findIndex((call) => call.endsWith('/card-setup'));
    expect(order.findIndex((call) => call.startsWith('DELETE'))).toBeGreaterThan(added);
  });

  it('the old one cannot go yet: the new one is there all the same, and both are said', async () => {
    test.setCards(visa);
    test.listOnceSaved(master);
    test.service.customer.removal = () => refusal('payment_method_has_active_payment');
    await test.open();
    await test.add(visa);
    await test.saveCard();
    expect(test.done()).toBe('The card was added.');
    expect(test.trouble()).toMatchObject({ cardId: visa.id });
    expect(test.trouble()?.said).toContain('is not finished yet');
    expect(test.names()).toHaveLength(2);
  });

  it('payment_method_in_use leads to the form, and then the removal is made', async () => {
    test.setCards(visa);
    const { customer } = test.service;
    customer.removal = () => refusal('payment_method_in_use');
    await test.open();
    await test.remove(visa);
    expect(test.trouble()?.way).toBe('add');
    await test.add(visa);
    customer.removal = null;
    test.listOnceSaved(master);
    await test.saveCard();
    expect(test.done()).toContain('Visa ending in 4242 was removed.');
  });
});

describe('the default', () => {
  it('no answer, and made all the same: the list tells', async () => {
    test.setCards(visa, master);
    test.service.customer.choice = () => {
      test.service.customer.defaultId = master.id;
      return 'break off';
    };
    await test.open();
    await test.makeDefault(master);
    expect(test.done()).toBe('Mastercard ending in 4444 is now the default.');
  });

  it('is changed by the service, and said', async () => {
    test.setCards(visa, master);
    await test.open();
    expect(test.actions(master)).toEqual(['Make default', 'Replace', 'Remove']);
    await test.makeDefault(master);
    expect(test.done()).toBe('Mastercard ending in 4444 is now the default.');
    expect(test.names()).toEqual(['Mastercard ending in 4444', 'Visa ending in 4242']);
    expect(test.actions(master)).toEqual(['Replace', 'Remove']);
  });

  it.each([
    ['gateway_refused', 'please tell the shop'],
    ['gateway_unavailable', 'Nothing was changed'],
    ['gateway_outcome_unknown', 'It is not known yet whether this worked.'],
  ] as const)('%s: the old one stays', async (code, text) => {
    test.setCards(visa, master);
    test.service.customer.choice = () => refusal(code);
    await test.open();
    await test.makeDefault(master);
    expect(test.trouble()).toMatchObject({ cardId: master.id });
    expect(test.trouble()?.said).toContain(text);
    expect(test.customer.defaultId.value).toBe(visa.id);
  });
});

describe('a link that does not open everything', () => {
  it.each([
    [{ add: false, remove: false, replace: false, makeDefault: true }, ['Make default']],
    [{ add: true, remove: false, replace: false, makeDefault: false }, []],
    [{ add: false, remove: true, replace: false, makeDefault: false }, ['Remove']],
  ])('%j: offers nothing else', async (may, offered) => {
    test.setCards(visa, master);
    test.service.customer.may = may;
    await test.open();
    expect(test.actions(master)).toEqual(offered);
  });

  it('customer_page_limited: says whom to ask, where the maker of the link lost a right meanwhile', async () => {
    test.setCards(visa);
    test.service.customer.removal = () => refusal('customer_page_limited');
    await test.open();
    await test.remove(visa);
    expect(test.trouble()?.said).toContain('Ask the shop to do it, or for another link.');
    expect(test.names()).toEqual(['Visa ending in 4242']);
  });
});
