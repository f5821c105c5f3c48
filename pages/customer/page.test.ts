// What only a browser shows of the customer's page: its address and storage, the keyboard, the form and the
// bank's dialog. States and words: the tests beside this one, without a browser.

import { describe, expect, it } from 'vitest';
import { aPagePayment, aPageSubscription, pageLink } from '../test/customer-stub.ts';
import { pageTest } from '../test/page-test.ts';
import { attempt, clientId, savedCard, sessionId } from '../test/stub-answers.ts';

const test = pageTest();

const visa = savedCard('4242');
const master = savedCard('4444', { brand: 'mastercard' });
const setCards = (...cards: (typeof visa)[]) => {
  test.wire.customer.cards = cards;
  test.wire.customer.defaultId = cards[0]?.id ?? null;
  test.wire.session = { checkoutMode: 'setup', products: [], totals: null, currency: null };
};
const button = (name: string) => test.page.getByRole('button', { name, exact: true });
const names = () => test.page.locator('.card .choice-name .unseen').allTextContents();
const news = () => test.page.getByRole('status').filter({ hasText: /./ });
const removals = () => test.wire.received.filter(({ method }) => method === 'DELETE');

describe('the customer’s page', () => {
  it('strips the link from address and history, and keeps nothing beyond the tab', async () => {
    setCards(visa);
    const page = await test.visitCards();
    await page.getByText('at Bean Shop · For a•••@example.com').waitFor();
    expect(page.url()).toBe(`${test.wire.pageOrigin}/m/${clientId}`);
    expect(await page.evaluate('history.length')).toBeLessThanOrEqual(2);
    expect(await page.title()).toBe('Your saved cards · Bean Shop');
    const back = page.getByRole('link', { name: 'Back to Bean Shop' });
    expect(await back.getAttribute('href')).toBe('https://shop.example/account');
    // No host is named to a customer.
    expect(await page.locator('main').textContent()).not.toContain('shop.example');
    await page.reload();
    await expect.poll(names).toEqual(['Visa ending in 4242']);
    expect(await test.context.cookies()).toEqual([]);
    expect(await page.evaluate('({ ...localStorage })')).toEqual({});
    expect(JSON.stringify(await page.evaluate('({ ...sessionStorage })'))).not.toContain(pageLink);
    // Another link in the same tab changes only the fragment.
    await page.goto(`${test.wire.pageOrigin}/m/${clientId}#another`);
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  });

  it('by keyboard alone: asks, gives the focus back at Escape, and goes to the news', async () => {
    setCards(visa, master);
    const page = await test.visitCards();
    const remove = button('Remove: Visa ending in 4242');
    await remove.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Remove Visa ending in 4242?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await remove.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await button('Keep card').click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await remove.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(removals()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await news().getByText('Visa ending in 4242 was removed.').waitFor();
    expect(await news().evaluate((line) => line === document.activeElement)).toBe(true);
    expect(await names()).toEqual(['Mastercard ending in 4444']);
  });

  it('asks again where Remove is pressed at once after Escape, before any event of the dialog', async () => {
    setCards(visa, master);
    const page = await test.visitCards();
    const remove = button('Remove: Visa ending in 4242');
    await remove.click();
    const dialog = page.getByRole('dialog', { name: 'Remove Visa ending in 4242?' });
    await dialog.waitFor();
    const again = await remove.elementHandle();
    // The page is drawn in microtasks, before the `close` event, which is a task.
    await dialog.evaluate((one, button) => {
      const watch = new MutationObserver(async () => {
        watch.disconnect();
        for (let turn = 0; turn < 10; turn++) await null;
        (button as HTMLElement).click();
      });
      watch.observe(one, { attributeFilter: ['open'] });
    }, again);
    await page.keyboard.press('Escape');
    await dialog.waitFor();
    await page.waitForFunction('document.querySelector("dialog")?.open === true');
    await button('Keep card').click();
    expect(removals()).toEqual([]);
  });

  it('asks again where Remove is pressed before the event of the closed dialog', async () => {
    setCards(visa, master);
    const page = await test.visitCards();
    await button('Remove: Visa ending in 4242').click();
    const remove = await button('Remove: Visa ending in 4242').elementHandle();
    await button('Keep card').evaluate(async (keep, again) => {
      keep.click();
      // The page is drawn in microtasks, before the event, which is a task.
      for (let turn = 0; turn < 10; turn++) await null;
      (again as HTMLElement).click();
    }, remove);
    await page.getByRole('dialog', { name: 'Remove Visa ending in 4242?' }).waitFor();
  });

  it('replaces a card: the form, the bank in its dialog, and then the old one goes', async () => {
    setCards(visa);
    const challenge = { kind: 'redirect', url: `${test.wire.bankOrigin}/question` };
    const { customer } = test.wire;
    test.wire.setups = [
      () => {
        const asked = attempt('REQUIRES_ACTION');
        test.wire.standings = [{ status: 'requires_action', attempt: asked }];
        const body = { type: '3ds_required', sessionId, paymentMethodId: null, challenge };
        return { status: 200, body };
      },
      () => {
        customer.cards = [master, ...customer.cards];
        const saved = { type: 'success', sessionId, paymentMethodId: master.id, redirectUrl: null };
        return { status: 200, body: saved };
      },
    ];
    const page = await test.visitCards();
    await button('Replace: Visa ending in 4242').click();
    await page.getByText('Once the new card is saved, Visa ending in 4242 is removed.').waitFor();
    await page.getByText('Will be saved for a•••@example.com').waitFor();
    await test.number().fill('5555555555554444');
    await button('Save card').click();
    await page.frameLocator('dialog iframe').getByText('Approve').click();
    await news()
      .getByText('The new card was added, and Visa ending in 4242 was removed.')
      .waitFor();
    expect(await names()).toEqual(['Mastercard ending in 4444']);
    expect(await test.number().count()).toBe(0);
  });

  it('ends a subscription by keyboard, takes it back, and opens a receipt', async () => {
    setCards(visa);
    const { customer } = test.wire;
    customer.subscriptions = [aPageSubscription()];
    customer.payments = [aPagePayment(1)];
    customer.receipt = () => ({ status: 200, body: { url: `${test.wire.bankOrigin}/question` } });
    const page = await test.visitCards();
    await page.getByRole('heading', { name: 'Your purchases and cards' }).waitFor();
    const end = button('Cancel subscription: Coffee club');
    await end.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Cancel Coffee club?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await end.evaluate((one) => one === document.activeElement)).toBe(true);
    await end.click();
    await button('Cancel subscription').click();
    await news().getByText('Coffee club ends on May 5, 2040.').waitFor();
    expect(await news().evaluate((line) => line === document.activeElement)).toBe(true);
    await button('Continue subscription: Coffee club').click();
    await news().getByText('Coffee club continues.').waitFor();
    await button('Receipt: Coffee club, January 5, 2026').click();
    await page.waitForURL(`${test.wire.bankOrigin}/question`);
  });

  it('changes the details in a dialog: a mistake has the focus and its reason, the news follows, in the chosen language', async () => {
    setCards(visa);
    const page = await test.visitCards();
    const change = button('Change: Your details');
    await change.click();
    const dialog = page.getByRole('dialog', { name: 'Your details' });
    const address = dialog.getByLabel('New email address');
    await address.fill('ada');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('This is no email address.').waitFor();
    expect(await address.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await address.getAttribute('aria-invalid')).toBe('true');
    const described = ((await address.getAttribute('aria-describedby')) ?? '').split(' ');
    const reasons = await Promise.all(
      described.map((id) => page.locator(`[id="${id}"]`).textContent()),
    );
    expect(reasons).toEqual([
      'This is no email address.',
      'At present a•••@example.com. Leave the field empty to keep it.',
    ]);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await change.evaluate((one) => one === document.activeElement)).toBe(true);
    await change.click();
    await dialog.getByLabel('Name').fill('Ada King');
    await dialog.getByLabel('Language').selectOption('Français');
    await dialog.getByLabel('New email address').fill('ada@new.example');
    await button('Save').click();
    await news().getByText('Un e-mail est en route vers la nouvelle adresse.').waitFor();
    expect(await news().evaluate((line) => line === document.activeElement)).toBe(true);
    expect(await page.getAttribute('html', 'lang')).toBe('fr');
    await page.getByText('e-mail envoyé à a•••@new.example').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Vos informations' }).waitFor();
  });

  it('a mailed link that confirms an address changes nothing before the press', async () => {
    const page = await test.visitCards();
    await page.goto(`${test.wire.pageOrigin}/m/${clientId}#address.secret`);
    const heading = (name: string) => page.getByRole('heading', { name });
    await heading('Confirm your new address').waitFor();
    const confirms = () => test.wire.received.filter(({ url }) => url.endsWith('/confirm-address'));
    expect([confirms(), new URL(page.url()).hash]).toEqual([[], '']);
    await button('Confirm address').click();
    await heading('Your address was changed').waitFor();
    expect(await heading('Your address').evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
    expect(confirms()).toHaveLength(1);
  });
});
