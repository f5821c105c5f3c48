// The bank's dialog over a modal of the merchant: the dialog stands inside the card form's
// container, so that the modal does not take a click in it for a click outside. The listeners are
// those of widespread libraries.

import { describe, expect, it } from 'vitest';
import {
  cardSetupFixture,
  challengeState,
  nonce,
  savedCardAnswer,
  sessionId,
  verifiedState,
} from '../../test-fixture.ts';

const fixture = cardSetupFixture();
const button = (name: string) => fixture.page.getByRole('button', { name, exact: true });
const bankIsThere = () => fixture.question().getByRole('heading', { name: 'Your bank' }).waitFor();

/** Turns the form's place into a modal, `box`; `script` may call `close()`. */
async function openModal(script: string, element = 'div'): Promise<void> {
  fixture.setups = [fixture.challenge(), savedCardAnswer];
  await fixture.visit();
  await fixture.page.evaluate(`(() => {
    const box = document.createElement('${element}');
    document.querySelector('main').append(box);
    box.append(document.querySelector('#card'), document.querySelector('#save'));
    const close = () => { heard.push(['modal closed']); setup.destroy(); box.remove(); };
    ${script}
  })()`);
  await fixture.ready();
  fixture.standings = [{ status: 'open' }, challengeState];
  await fixture.fillAndSubmit();
  await bankIsThere();
}

const listClosed = () => fixture.heardOf('modal closed');

/**
 * Uses the whole dialog: Cancel and Escape ask, Go on continues, the bank gets an answer, and the
 * modal stays open.
 */
async function useDialog(): Promise<void> {
  const question = fixture.dialog().getByText('Stop the confirmation?');
  await button('Cancel').click();
  await question.waitFor();
  await button('Go on').click();
  await question.waitFor({ state: 'hidden' });
  await fixture.page.keyboard.press('Escape');
  await question.waitFor();
  expect(fixture.declines()).toEqual([]);
  await button('Go on').press('Enter');
  await question.waitFor({ state: 'hidden' });
  await fixture.dialog().getByRole('heading').click();
  // Clicks the darkened page beside the dialog.
  await fixture.page.mouse.click(5, 5);
  await bankIsThere();
  await fixture.question().getByRole('link', { name: 'Approve' }).click();
  expect(await fixture.result()).toMatchObject({ type: 'success', challenge: 'succeeded' });
  expect(await listClosed()).toEqual([]);
  expect(await fixture.dialog().count()).toBe(0);
}

describe('a merchant’s modal under the bank’s dialog', () => {
  it('closing on a press outside, on Escape and on any key at the modal: it stays open', async () => {
    // As in Radix, Headless UI, MUI and Bootstrap.
    await openModal(`
      const byPress = (e) => { if (!box.contains(e.target)) close(); };
      const byEscape = (e) => { if (e.key === 'Escape') close(); };
      document.addEventListener('pointerdown', byPress);
      for (const type of ['mousedown', 'click', 'touchstart'])
        document.addEventListener(type, byPress, true);
      document.addEventListener('keydown', (e) => { if (!e.defaultPrevented) byEscape(e); }, true);
      for (const type of ['keydown', 'keyup']) box.addEventListener(type, byEscape);
      for (const type of ['keydown', 'keypress', 'click', 'pointerdown', 'focusout'])
        box.addEventListener(type, (e) => { if (!e.target.matches('#save, iframe')) close(); });`);
    await useDialog();
  });

  it('swallowing clicks and focus outside (focus-trap): every button works', async () => {
    await openModal(`
      document.addEventListener('click', (e) => {
        if (!box.contains(e.target)) { e.preventDefault(); e.stopImmediatePropagation(); } }, true);
      document.addEventListener('focusin', (e) => {
        if (!box.contains(e.target)) { e.stopImmediatePropagation();
          document.querySelector('#save').focus(); } }, true);`);
    await useDialog();
  });

  it('a popover: showing the dialog does not dismiss it', async () => {
    await openModal(`box.popover = 'auto'; box.showPopover();
      box.addEventListener('toggle', (e) => e.newState === 'closed' && close());`);
    await useDialog();
  });

  it('a <dialog>: it stays open', async () => {
    await openModal(
      `box.setAttribute('aria-label', 'Card'); box.showModal();
      for (const type of ['cancel', 'close']) box.addEventListener(type, close);`,
      'dialog',
    );
    const open = fixture.page.locator('dialog[aria-labelledby=title]');
    await open.getByRole('button', { name: 'Cancel' }).click();
    await open.getByText('Stop the confirmation?').waitFor();
    await fixture.page.keyboard.press('Escape');
    await fixture.page.keyboard.press('Escape');
    fixture.standings = [verifiedState];
    expect(await fixture.result()).toMatchObject({ type: 'success' });
    expect(await listClosed()).toEqual([]);
  });
});

describe('where the dialog stands', () => {
  const readDialogPlace = () =>
    fixture.dialog().evaluate((dialog) => {
      const root = dialog.getRootNode() as ShadowRoot;
      return root.host.parentElement?.id || root.host.parentElement?.localName;
    });

  it('of a payment: where the card form is mounted, or where the page says', async () => {
    const body = {
      sessionId,
      tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_1' },
      accountData: { userId: '01990000-0000-7000-8000-0000000000aa', email: 'ada@example.com' },
    };
    const identity = { baseUrl: fixture.api, sessionId, nonce };
    const vault = {
      formUrl: `${fixture.forms}/form/1`,
      formOrigin: fixture.forms,
      mountToken: 'x',
    };
    await fixture.visit();
    await fixture.page.evaluate(`show(${JSON.stringify(vault)})`);
    const places = [
      ['{}', 'card'],
      ["{ container: document.querySelector('#other') }", 'other'],
    ];
    for (const [round, [options, expected]] of places.entries()) {
      fixture.setups = [fixture.challenge()];
      fixture.standings = [{ status: 'open' }, challengeState];
      await fixture.page.evaluate(
        `void pay(${JSON.stringify(identity)}, ${JSON.stringify(body)}, ${options})`,
      );
      await bankIsThere();
      expect(await readDialogPlace()).toBe(expected);
      await fixture.page.evaluate('stop.abort()');
      await fixture.dialog().waitFor({ state: 'detached' });
      // The page tells the service that it gave up, which replaces the standings of the next round.
      await expect.poll(() => fixture.declines()).toHaveLength(round + 1);
    }
  });

  it('a container that is hidden while the card is sent: in the body, in sight', async () => {
    await openModal(`document.querySelector('#save').addEventListener('click', () => {
      document.querySelector('#card').hidden = true; });`);
    expect(await fixture.dialog().isVisible()).toBe(true);
    expect(await readDialogPlace()).toBe('body');
    await useDialog();
  });

  it('a container that goes over the bank’s question: the dialog stays in sight', async () => {
    await openModal('');
    expect(await readDialogPlace()).toBe('card');
    await fixture.page.evaluate(`document.querySelector('#card').remove()`);
    await expect.poll(readDialogPlace).toBe('body');
    await bankIsThere();
    expect(fixture.handedOver().filter(({ chv }) => chv)).toEqual([]);
    fixture.standings = [verifiedState];
    expect(await fixture.result()).toMatchObject({ type: 'success' });
  });
});
