// A card form whose page is copied around it, or that is moved in its page: there is one form, and
// a submit ends at once.

import { scaled } from '@svc/tools/machine';
import { describe, expect, it } from 'vitest';
import { cardSetupFixture, methodId } from '../../test-fixture.ts';

const fixture = cardSetupFixture();
const frames = () => fixture.page.locator('#card iframe, svc-card-setup iframe').count();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };

describe('a copied page', () => {
  it('innerHTML put back, as from a snapshot: mounted again there is one form, and it works', async () => {
    // The copied frame has a style attribute, which the strict policy forbids.
    fixture.policy = { 'style-src': "'self' 'unsafe-inline'" };
    await fixture.visit();
    await fixture.ready();
    await fixture.page.evaluate(`(() => {
      const main = document.querySelector('main'), html = main.innerHTML;
      main.replaceChildren();
      const policy = trustedTypes.createPolicy('copy', { createHTML: (text) => text });
      main.innerHTML = policy.createHTML(html);
      document.querySelector('#save').addEventListener('click', () => submit());
    })()`);
    await fixture.page.evaluate('heard.length = 0');
    await fixture.ready();
    expect(await frames()).toBe(1);
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toEqual(success);
  });

  it('no dead form stays where the session of the new one is over', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.page.evaluate(`(() => {
      const card = document.querySelector('#card'); card.replaceWith(card.cloneNode(true)); })()`);
    fixture.session = { status: 'expired' };
    await fixture.mount();
    await expect
      .poll(() => fixture.heardOf('loaderror'))
      .toEqual([['loaderror', 'session_expired']]);
    expect(await frames()).toBe(0);
  });

  it('a form that a mount owns stays, beside another in a container around it', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.number().fill('4242');
    const vault = {
      formUrl: `${fixture.forms}/form/1`,
      formOrigin: fixture.forms,
      mountToken: 'x',
    };
    await fixture.page.evaluate(
      `svc.mountCardFrame(document.querySelector('main'), ${JSON.stringify(vault)})`,
    );
    await fixture.page.locator('main > iframe').waitFor();
    expect(await fixture.number().inputValue()).toBe('4242');
  });
});

describe('a form that is moved in its page', () => {
  const identity = () => ({
    formUrl: `${fixture.forms}/form/1?${fixture.form}`,
    formOrigin: fixture.forms,
    mountToken: 'x',
  });
  const showPage = async () => {
    await fixture.visit();
    await fixture.page.evaluate(`showWith(${JSON.stringify(identity())})`);
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
  };
  /** Submits and changes the page; a submit without a response would end after 30 s. */
  const expectMoved = async (change: string) => {
    await fixture.page.evaluate(`(() => {
      const keep = (said) => { globalThis.said = said; };
      form.submit().then(() => keep('a token'), ({ code, retryable }) => keep([code, retryable]));
      const card = document.querySelector('#card');
      ${change};
    })()`);
    const readSaid = () => fixture.page.evaluate('globalThis.said');
    await expect.poll(readSaid, { timeout: scaled(3000) }).toEqual(['form_moved', false]);
  };

  it.each([
    ['moved', `document.querySelector('#other').append(card)`],
    ['taken out', 'card.remove()'],
    ['its frame loads again', 'form.element.src = form.element.src'],
  ])('%s during a submit: form_moved at once', async (_, change) => {
    fixture.form = 'mute';
    await showPage();
    await expectMoved(change);
  });

  it('a submit of a form that was taken out before: form_moved at once', async () => {
    await showPage();
    await fixture.page.evaluate('document.querySelector("#card").remove()');
    await expectMoved('');
  });

  it('within a shadow root as well', async () => {
    fixture.form = 'mute';
    await fixture.visit();
    await fixture.page.evaluate(`(() => {
      const root = document.querySelector('#other').attachShadow({ mode: 'open' });
      const inner = document.createElement('div'), aside = document.createElement('div');
      root.append(inner, aside);
      globalThis.aside = aside;
      globalThis.form = svc.mountCardFrame(inner, { ...${JSON.stringify(identity())}, ...callbacks });
    })()`);
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    await expectMoved('aside.append(form.element.parentElement)');
  });

  it('CardSetup tells it as its error, and the form takes the card again', async () => {
    fixture.form = 'mute';
    await fixture.visitAndSubmit();
    // The submit is asked of the form only once the texts are there. What is moved before is no submit.
    await fixture.page
      .frameLocator('#card iframe')
      .locator('body[data-submitted]')
      .waitFor({ state: 'attached' });
    fixture.form = '';
    await fixture.page.evaluate(
      'document.querySelector("#other").append(document.querySelector("#card"))',
    );
    const error = { code: 'form_moved', retryable: false };
    expect(await fixture.result()).toMatchObject({ type: 'error', error });
    expect(await fixture.heardOf('error')).toMatchObject([['error', error]]);
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(2);
    // The typed text is lost, and the page is notified.
    expect((await fixture.heardOf('change')).at(-1)?.[1]).toMatchObject({ empty: true });
  });

  it('disabled and new looks hold in the form that loads again', async () => {
    await showPage();
    await fixture.page.evaluate('form.disable(true)');
    await expect.poll(() => fixture.number().isDisabled()).toBe(true);
    await fixture.page.evaluate(`(() => {
      document.querySelector('#other').append(document.querySelector('#card'));
      form.update({ locale: 'fr' });
    })()`);
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(2);
    await expect.poll(() => fixture.number().isDisabled()).toBe(true);
    const language = () =>
      fixture.number().evaluate((field) => field.ownerDocument.documentElement.lang);
    expect(await language()).toBe('fr');
    await fixture.page.evaluate('form.disable(false)');
    await expect.poll(() => fixture.number().isDisabled()).toBe(false);
  });
});

describe('a wrong field that the frame may not focus, as in WebKit', () => {
  it('the page gives the frame the focus, and the field has it', async () => {
    fixture.form = 'unfocused';
    await fixture.visit();
    await fixture.ready();
    await fixture.page.locator('#save').focus();
    await fixture.submit();
    expect(await fixture.result()).toMatchObject({ error: { code: 'number_incomplete' } });
    expect(await fixture.page.evaluate('document.activeElement.localName')).toBe('iframe');
    await expect
      .poll(() => fixture.number().evaluate((field) => field === document.activeElement))
      .toBe(true);
  });
});
