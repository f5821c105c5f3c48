// What a customer changes on the own page: removing, adding, replacing, the default.

import { describe, expect, it } from 'vitest';
import { pageTest } from '../test/page-test.ts';
import { type Answer, attempt, refusal, savedCard, sessionId } from '../test/stub-answers.ts';

const test = pageTest();

const visa = savedCard('4242');
const master = savedCard('4444', { brand: 'mastercard' });
const setCards = (...cards: (typeof visa)[]) => {
  test.wire.customer.cards = cards;
  test.wire.customer.defaultId = cards[0]?.id ?? null;
  test.wire.session = { checkoutMode: 'setup', products: [], totals: null, currency: null };
};
const button = (name: string) => test.page.getByRole('button', { name, exact: true });
const row = (lastFour: string) => test.page.locator('.card', { hasText: lastFour });
const names = () => test.page.locator('.card .choice-name .unseen').allTextContents();
const statusTexts = () => test.page.getByRole('status').filter({ hasText: /./ });
const confirm = () => button('Remove card').click();
const listCalls = (method: string, path: RegExp) =>
  test.wire.calls(path).filter((call) => call.method === method);
const removals = () => listCalls('DELETE', /payment-methods/);
const fill = async (number = '5555555555554444') => {
  await test.number().fill(number);
  await button('Save card').click();
};
/** Lists the new card once the setup has succeeded. */
const addNewCard = (card: typeof visa) => {
  test.wire.setups = [
    () => {
      const { customer } = test.wire;
      customer.cards = [card, ...customer.cards];
      return {
        status: 200,
        body: { type: 'success', sessionId, paymentMethodId: card.id, redirectUrl: null },
      };
    },
  ];
};

describe('removing', () => {
  it('asks, naming the card; then it is gone from the list that was read again', async () => {
    setCards(visa, master);
    const page = await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await page.getByRole('dialog', { name: 'Remove Visa ending in 4242?' }).waitFor();
    expect(removals()).toEqual([]);
    await confirm();
    await statusTexts().getByText('Visa ending in 4242 was removed.').waitFor();
    expect(await names()).toEqual(['Mastercard ending in 4444']);
    expect(removals().map(({ url }) => url.split('/').at(-1))).toEqual([visa.id]);
    expect(listCalls('GET', /payment-methods/)).toHaveLength(2);
  });

  it('speaks of subscriptions only where another card could take over', async () => {
    setCards(visa, master);
    const page = await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await page.getByRole('dialog').getByText('move to another saved card').waitFor();
    await confirm();
    await statusTexts().getByText('was removed').waitFor();
    await button('Remove: Mastercard ending in 4444').click();
    expect(await page.getByRole('dialog').textContent()).not.toContain('Subscriptions');
  });

  it('of wallets alone the page says wallets, and asks in no card’s words', async () => {
    setCards(
      savedCard('0001', { type: 'wallet', brand: null, lastFour: null, payerEmail: 'w@x.de' }),
    );
    const page = await test.visitCards();
    await page.getByRole('heading', { name: 'Your saved wallets' }).waitFor();
    expect(await page.locator('main .fine').textContent()).not.toContain('card');
    await button('Remove: w@x.de').click();
    expect(await page.getByRole('dialog').textContent()).not.toMatch(/card/i);
  });

  it('kept: by the button, and by Escape, which gives the focus back', async () => {
    setCards(visa);
    const page = await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await button('Keep card').click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('aria-label')).toBe('Remove: Visa ending in 4242');
    await button('Remove: Visa ending in 4242').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await focused.getAttribute('aria-label')).toBe('Remove: Visa ending in 4242');
    expect(removals()).toEqual([]);
  });

  it('by keyboard alone', async () => {
    setCards(visa);
    const page = await test.visitCards();
    await button('Remove: Visa ending in 4242').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await statusTexts().getByText('was removed').waitFor();
    expect(await statusTexts().evaluate((line) => line === document.activeElement)).toBe(true);
  });

  it('is not shown as done before it is: the card stays, its button says what is under way', async () => {
    setCards(visa, master);
    const held = Promise.withResolvers<Answer>();
    test.wire.customer.removal = () => held.promise;
    await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await confirm();
    await button('Removing…: Visa ending in 4242').waitFor();
    expect(await names()).toHaveLength(2);
    // Only one change runs at a time.
    await button('Remove: Mastercard ending in 4444').click({ force: true });
    expect(await test.page.getByRole('dialog').count()).toBe(0);
    held.resolve(test.wire.customer.remove(visa.id));
    await statusTexts().getByText('was removed').waitFor();
    expect(await names()).toEqual(['Mastercard ending in 4444']);
  });

  it.each([
    ['payment_method_in_use', {}, 'Add another card first, then remove this one.'],
    ['payment_method_has_active_payment', {}, 'is not finished yet. Wait until it is'],
    ['payment_method_reassignment_requires_payer_action', {}, 'only you can approve another way'],
    [
      'payment_method_deletion_failed',
      { reason: 'provider_detach_failed', retrySafe: true, resolution: 'retry_delete' },
      'could not be completed yet. The card stays in this list',
    ],
    [
      'payment_method_deletion_failed',
      { reason: 'verification_failed', retrySafe: false, resolution: 'contact_support' },
      'Please ask the shop before you try again.',
    ],
    [
      'payment_method_deletion_failed',
      {
        reason: 'provider_reassignment_failed',
        retrySafe: true,
        resolution: 'update_funding_manually',
      },
      'could not be moved to another one',
    ],
    ['invalid_request', {}, 'invalid_request · req_01J8Z6Q4W3'],
  ] as const)(
    '%s %j: the card stays, and beside it stands what to do',
    async (code, more, text) => {
      setCards(visa, master);
      test.wire.customer.removal = () => refusal(code, more);
      await test.visitCards();
      await button('Remove: Visa ending in 4242').click();
      await confirm();
      const isBegun = 'resolution' in more && more.resolution === 'retry_delete';
      const title = isBegun ? 'The removal is not complete yet.' : 'The card was not removed';
      await row('4242').getByRole('alert').getByText(title).waitFor();
      await row('4242').getByRole('alert').getByText(text).waitFor();
      expect(await names()).toHaveLength(2);
      expect(await row('4242').getByRole('button', { name: 'Replace' }).count()).toBe(
        isBegun ? 0 : 1,
      );
      const isRetried = 'retrySafe' in more ? more.retrySafe : code !== 'payment_method_in_use';
      expect(await row('4242').getByRole('button', { name: 'Try again' }).count()).toBe(
        isRetried ? 1 : 0,
      );
    },
  );

  it('a removal that failed is tried again with the same call', async () => {
    setCards(visa);
    const { customer } = test.wire;
    customer.removal = () =>
      refusal('payment_method_deletion_failed', { retrySafe: true, resolution: 'retry_delete' });
    await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await confirm();
    await test.alert().waitFor();
    customer.removal = null;
    await button('Try again').click();
    await statusTexts().getByText('was removed').waitFor();
    expect(removals()).toHaveLength(2);
  });

  it('no answer: the list tells whether it is gone', async () => {
    setCards(visa, master);
    const { customer } = test.wire;
    customer.removal = () => {
      customer.remove(visa.id);
      return 'break off';
    };
    await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await confirm();
    await statusTexts().getByText('Visa ending in 4242 was removed.').waitFor();
  });

  it('no answer, and still there: said as that', async () => {
    setCards(visa);
    test.wire.customer.removal = () => 'break off';
    await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await confirm();
    await test.alert().getByText('It is not known yet whether this worked.').waitFor();
    expect(await test.alert().textContent()).not.toMatch(/not removed|still saved/);
  });
});

