// Every state of the page as people meet it: nothing for axe to find, no sideways scrolling on the
// smallest phone, in both themes and in a right-to-left language. With SVC_SHOTS=<folder> each is
// also kept as a picture, to be looked at.

import { describe, expect, it } from 'vitest';
import { classesOf, classesOfStyles, faultsOf, findings } from '../test/looks.ts';
import { pageTest } from '../test/page-test.ts';
import {
  attempt,
  paymentId,
  refusal,
  savedCard,
  sessionId,
  success,
} from '../test/stub-answers.ts';

const test = pageTest();

const asked = { status: 'requires_action' as const, attempt: attempt('REQUIRES_ACTION') };
const gateways = {
  cardprovider: { publishableKey: 'pk_test_1', accountId: 'acct_1' },
  wallet: { clientId: 'wallet_1', orderId: 'O-1' },
};
const totals = { subtotal: 49.7, discount: 4.97, total: 44.73, currency: 'EUR' };
const aShell = { accountData: null, products: [], totals: null };
const { status: limited, body: tooMany } = refusal('rate_limited') as {
  status: number;
  body: object;
};

type State = {
  readonly prepare: () => void;
  readonly isPaid?: true;
  readonly next?: string;
  /** The element to click first; the state follows the click. */
  readonly after?: string;
  /** The text that appears after a code is typed and applied. */
  readonly news?: string;
  readonly shows: string;
};

/** The code takes ten percent off, unless the stub is given another response. */
const couponTyped = (prepare: () => typeof test.wire.session): State => ({
  prepare: () => {
    const answer = test.wire.coupons;
    test.wire.coupons = (codes) => {
      test.wire.session = { ...test.wire.session, totals };
      return answer(codes);
    };
    test.wire.session = prepare();
  },
  next: '.summary .quiet',
  shows: '.card-host:not(.waiting)',
});

const payState = (answer: () => (typeof test.wire.process)[number], shows: string): State => ({
  prepare: () => {
    test.wire.process = [answer()];
  },
  isPaid: true,
  shows,
});
const statusState = (standing: (typeof test.wire.standings)[number]): State => ({
  prepare: () => {
    test.wire.standings = [standing];
  },
  shows: '.outcome',
});

const setVouchedSession = () => {
  test.wire.session = { buyerVerified: true };
  const old = savedCard('4444', { brand: 'mastercard', expiryYear: 2021 });
  const data = [savedCard('4242'), savedCard('1881', { brand: null }), old];
  test.wire.cards = () => ({ status: 200, body: { data } });
};
const aSetup = () => {
  const none = { products: [], totals: null, currency: null };
  test.wire.session = { checkoutMode: 'setup', buyerVerified: true, ...none };
};

