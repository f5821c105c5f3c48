// Accounts at the provider, and the steps before real money, in words.

import type { GoLive, ProviderAccount } from '@svc/contract/settings/provider-accounts';
import type { Part } from '../../kit/addresses.ts';
import { countedNoun, type Words } from '../../kit/words.ts';

export const modeWords: Readonly<Record<ProviderAccount['mode'], string>> = {
  sandbox: 'Sandbox: a provider of our own, no real money',
  test: 'Test mode: the provider’s test keys, no real money',
  live: 'Live: real money',
};

/** A state, since when, and what to do about it. */
export type Saying = {
  readonly words: Words;
  readonly at?: { readonly said: string; readonly at: string } | null;
  readonly text?: string;
};

const saidAt = (said: string, at: string | null) => (at === null ? null : { said, at });

export function keyWords({ status, refusedAt, usedAt }: ProviderAccount['keys']): Saying {
  if (status === 'refused') {
    return {
      words: { text: 'Refused', tone: 'bad' },
      at: saidAt('last', refusedAt),
      text: 'Payments fail. The operator stores another key (svc gateways change --keys). Once this one works again, check it here.',
    };
  }
  if (status === 'untried') {
    return {
      words: { text: 'Not used yet', tone: 'plain' },
      text: 'The first payment shows whether the provider accepts them.',
    };
  }
  return { words: { text: 'Accepted', tone: 'good' }, at: saidAt('last used', usedAt) };
}

type Check = { readonly what: string; readonly result: string };

/** Returns what a check of the keys found, in one sentence. */
export function checkVerdict(checks: readonly Check[]): { isWell: boolean; text: string } {
  const wrong = checks.filter(({ result }) => result === 'wrong');
  if (wrong.length === 0) {
    const rights = checks.filter(({ what }) => what.startsWith('right '));
    return {
      isWell: true,
      text: `The provider accepts the keys and gives all ${rights.length} rights that payments need.`,
    };
  }
  const [first] = checks;
  return {
    isWell: false,
    text:
      first?.what === 'account' && first.result === 'wrong'
        ? 'The provider does not accept the keys, and payments fail. Pass this to the operator of this service:'
        : `${countedNoun(wrong.length, ['thing is', 'things are'])} wrong with the account. Pass this to the operator of this service:`,
  };
}

export function noticeWords(notices: ProviderAccount['notices']): Saying {
  const { status, lastAt, refused, refusedSince } = notices;
  const last = saidAt('the last one', lastAt);
  switch (status) {
    case 'arriving':
      return { words: { text: 'Arriving', tone: 'good' }, at: last };
    case 'refused':
      return {
        words: { text: `${countedNoun(refused, ['notice', 'notices'])} refused`, tone: 'bad' },
        at: saidAt('since', refusedSince),
        text: 'Payments settle late. The operator sees the reason by svc gateways check.',
      };
    case 'missing':
      return {
        words: { text: 'Not arriving', tone: 'bad' },
        at: last,
        text: 'The service asks the provider instead, so payments settle late. The operator checks the webhook by svc gateways check.',
      };
    case 'none':
      return {
        words: { text: 'None yet', tone: 'plain' },
        text: 'The first payment brings one, if the webhook is set up at the provider.',
      };
  }
}

type Step = GoLive['steps'][number];

export const stateWords: Readonly<Record<Step['state'], Words>> = {
  done: { text: 'Done', tone: 'good' },
  open: { text: 'To do', tone: 'soon' },
  failing: { text: 'Does not work', tone: 'bad' },
  optional: { text: 'Not needed by everybody', tone: 'plain' },
};

type StepWords = {
  readonly title: string;
  readonly text: string;
  /** Where it is done: a part of the dashboard, or another page of the service. */
  readonly at: readonly [label: string, place: Part | `/${string}`];
};

export const stepWords: Readonly<Record<Step['step'], StepWords>> = {
  provider_keys: {
    title: 'The provider accepts the keys',
    text: 'The operator stores the keys of your account; the service tells whether they work.',
    at: ['Card provider', 'provider'],
  },
  provider_notices: {
    title: 'The provider’s notices arrive',
    text: 'They tell of refunds, disputes and payments that end later.',
    at: ['Card provider', 'provider'],
  },
  product: {
    title: 'Something to sell',
    text: 'A product with a price in the currency of your buyers.',
    at: ['Products', 'products'],
  },
  test_purchase: {
    title: 'A first purchase',
    text: 'Pay once as a buyer would; in live mode with a card of your own and a small sum.',
    at: ['Test cards', '/guides/test-cards'],
  },
  test_refund: {
    title: 'A first refund',
    text: 'Open that payment and give it back.',
    at: ['Payments', 'payments'],
  },
  business_details: {
    title: 'Who buyers buy from',
    text: 'Checkout pages, receipts and mails name it.',
    at: ['Business', 'business'],
  },
  webhook_endpoint: {
    title: 'Your server hears of payments',
    text: 'An endpoint that receives events. None is needed if nothing is shipped by a program.',
    at: ['Webhooks', 'webhooks'],
  },
  two_step: {
    title: 'Two steps to sign in',
    text: 'Whoever refunds or changes settings has a passkey, or an authenticator beside the password.',
    at: ['Your sign-in', '/account'],
  },
  second_owner: {
    title: 'A second owner',
    text: 'Lets somebody in when the only owner has lost the way in.',
    at: ['Members', 'members'],
  },
  mail_server: {
    title: 'Mails leave',
    text: 'Invitations, receipts and links by mail need the operator’s mail server.',
    at: ['Mail', '/guides/mail'],
  },
  live_account: {
    title: 'An account with real money',
    text: 'A service of live mode is another installation, with the live keys of your account.',
    at: ['From a clone to money', '/guides/go-live'],
  },
};

const fieldNames: Readonly<Record<string, string>> = {
  businessName: 'business name',
  businessAddress: 'address',
  supportEmail: 'email for questions',
  termsUrl: 'terms',
};

/** Returns for example `Still missing: terms, ada@shop.example`; null where nothing is. */
export const missingWords = ({ missing }: Step): string | null =>
  missing.length === 0
    ? null
    : `Still missing: ${missing.map((each) => fieldNames[each] ?? each).join(', ')}`;
