// Every state of the customer's page as people meet it: nothing for axe to find, no sideways scrolling
// on the smallest phone, in both themes and in a right-to-left language. With SVC_SHOTS=<folder> each is
// also kept as a picture, to be looked at.

import { describe, expect, it } from 'vitest';
import { aPagePayment, aPageSubscription } from '../test/customer-stub.ts';
import { classesOf, classesOfStyles, faultsOf } from '../test/looks.ts';
import { pageTest } from '../test/page-test.ts';
import { refusal, savedCard } from '../test/stub-answers.ts';

const test = pageTest();

const cards = () => {
  const now = new Date();
  const soon = { expiryMonth: now.getMonth() + 1, expiryYear: now.getFullYear() };
  const none = { brand: null, lastFour: null, expiryMonth: null, expiryYear: null };
  const { customer } = test.wire;
  customer.cards = [
    savedCard('4242'),
    savedCard('4444', { brand: 'mastercard', ...soon }),
    savedCard('8431', { brand: 'amex', expiryYear: 2021 }),
    savedCard('0001', { ...none, type: 'wallet', payerEmail: 'ada.with.a.long.name@pay.example' }),
  ];
  customer.defaultId = customer.cards[0]?.id ?? null;
  test.wire.session = { checkoutMode: 'setup', products: [], totals: null, currency: null };
};
const click = (selector: string) => () => test.page.locator(selector).first().click();
type State = {
  readonly prepare: () => void;
  readonly act?: () => Promise<void>;
  readonly shows: string;
};

const remove = async () => {
  await click('.quiet.danger')();
  await click('.ask .danger')();
};

const states: Readonly<Record<string, State>> = {
  'cards-and-seller': {
    prepare: () => {
      cards();
      const square = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
      test.wire.customer.merchant = {
        name: 'Kaffeerösterei'.repeat(7),
        logoUrl: `data:image/svg+xml,${encodeURIComponent(square)}`,
        supportEmail: 'help.with.a.long.name@bean-shop.example',
        termsUrl: 'https://bean.example/terms',
        brandColor: '#ffd400',
      };
    },
    shows: '.seller-foot',
  },
  purchases: {
    prepare: () => {
      cards();
      const bought = aPageSubscription();
      const { currentPeriodEnd: cancelAt } = bought;
      const name = 'Kaffeebohnen aus aller Welt, frisch geröstet und gemahlen, '.repeat(3);
      test.wire.customer.subscriptions = [
        bought,
        {
          ...{ ...bought, id: 'planned', productName: name, quantity: 2, cancelAt },
          ...{ nextRenewalAt: null, may: { cancel: false, resume: true } },
        },
        { ...bought, id: 'due', status: 'past_due', interval: 'year', amount: 1234567.89 },
      ];
      test.wire.customer.payments = Array.from({ length: 12 }, (_, at) =>
        aPagePayment(
          at,
          at === 1 ? { type: 'refund', status: 'refunded', productNames: [name] } : {},
        ),
      );
    },
    shows: '#payments',
  },
  ending: {
    prepare: () => {
      cards();
      test.wire.customer.subscriptions = [aPageSubscription()];
    },
    act: click('.quiet.danger'),
    shows: '.ask',
  },
  details: {
    prepare: () => {
      cards();
      const { customer } = test.wire;
      const pendingEmail = { email: 'a•••@new.example', expiresAt: '2040-05-05T10:00:00.000Z' };
      const name = 'Adelheid von Hohenzollern-Sigmaringen und zu Fürstenberg '.repeat(3).trim();
      customer.details = { ...customer.details, name, pendingEmail };
    },
    shows: '.details',
  },
  'changing-details': {
    prepare: () => {
      cards();
      test.wire.customer.asking = () => refusal('rate_limited');
    },
    act: async () => {
      await click('#details ~ .panel .quiet')();
      await test.page.locator('.ask [type="email"]').fill('ada@new.example');
      await click('.ask [type="submit"]')();
    },
    shows: '.wrong',
  },
  confirm: {
    prepare: () => {
      test.wire.customer.confirming = () => 'break off';
    },
    act: async () => {
      await test.page.goto(`${test.wire.customerUrl.split('#')[0]}#address.secret`);
      await click('.outcome .pay')();
    },
    shows: '.outcome [role="status"]:not(:empty)',
  },
  empty: { prepare: () => {}, shows: '.empty' },
  ask: { prepare: cards, act: click('.quiet.danger'), shows: '.ask' },
  removed: { prepare: cards, act: remove, shows: '.card-news' },
  'not-removed': {
    prepare: () => {
      cards();
      test.wire.customer.removal = () => refusal('payment_method_in_use');
    },
    act: remove,
    shows: '.notice',
  },
  replacing: {
    prepare: cards,
    act: click('.card-ways .quiet:not(.danger)'),
    shows: '.card-host:not(.waiting)',
  },
  'mailed-again': {
    prepare: () => {
      test.wire.customer.opening = () => refusal('customer_page_mail_expired');
    },
    act: click('.outcome .pay'),
    shows: '.outcome [role="status"]:not(:empty)',
  },
  find: {
    prepare: () => {
      test.wire.customer.opening = () => refusal('customer_page_not_found');
    },
    act: async () => {
      await test.page.locator('.find input').fill('ada@example.com');
      await click('.find .pay')();
    },
    shows: '.find [role="status"]:not(:empty)',
  },
  unreachable: {
    prepare: () => {
      test.wire.customer.opening = () => 'break off';
    },
    shows: '.outcome',
  },
};

async function reachState(name: string, locale: string): Promise<void> {
  const { prepare, act, shows } = states[name] as State;
  prepare();
  const page = await test.open({ locale, width: 1100 });
  // Without animations: a picture in the middle of a fade shows, and axe measures, colours that
  // nobody reads.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(test.wire.customerUrl);
  await act?.();
  await page.locator(shows).first().waitFor();
}

describe('in each look', () => {
  const seen = new Set<string>();

  it.each(Object.keys(states))('%s: nothing for axe, nothing beyond the edge', async (name) => {
    await reachState(name, 'de-DE');
    expect(await test.page.getAttribute('html', 'dir')).toBe('ltr');
    expect(await faultsOf(test.page, `my-${name}`)).toEqual({});
    for (const each of await classesOf(test.page)) seen.add(each);
  });

  it('every class of the style sheet is in one of these states', () => {
    const styled = classesOfStyles(import.meta.dirname);
    expect(styled.filter((name) => !seen.has(name))).toEqual([]);
  });

  it('cards in a language from right to left: nothing for axe, nothing beyond the edge', async () => {
    await reachState('cards-and-seller', 'ar-EG');
    expect(await test.page.getAttribute('html', 'dir')).toBe('rtl');
    expect(await faultsOf(test.page, 'my-cards-ar')).toEqual({});
  });
});
