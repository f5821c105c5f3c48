// CardSetup in a merchant's page under a strict policy: the frame, the keyboard, what is stored and who is asked.
// What it sends and tells: card-setup.test.ts and setup-form.test.ts, without a browser.

import { describe, expect, it } from 'vitest';
import { cardSetupFixture, methodId } from '../../test-fixture.ts';

const fixture = cardSetupFixture();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };

describe('CardSetup in a page', () => {
  it('saves a card; stores nothing, sets no cookie, and asks nobody but the service and the form', async () => {
    const page = await fixture.visit();
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await fixture.ready({ locale: 'de-AT' });
    await expect
      .poll(() => page.locator('#card iframe').getAttribute('title'))
      .toBe('Kartennummer, Ablaufdatum und Prüfnummer');
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toEqual(success);
    expect(await fixture.heardOf('success')).toEqual([['success', success]]);
    expect(fixture.handedOver()).toEqual([{ token: 'svct_1' }]);
    await expect.poll(() => fixture.number().inputValue()).toBe('');
    expect([...origins].sort()).toEqual([fixture.api, fixture.forms, fixture.shop].sort());
    expect(await fixture.context.cookies()).toEqual([]);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0]);
  });

  it('an incomplete field has the focus; change, focus, blur and escape are passed on; Enter submits the page’s form', async () => {
    await fixture.visit();
    await fixture.page.evaluate(`(() => {
      const form = document.createElement('form');
      form.addEventListener('submit', (event) => { event.preventDefault(); heard.push(['form']); });
      document.querySelector('#other').append(form);
      form.append(document.querySelector('#card'));
    })()`);
    await fixture.ready();
    await fixture.submit();
    expect(await fixture.result()).toMatchObject({ error: { code: 'number_incomplete' } });
    expect(await fixture.number().evaluate((field) => field === document.activeElement)).toBe(true);
    await fixture.page.evaluate('heard.length = 0; setup.focus("cvc")');
    // Firefox takes the focus from a window and returns it while it opens others, and each change
    // is an event.
    const readFocusedFields = async () =>
      new Set((await fixture.heardOf('focus')).map(([, field]) => field));
    await expect.poll(readFocusedFields).toEqual(new Set(['cvc']));
    await fixture.page.keyboard.press('Escape');
    await fixture.number().fill('4');
    await expect.poll(() => fixture.heardOf('escape')).toEqual([['escape']]);
    await expect.poll(() => fixture.heardOf('blur')).toContainEqual(['blur', 'cvc']);
    await expect.poll(async () => (await fixture.heardOf('change')).length).toBe(1);
    await fixture.number().press('Enter');
    await expect.poll(() => fixture.heardOf('form')).toHaveLength(1);
    await fixture.page.evaluate('setup.clear()');
    await expect.poll(() => fixture.number().inputValue()).toBe('');
    expect(fixture.handedOver()).toEqual([]);
  });
});
