// Name, language and address on the customer's own page, and the link that confirms another address. Without a browser.

import { buyerLanguages } from '@svc/contract/settings/languages';
import { describe, expect, it } from 'vitest';
import { pageToken } from '../test/customer-stub.ts';
import { customerTest } from '../test/customer-test.ts';
import { refusal, savedCard } from '../test/stub-answers.ts';
import {
  detailsFacts,
  detailsNewsText,
  detailsTroubleText,
  emailTroubleText,
} from './details-words.ts';
import { customerLanguageFor, wantedLanguages } from './language.ts';
import { confirmingText, endText, headlineOf } from './words.ts';

const test = customerTest();

const shown = () => {
  const { value } = test.customer.details.known;
  return value && detailsFacts(value, test.own).map(([, text]) => text);
};
const news = () => {
  const { value } = test.customer.details.news;
  return value && detailsNewsText(value, test.own);
};
const trouble = () => {
  const { value } = test.customer.details.trouble;
  if (!value) return null;
  return value.isOfEmail
    ? { beside: emailTroubleText(value, test.own) }
    : detailsTroubleText(value, test.own);
};
const sent = () =>
  test.service
    .calls(/details$|address$/)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url }) => `${method} ${url.replace('/v1/customer-page', '')}`);

async function open() {
  test.setCards(savedCard('4242'));
  await test.open();
}
async function save(given: { name?: string | null; language?: 'fr' | null; email?: string }) {
  const { known } = test.customer.details;
  const { name = null, language = null } = known.value ?? {};
  test.customer.details.edit(true);
  void test.customer.details.save({ name, language, email: '', ...given });
  await test.settle();
}
const isOpen = () => test.customer.details.isOpen.value;

