// How the customer's page is reached, by whom, and for how long. Without a browser.

import { describe, expect, it } from 'vitest';
import { pageLink, pageToken } from '../test/customer-stub.ts';
import { customerTest } from '../test/customer-test.ts';
import { clientId, refusal, savedCard } from '../test/stub-answers.ts';
import { cardExpiry, findingText, headlineOf, mailingText, windowTitle } from './words.ts';

const test = customerTest();
const visa = savedCard('4242');
const master = savedCard('4444', { brand: 'mastercard' });
const opened = () => test.service.calls(/\/open$/).map(({ body }) => body);
const kept = () => sessionStorage.getItem('svc:customer-page');
const headline = () => headlineOf(test.customer.view.value, test.own);

describe('arriving', () => {
  it('opens the link, strips it from the address, and shows the cards, the default first', async () => {
    test.setCards(visa, master);
    test.service.customer.defaultId = master.id;
    await test.open();
    expect(test.names()).toEqual(['Mastercard ending in 4444', 'Visa ending in 4242']);
    expect(test.customer.defaultId.value).toBe(master.id);
    expect(windowTitle(test.customer, test.own)).toBe('Your saved cards · Bean Shop');
    expect(location.hash).toBe('');
    expect(opened()).toEqual([{ link: pageLink }]);
  });

  it('a reload shows the same page, and the link is not asked for again', async () => {
    test.setCards(visa);
    await test.open();
    await test.open(null);
    expect(test.names()).toEqual(['Visa ending in 4242']);
    expect(opened()).toHaveLength(1);
    expect(kept()).toContain(pageToken);
    expect(kept()).not.toContain(pageLink);
  });

  it('a link that opens nothing says how to get another; an address without one offers to mail it', async () => {
    test.service.customer.opening = () => refusal('customer_page_not_found');
    await test.open();
    expect(headline()).toBe('This link does not work');
    await test.open(null);
    expect(headline()).toBe('Your purchases');
    expect(test.own.own.goneText).toContain('ask the shop for a new one.');
    expect(opened()).toHaveLength(1);
  });

  it('a link that is over names its own term; a press mails another, and a load mails nothing', async () => {
    const mailed = () => test.service.calls(/\/mail-link$/).map(({ body }) => body);
    const { customer } = test.service;
    customer.opening = () => refusal('customer_page_link_expired');
    await test.open();
    expect([test.customer.view.value, headline()]).toEqual(['linkOver', 'This link has expired']);
    expect(test.own.own.linkOverText).toContain('ten minutes');
    customer.opening = () => refusal('customer_page_mail_expired');
    await test.open();
    expect([test.customer.view.value, headline()]).toEqual(['mailOver', 'This link has expired']);
    expect(test.own.own.mailOverText).toContain('seven days');
    expect([mailed(), mailingText(test.customer, test.own)]).toEqual([[], null]);
    customer.mailing = () => refusal('rate_limited');
    await test.customer.mailLink();
    expect(mailingText(test.customer, test.own)).toContain('Too many tries');
    customer.mailing = null;
    void test.customer.mailLink();
    void test.customer.mailLink();
    await test.settle();
    expect(mailed()).toEqual([{ link: pageLink }, { link: pageLink }]);
    expect(mailingText(test.customer, test.own)).toBe('A new link is on its way to you.');
  });

  it('another link in the same tab forgets what the first one opened, whatever becomes of it', async () => {
    test.setCards(visa);
    await test.open();
    test.service.customer.opening = () => 'break off';
    await test.open('another');
    expect(headline()).toBe('We cannot reach the payment service');
    expect(kept()).toBeNull();
    await test.open(null);
    expect(headline()).toBe('Your purchases');
    expect(test.names()).toEqual([]);
  });

  it('out of reach: nothing is lost, and trying again goes on', async () => {
    test.setCards(visa);
    test.service.customer.listing = () => 'break off';
    await test.open();
    expect(headline()).toBe('We cannot reach the payment service');
    test.service.customer.listing = null;
    await test.customer.load();
    expect(test.names()).toEqual(['Visa ending in 4242']);
    expect(opened()).toHaveLength(1);
  });

  it('marks what is over, what ends soon, and a wallet by its address', async () => {
    const now = new Date();
    const soon = { expiryMonth: now.getMonth() + 1, expiryYear: now.getFullYear() };
    const none = { brand: null, lastFour: null, expiryMonth: null, expiryYear: null };
    const wallet = savedCard('0001', { ...none, type: 'wallet', payerEmail: 'ada@pay.example' });
    const [old, ending] = [savedCard('1111', { expiryYear: 2021 }), savedCard('2222', soon)];
    test.setCards(old, ending, wallet);
    await test.open();
    expect(cardExpiry(old, test.own)).toEqual({ text: 'Expired 12/21', tone: 'bad' });
    expect(cardExpiry(ending, test.own)?.text).toMatch(/^Expires soon: /);
    expect(cardExpiry(wallet, test.own)).toBeNull();
    expect(test.names()).toContain('ada@pay.example');
    expect(test.actions(wallet)).toEqual(['Make default', 'Remove']);
  });

  it('the page’s time is over: says so, and keeps nothing', async () => {
    test.setCards(visa, master);
    await test.open();
    test.service.customer.choice = () => refusal('customer_page_not_found');
    await test.makeDefault(master);
    expect(headline()).toBe('This page has expired');
    expect(kept()).toBeNull();
  });

  it('the page’s time is over while it is looked at: asked of the service, and said', async () => {
    test.setCards(visa);
    await test.open();
    test.service.customer.listing = () => refusal('customer_page_not_found');
    await test.pass(30 * 60);
    expect(headline()).toBe('Your saved cards');
    await test.pass(2);
    expect(headline()).toBe('This page has expired');
  });
});

describe('without a link', () => {
  const asked = () => test.service.calls(/request-link$/).map(({ body }) => body);

  it('a press mails links to the typed address, and says the same of each; a load mails nothing', async () => {
    await test.open(null);
    expect([asked(), findingText(test.customer, test.own)]).toEqual([[], null]);
    await test.customer.find('ada@example.com');
    expect(asked()).toEqual([{ clientId, email: 'ada@example.com' }]);
    expect(findingText(test.customer, test.own)).toMatch(/^If something was bought with/);
    test.service.customer.mailing = () => refusal('rate_limited');
    await test.customer.find('bea@example.com');
    expect(findingText(test.customer, test.own)).toContain('Too many tries.');
  });
});