/** The logo is a data URL, so that no server is needed. */
const aSeller = (brandColor: string) => ({
  name: 'Bean Shop',
  logoUrl: `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="180" height="48"><rect width="180" height="48"
      rx="10" fill="#7a3b00"/><circle cx="24" cy="24" r="12" fill="#fff"/></svg>`,
  )}`,
  supportEmail: 'help.with.a.long.name@bean-shop.example',
  termsUrl: 'https://bean.example/terms',
  brandColor,
});

const own = { description: null, imageUrl: null, reference: null };
const line = { ...own, overrideAmount: null, currency: 'EUR', interval: null, quantity: 1 };
const products = ['Ink', 'Pen', 'Nib', 'Pad', 'Cap'].map((name) => ({
  ...{ code: name, name, totalAmount: 5 },
  ...line,
}));
const club = { code: 'club', name: 'Club', totalAmount: 24.7, ...line, interval: 'month' as const };

// Each part of the page in each of its forms, several of them at once where they stand beside each other.
const states: Readonly<Record<string, State>> = {
  'order-and-seller': {
    prepare: () => {
      const coupons = { couponCodes: ['SPRING'], totals, couponsAccepted: true };
      const merchant = aSeller('#0a7d4f');
      const words = { description: 'Wool, 58 cm', imageUrl: merchant.logoUrl };
      const hat = { code: null, name: 'Hat', totalAmount: 24.9, ...line, ...words };
      test.wire.session = {
        ...coupons,
        gateways,
        merchant,
        products: [hat, ...products.slice(0, 2)],
      };
    },
    // Until the form is ready the pay button is disabled and pale.
    shows: '.card-host:not(.waiting)',
    after: '.seller-foot',
  },
  // A white button on a white panel, and a name of one long word.
  'hold-and-pale-seller': {
    prepare: () => {
      const name = 'Kaffeerösterei'.repeat(7);
      const merchant = { ...aSeller('#ffffff'), name };
      test.wire.session = { captureMethod: 'manual', merchant };
    },
    shows: '.hold-line',
    after: '.card-host:not(.waiting)',
  },
  'setup-and-dark-seller': {
    prepare: () => {
      aSetup();
      test.wire.session = { ...test.wire.session, merchant: aSeller('#10131a') };
    },
    shows: '.seller-foot',
    after: '.card-host:not(.waiting)',
  },
  'saved-other': {
    prepare: () => setVouchedSession(),
    shows: '.choices',
    next: '.choice:last-child',
    after: '.card-host:not(.waiting)',
  },
  'saved-declined': {
    prepare: () => {
      setVouchedSession();
      const advice = 'do_not_try_again';
      test.wire.process = [refusal('card_declined', { declineCode: 'lost_card', advice })];
    },
    shows: '.choices',
    next: 'button.pay',
    after: '.choice-news.bad',
  },
  subscription: {
    prepare: () => {
      test.wire.session = { buyerVerified: true, products: [club, ...products] };
    },
    shows: '.line-repeat',
    after: '.card-host:not(.waiting)',
  },
  'setup-saved': {
    ...payState(() => success('succeeded'), '.kept-card'),
    prepare: () => {
      aSetup();
      test.wire.cards = () => ({ status: 200, body: { data: [savedCard('4242')] } });
      test.wire.session = { ...test.wire.session, successUrl: null };
    },
  },
  locked: payState(
    () => ({
      ...{ status: limited, headers: { 'retry-after': '84000' } },
      body: { ...tooMany, retryable: false },
    }),
    '.notice',
  ),
  paying: {
    ...payState(() => success('succeeded'), '.second.wallet[aria-disabled="true"]'),
    prepare: () => {
      test.wire.session = { gateways };
      test.wire.process = [() => new Promise<never>(() => {})];
    },
  },
  'bank-stop': {
    prepare: () => {
      const challenge = { kind: 'redirect', url: `${test.wire.bankOrigin}/question` };
      const body = { type: '3ds_required', sessionId, paymentId, challenge };
      test.wire.process = [{ status: 200, body }];
      test.wire.standings = [{ status: 'open' }, asked];
    },
    isPaid: true,
    shows: 'dialog iframe',
    next: '.bank-head button',
    after: '.stop',
  },
  wallet: {
    prepare: () => {
      test.wire.session = { gateways };
      test.wire.standings = [asked];
    },
    shows: '.outcome',
  },
  checking: statusState({ status: 'processing' }),
  expired: statusState({ status: 'expired' }),
  'held-and-seller': {
    prepare: () => {
      test.wire.session = { merchant: aSeller('#ffb000') };
      const authorizationExpiresAt = '2026-02-01T09:30:00.000Z';
      test.wire.standings = [{ status: 'authorized', authorizationExpiresAt }];
    },
    shows: '.outcome',
  },
  unreachable: {
    prepare: () => {
      test.wire.sessionAnswer = 'break off';
    },
    shows: '.outcome',
  },
  'cart-coming': {
    prepare: () => {
      test.wire.session = aShell;
      test.wire.standings = [{ status: 'unclaimed' }];
    },
    shows: '.card-host:not(.waiting)',
  },
  'coupon-typed': {
    ...couponTyped(() => ({ couponsAccepted: true })),
    news: '.coupon-news:not(.bad)',
  },
  'coupon-refused': {
    ...couponTyped(() => {
      const errors = [{ path: 'couponCodes[0]', code: 'coupon_ended', message: 'Over.' }];
      test.wire.coupons = () => refusal('invalid_catalog_data', { errors });
      return { couponsAccepted: true };
    }),
    news: '.coupon-news.bad',
  },
};

/** Reaches a state in a browser of that language. */
async function reachState(name: string, locale: string): Promise<void> {
  const { prepare, isPaid, shows, next, after, news } = states[name] as State;
  prepare();
  const page = await test.open({ locale, width: 1100 });
  // Without animations: a picture in the middle of a fade shows, and axe measures, colours that
  // nobody reads.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(test.wire.url);
  if (isPaid) {
    await page.frameLocator('.card-host iframe').locator('#number').fill('4242424242424242');
    await test.payButton().click();
  }
  await page.locator(shows).first().waitFor();
  if (next) await page.locator(next).click();
  if (after) await page.locator(after).first().waitFor();
  if (news) {
    await page.locator('#coupon').fill('spring');
    await page.keyboard.press('Enter');
    await page.locator(news).getByText(/./).first().waitFor();
  }
}

describe('in each look', () => {
  const seen = new Set<string>();

  it.each(Object.keys(states))('%s: nothing for axe, nothing beyond the edge', async (name) => {
    await reachState(name, 'de-DE');
    expect(await test.page.getAttribute('html', 'dir')).toBe('ltr');
    expect(await faultsOf(test.page, name)).toEqual({});
    for (const each of await classesOf(test.page)) seen.add(each);
  });

  it('every class of the style sheets is in one of these states', () => {
    // The places of what is still to come are never there once a state is reached.
    const passing = /^(bone|bone-.*|waiting|bank-wait|noscript)$/;
    const styled = classesOfStyles(import.meta.dirname).filter((name) => !passing.test(name));
    expect(styled.filter((name) => !seen.has(name))).toEqual([]);
  });

  // The states with the most text, amounts and dates, which each language writes differently.
  it.each(['held-and-seller', 'saved-declined', 'subscription'])(
    '%s in a language from right to left: nothing for axe, nothing beyond the edge',
    async (name) => {
      await reachState(name, 'ar-EG');
      expect(await test.page.getAttribute('html', 'dir')).toBe('rtl');
      expect(await faultsOf(test.page, `${name}-ar`)).toEqual({});
    },
  );
});

describe('axe', () => {
  it('finds what is planted', async () => {
    const page = await test.visit();
    await test.number().waitFor();
    await page.evaluate(() =>
      document.querySelector('.panel')?.append(document.createElement('button')),
    );
    expect((await findings(page)).join()).toContain('button-name');
  });

  it('finds in the other looks what they alone show', async () => {
    const page = await test.visit();
    await test.number().waitFor();
    await page.evaluate(() => {
      for (const id of ['dim', 'turned']) {
        const made = document.createElement('p');
        Object.assign(made, { id, textContent: id });
        document.querySelector('.panel')?.append(made);
      }
      const style = new CSSStyleSheet();
      style.replaceSync(`@media (prefers-color-scheme: dark) { #dim { color: #333 } }
        [dir=rtl] #turned { width: 500px }`);
      document.adoptedStyleSheets.push(style);
    });
    expect(await faultsOf(page, 'planted')).toEqual({
      'phone-dark': [expect.stringContaining('color-contrast')],
      'phone-light-rtl': ['scrolls sideways'],
    });
  });
});