describe('a card that is being removed', () => {
  it('after a removal that goes on: its row says so, and offers nothing but to ask again', async () => {
    setCards(visa, master);
    test.wire.customer.removal = () =>
      refusal('payment_method_deletion_failed', { retrySafe: true, resolution: 'retry_delete' });
    await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await confirm();
    await test.alert().waitFor();
    await button('Make default: Mastercard ending in 4444').click();
    await statusTexts().getByText('is now the default').waitFor();
    await row('4242').getByText('The removal is not complete yet.').waitFor();
    expect(await row('4242').getByRole('button').allTextContents()).toEqual(['Try again']);
    test.wire.customer.removal = null;
    await row('4242').getByRole('button').click();
    await statusTexts().getByText('was removed').waitFor();
  });

  it('after a reload: a default that is 404 is not said to be no longer saved while it is listed', async () => {
    setCards(visa, master);
    test.wire.customer.choice = () => refusal('payment_method_not_found');
    await test.visitCards();
    await button('Make default: Mastercard ending in 4444').click();
    await row('4444').getByRole('alert').getByText('This card is being removed, or').waitFor();
    expect(await test.alert().textContent()).not.toContain('no longer saved');
  });
});

describe('adding', () => {
  it('in the page: the form of a setup session, and then the card is listed', async () => {
    setCards();
    addNewCard(master);
    const page = await test.visitCards();
    await button('Add a card').click();
    await page.getByText('Nothing is charged now.').waitFor();
    // The address is masked, because the page's link may have been passed on.
    await page.getByText('Will be saved for a•••@example.com').waitFor();
    expect(await page.getByText('ada@example.com').count()).toBe(0);
    await fill();
    await statusTexts().getByText('The card was added.').waitFor();
    expect(await names()).toEqual(['Mastercard ending in 4444']);
    expect(await test.number().count()).toBe(0);
    expect(test.wire.calls(/card-setup$/)).toHaveLength(1);
  });

  it('declined: says so in the form, which takes another', async () => {
    setCards();
    await test.visitCards();
    test.wire.setups = [refusal('card_declined', { declineCode: 'expired_card' })];
    await button('Add a card').click();
    await fill();
    await test.alert().getByText('The card has expired.').waitFor();
    addNewCard(master);
    await button('Save card').click();
    await statusTexts().getByText('The card was added.').waitFor();
  });

  it('the bank asks, in a dialog of the page, and its frame comes back to it', async () => {
    setCards();
    const page = await test.visitCards();
    const challenge = { kind: 'redirect', url: `${test.wire.bankOrigin}/question` };
    const request = () => {
      test.wire.standings = [{ status: 'requires_action', attempt: attempt('REQUIRES_ACTION') }];
      addNewCard(master);
      const body = { type: '3ds_required', sessionId, paymentMethodId: null, challenge };
      return { status: 200, body };
    };
    test.wire.setups = [request];
    await button('Add a card').click();
    await fill();
    await page.frameLocator('dialog iframe').getByText('Approve').click();
    await statusTexts().getByText('The card was added.').waitFor();
  });

  it('saved after the page’s time is over: says both', async () => {
    setCards(visa);
    const page = await test.visitCards();
    await button('Add a card').click();
    await test.number().waitFor();
    addNewCard(master);
    test.wire.customer.listing = () => refusal('customer_page_not_found');
    await fill();
    await page.getByRole('heading', { name: 'This page has expired' }).waitFor();
    await page.getByText('The card was added.').waitFor();
  });

  it('given up: the form closes, and its session ends', async () => {
    setCards(visa);
    await test.visitCards();
    await button('Add a card').click();
    await test.number().waitFor();
    await button('Cancel').click();
    await button('Add a card').waitFor();
    await expect.poll(() => test.wire.calls(/\/decline$/).length).toBe(1);
    expect(test.wire.calls(/\/decline$/)[0]?.body).toEqual({ reason: 'buyer_canceled' });
  });

  it('gateway_unavailable: says that the form could not be opened', async () => {
    setCards();
    test.wire.customer.setup = () => refusal('gateway_unavailable');
    await test.visitCards();
    await button('Add a card').click();
    await test.alert().getByText('The card form could not be opened').waitFor();
    test.wire.customer.setup = null;
    await button('Add a card').click();
    await test.number().waitFor();
  });
});