describe('details', () => {
  it('say name, language and masked address', async () => {
    await open();
    expect(shown()).toEqual(['Ada Lovelace', 'As in your browser', 'a•••@example.com']);
    test.service.customer.details = {
      ...test.service.customer.details,
      name: null,
      language: 'fr',
    };
    await open();
    expect(shown()).toEqual(['No name', 'Français', 'a•••@example.com']);
  });

  it('one save sends what differs, and nothing where nothing does', async () => {
    await open();
    await save({});
    expect([sent(), news(), isOpen()]).toEqual([[], null, false]);
    await save({ name: 'Ada King' });
    expect([sent(), news(), isOpen()]).toEqual([
      ['PATCH /details'],
      'Your details were saved.',
      false,
    ]);
    expect(shown()?.[0]).toBe('Ada King');
    await save({ email: 'ada@new.example' });
    expect(sent().slice(1)).toEqual(['POST /address']);
    expect(news()).toContain('A mail is on its way to the new address.');
    expect(test.customer.details.known.value).toMatchObject({
      email: 'a•••@example.com',
      pendingEmail: { email: 'a•••@new.example' },
    });
    await save({ name: null, language: 'fr', email: 'ada@other.example' });
    expect(sent().slice(2)).toEqual(['PATCH /details', 'POST /address']);
  });

  it('a save leaves what another tab has changed meanwhile', async () => {
    await open();
    test.service.customer.details = { ...test.service.customer.details, name: 'Ada King' };
    await save({ language: 'fr' });
    expect(shown()?.slice(0, 2)).toEqual(['Ada King', 'Français']);
  });

  it('the chosen language is that of the page, before the browser’s, and after a reload', async () => {
    await open();
    const wanted = () => wantedLanguages(test.customer.page.value)[0];
    expect(wanted()).toBe(navigator.languages[0]);
    await save({ language: 'fr' });
    expect(wanted()).toBe('fr');
    await test.open(null);
    expect(wanted()).toBe('fr');
    expect(test.service.received.at(-1)?.headers['x-customer-page-token']).toBe(pageToken);
    await save({ language: null });
    expect(wanted()).toBe(navigator.languages[0]);
  });

  it('what is no address, and too many wishes, are told beside the field; the rest is saved', async () => {
    await open();
    await save({ email: 'ada' });
    expect([sent(), trouble(), isOpen()]).toEqual([
      [],
      { beside: 'This is no email address.' },
      true,
    ]);
    test.service.customer.asking = () => refusal('rate_limited');
    await save({ name: 'Ada King', email: 'ada@new.example' });
    expect(trouble()).toEqual({
      beside: 'This was asked for too often. Try again in an hour.',
    });
    expect([shown()?.[0], news(), isOpen()]).toEqual(['Ada King', null, true]);
    test.customer.details.edit(false);
    expect([trouble(), isOpen()]).toEqual([null, false]);
  });

  it('customer_page_limited: nothing was saved, and no mail is asked for', async () => {
    await open();
    test.service.customer.saving = () => refusal('customer_page_limited');
    await save({ name: 'Eve', email: 'eve@new.example' });
    expect(trouble()).toMatchObject({ title: 'Your details were not saved' });
    expect(sent()).toEqual(['PATCH /details']);
    expect(shown()?.[0]).toBe('Ada Lovelace');
  });

  it('no answer: not said to be refused', async () => {
    await open();
    test.service.customer.saving = () => 'break off';
    await save({ name: 'Ada King' });
    expect(trouble()).toMatchObject({ title: null });
  });

  it('an address that waits is dropped at a press', async () => {
    await open();
    await save({ email: 'ada@new.example' });
    void test.customer.details.drop();
    await test.settle();
    expect(sent().at(-1)).toBe('DELETE /address');
    expect(test.customer.details.known.value?.pendingEmail).toBeNull();
    expect(news()).toBe('The new address was dropped.');
  });

  it('what cannot be read leaves the cards, and is read again at a press', async () => {
    test.service.customer.reading = () => refusal('internal_error');
    await open();
    expect(test.names()).toEqual(['Visa ending in 4242']);
    expect(trouble()).toMatchObject({ title: 'Your details could not be loaded' });
    test.service.customer.reading = null;
    await test.customer.details.load();
    expect([shown()?.[0], trouble()]).toEqual(['Ada Lovelace', null]);
  });

  it('a page that is over says so; by a link that does not open them nothing is asked for', async () => {
    await open();
    test.service.customer.saving = () => refusal('customer_page_not_found');
    await save({ name: 'Ada King' });
    expect(test.customer.view.value).toBe('expired');
    const before = test.service.calls(/details$/).length;
    test.service.customer.may = { ...test.service.customer.may, seeDetails: false };
    await open();
    expect([shown(), test.service.calls(/details$/).length]).toEqual([null, before]);
  });

  it.each(buyerLanguages)('%s: every text is written, with what it names', async (code) => {
    const { own } = await customerLanguageFor({ language: code, timeZone: 'Europe/Berlin' });
    expect(own.pending('a•••@b.example')).toContain('a•••@b.example');
    expect(own.newEmailHint('a•••@b.example')).toContain('a•••@b.example');
    const said = own.confirmedText('Bean Shop', 'a•••@b.example');
    for (const part of ['Bean Shop', 'a•••@b.example']) expect(said).toContain(part);
  });
});

describe('a link that confirms another address', () => {
  const view = () => test.customer.view.value;
  const confirms = () => test.service.calls(/confirm-address$/);
  const press = async () => {
    void test.customer.confirmAddress();
    await test.settle();
  };
  const said = () => {
    const value = view();
    if (value === 'loading' || value === 'cards') return [];
    return [headlineOf(value, test.own), endText(value, test.customer, test.own)];
  };

  it('sends nothing before the press, and leaves the address', async () => {
    await test.open('address.secret');
    expect(view()).toBe('confirm');
    expect(test.service.received.filter(({ url }) => url.includes('/v1/'))).toEqual([]);
    expect(location.hash).toBe('');
    await press();
    expect(view()).toBe('confirmed');
    expect(confirms().map(({ body }) => body)).toEqual([{ link: 'secret' }]);
    expect(said()).toEqual([
      'Your address was changed',
      'Bean Shop now mails to n•••@new.example.',
    ]);
  });

  it('customer_page_address_over: says so', async () => {
    await test.open('address.secret');
    test.service.customer.confirming = () => refusal('customer_page_address_over');
    await press();
    expect(said()).toEqual([
      'This link has expired',
      expect.stringContaining('only the newest one'),
    ]);
  });

  it('an unanswered press says so, and is repeated', async () => {
    await test.open('address.secret');
    test.service.customer.confirming = () => 'break off';
    await press();
    expect(view()).toBe('confirm');
    expect(confirmingText(test.customer, test.own)).toContain('not known yet');
    test.service.customer.confirming = null;
    await press();
    expect(view()).toBe('confirmed');
  });
});
