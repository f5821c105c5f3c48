// How the customer's page is reached, by whom, and for how long.

import { describe, expect, it } from 'vitest';
import { pageLink, pageToken } from '../test/customer-stub.ts';
import { pageTest } from '../test/page-test.ts';
import { clientId, refusal, savedCard } from '../test/stub-answers.ts';

const test = pageTest();

const visa = savedCard('4242');
const master = savedCard('4444', { brand: 'mastercard' });
const setCards = (...cards: (typeof visa)[]) => {
  test.wire.customer.cards = cards;
  test.wire.customer.defaultId = cards[0]?.id ?? null;
};
const button = (name: string) => test.page.getByRole('button', { name, exact: true });
const row = (lastFour: string) => test.page.locator('.card', { hasText: lastFour });
const names = () => test.page.locator('.card .choice-name .unseen').allTextContents();

describe('arriving', () => {
  it('spends the link once, strips it from the address, and shows the cards, the default first', async () => {
    setCards(visa, master);
    test.wire.customer.defaultId = master.id;
    const page = await test.visitCards();
    await page.getByRole('heading', { name: 'Your saved cards' }).waitFor();
    expect(await names()).toEqual(['Mastercard ending in 4444', 'Visa ending in 4242']);
    expect(await row('4444').getByText('Default', { exact: true }).count()).toBe(1);
    await page.getByText('at Bean Shop · For a•••@example.com').waitFor();
    expect(page.url()).toBe(`${test.wire.pageOrigin}/m/${clientId}`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    expect(test.wire.calls(/\/open$/).map(({ body }) => body)).toEqual([{ link: pageLink }]);
    expect(await test.context.cookies()).toEqual([]);
    expect(await page.title()).toBe('Your saved cards · Bean Shop');
    const back = page.getByRole('link', { name: 'Back to Bean Shop' });
    expect(await back.getAttribute('href')).toBe('https://shop.example/account');
  });

  it('a reload shows the same page, and the link is not asked for again', async () => {
    setCards(visa);
    const page = await test.visitCards();
    await row('4242').waitFor();
    await page.reload();
    await row('4242').waitFor();
    expect(test.wire.calls(/\/open$/)).toHaveLength(1);
    expect(JSON.stringify(await page.evaluate('({ ...localStorage })'))).toBe('{}');
    const kept = JSON.stringify(await page.evaluate('({ ...sessionStorage })'));
    expect(kept).toContain(pageToken);
    expect(kept).not.toContain(pageLink);
  });

  it('a link that opens nothing, and an address without one, say how to get another', async () => {
    test.wire.customer.opening = () => refusal('customer_page_not_found');
    const page = await test.visitCards();
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await page.goto('about:blank');
    await page.goto(`${test.wire.pageOrigin}/m`);
    await page.getByText('Ask the shop for a new one.').waitFor();
    expect(test.wire.calls(/\/open$/)).toHaveLength(1);
  });

  it('another link in the same tab forgets what the first one opened, whatever becomes of it', async () => {
    setCards(visa);
    const page = await test.visitCards();
    await row('4242').waitFor();
    test.wire.customer.opening = () => 'break off';
    await page.goto(`${test.wire.pageOrigin}/m#another`);
    await page.getByRole('heading', { name: 'We cannot reach' }).waitFor();
    expect(await page.evaluate('({ ...sessionStorage })')).toEqual({});
    await page.reload();
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    expect(await page.locator('.card').count()).toBe(0);
  });

  it('out of reach: nothing is lost, and trying again goes on', async () => {
    setCards(visa);
    test.wire.customer.listing = () => 'break off';
    const page = await test.visitCards();
    await page.getByRole('heading', { name: 'We cannot reach' }).waitFor();
    test.wire.customer.listing = null;
    await button('Try again').click();
    await row('4242').waitFor();
    expect(test.wire.calls(/\/open$/)).toHaveLength(1);
  });

  it('no cards: says so, and offers to add one', async () => {
    setCards();
    const page = await test.visitCards();
    await page.getByRole('heading', { name: 'No card is saved' }).waitFor();
    await button('Add a card').waitFor();
  });

  it('marks what is over, what ends soon, and a wallet by its address', async () => {
    const now = new Date();
    const soon = { expiryMonth: now.getMonth() + 1, expiryYear: now.getFullYear() };
    const none = { brand: null, lastFour: null, expiryMonth: null, expiryYear: null };
    const wallet = savedCard('0001', { ...none, type: 'wallet', payerEmail: 'ada@pay.example' });
    setCards(savedCard('1111', { expiryYear: 2021 }), savedCard('2222', soon), wallet);
    const page = await test.visitCards();
    await row('1111').getByText('Expired 12/21').waitFor();
    await row('2222').getByText('Expires soon:').waitFor();
    await page.getByText('ada@pay.example').waitFor();
    // A wallet is approved by its owner at the wallet; a card form cannot replace it.
    expect(await button('Replace: ada@pay.example').count()).toBe(0);
  });

  it('the page’s time is over: says so, and keeps nothing', async () => {
    setCards(visa, master);
    const page = await test.visitCards();
    await row('4242').waitFor();
    test.wire.customer.choice = () => refusal('customer_page_not_found');
    await button('Make default: Mastercard ending in 4444').click();
    await page.getByRole('heading', { name: 'This page has expired' }).waitFor();
    expect(await page.evaluate('({ ...sessionStorage })')).toEqual({});
    expect(await page.locator('.card').count()).toBe(0);
  });
});