describe('replacing', () => {
  it('adds first, then removes the old one, and says both', async () => {
    setCards(visa);
    addNewCard(master);
    const page = await test.visitCards();
    await button('Replace: Visa ending in 4242').click();
    await page.getByText('Once the new card is saved, Visa ending in 4242 is removed.').waitFor();
    await fill();
    await statusTexts()
      .getByText('The new card was added, and Visa ending in 4242 was removed.')
      .waitFor();
    expect(await names()).toEqual(['Mastercard ending in 4444']);
    const order = test.wire.received.map(({ method, url }) => `${method} ${url}`);
    const added = order.findIndex((call) => call.endsWith('/card-setup'));
    expect(order.findIndex((call) => call.startsWith('DELETE'))).toBeGreaterThan(added);
  });

  it('the old one cannot go yet: the new one is there all the same, and both are said', async () => {
    setCards(visa);
    addNewCard(master);
    test.wire.customer.removal = () => refusal('payment_method_has_active_payment');
    await test.visitCards();
    await button('Replace: Visa ending in 4242').click();
    await fill();
    await statusTexts().getByText('The card was added.').waitFor();
    await row('4242').getByRole('alert').getByText('is not finished yet').waitFor();
    expect(await names()).toHaveLength(2);
  });

  it('payment_method_in_use leads to the form, and then the removal is made', async () => {
    setCards(visa);
    const { customer } = test.wire;
    customer.removal = () => refusal('payment_method_in_use');
    await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    await confirm();
    await row('4242').getByRole('button', { name: 'Add a card' }).waitFor();
    expect(await button('Add a card').count()).toBe(1);
    await row('4242').getByRole('button', { name: 'Add a card' }).click();
    await test.number().waitFor();
    customer.removal = null;
    addNewCard(master);
    await fill();
    await statusTexts().getByText('Visa ending in 4242 was removed.').waitFor();
  });
});

describe('the default', () => {
  it('no answer, and made all the same: the list tells', async () => {
    setCards(visa, master);
    test.wire.customer.choice = () => {
      test.wire.customer.defaultId = master.id;
      return 'break off';
    };
    await test.visitCards();
    await button('Make default: Mastercard ending in 4444').click();
    await statusTexts().getByText('Mastercard ending in 4444 is now the default.').waitFor();
  });

  it('is changed by the service, and said', async () => {
    setCards(visa, master);
    await test.visitCards();
    await button('Make default: Mastercard ending in 4444').click();
    await statusTexts().getByText('Mastercard ending in 4444 is now the default.').waitFor();
    expect(await names()).toEqual(['Mastercard ending in 4444', 'Visa ending in 4242']);
    expect(await button('Make default: Mastercard ending in 4444').count()).toBe(0);
  });

  it.each([
    ['gateway_refused', 'please tell the shop'],
    ['gateway_unavailable', 'Nothing was changed'],
    ['gateway_outcome_unknown', 'It is not known yet whether this worked.'],
  ] as const)('%s: the old one stays', async (code, text) => {
    setCards(visa, master);
    test.wire.customer.choice = () => refusal(code);
    await test.visitCards();
    await button('Make default: Mastercard ending in 4444').click();
    await row('4444').getByRole('alert').getByText(text).waitFor();
    expect(await row('4242').getByText('Default', { exact: true }).count()).toBe(1);
  });
});
