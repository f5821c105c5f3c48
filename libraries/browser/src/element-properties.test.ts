// <svc-card-setup> as frameworks use it: with properties set one after another, before and after it
// is connected.

import { describe, expect, it } from 'vitest';
import { cardSetupFixture, methodId, nonce, refusal, sessionId } from '../test-fixture.ts';

const fixture = cardSetupFixture();
const frames = () => fixture.page.locator('iframe').count();

describe('<svc-card-setup> set by properties', () => {
  const element = 'document.querySelector("svc-card-setup")';
  const append = (given: object) =>
    fixture.page.evaluate(
      `(() => {
        svc.defineCardSetup();
        const element = document.createElement('svc-card-setup');
        for (const name of ['ready', 'loaderror']) element.addEventListener(name, () => heard.push([name]));
        document.querySelector('#other').append(Object.assign(element, ${JSON.stringify(given)}));
      })()`,
    );
  const allProperties = () => ({ baseUrl: fixture.api, sessionId, nonce });

  it('all of them before it is connected', async () => {
    await fixture.visit();
    await append({ ...allProperties(), locale: 'it', options: { brands: ['visa'] } });
    await fixture.number().waitFor();
    const readCallbacks = () =>
      fixture
        .number()
        .evaluate((field) => JSON.parse(field.ownerDocument.body.dataset.options ?? '{}'));
    await expect.poll(readCallbacks).toMatchObject({ locale: 'it', brands: ['visa'] });
    const read = ({ baseUrl, sessionId: id, nonce: secret, locale }: Record<string, string>) => [
      baseUrl,
      id,
      secret,
      locale,
    ];
    const shown = await fixture.page.evaluate(`(${read})(${element})`);
    expect(shown).toEqual([fixture.api, sessionId, nonce, 'it']);
  });

  it('any of them after it is connected, in a later task: the form comes', async () => {
    await fixture.visit();
    const names = ['baseUrl', 'sessionId', 'nonce'] as const;
    for (const [before, late] of names.entries()) {
      await append({ ...allProperties(), [late]: undefined });
      await fixture.settled();
      expect(await frames()).toBe(0);
      await fixture.page.evaluate(`${element}.${late} = ${JSON.stringify(allProperties()[late])}`);
      await expect.poll(() => fixture.heardOf('ready')).toHaveLength(before + 1);
      await fixture.page.evaluate(`${element}.remove()`);
    }
  });

  it('another session, its nonce in a later task: the form of that session comes', async () => {
    await fixture.visit();
    await append(allProperties());
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    fixture.sessions = [refusal('checkout_session_not_found')];
    await fixture.page.evaluate(`${element}.setAttribute('session-id', '${methodId}')`);
    await expect.poll(() => fixture.heardOf('loaderror')).toHaveLength(1);
    fixture.sessions = [];
    await fixture.page.evaluate(`${element}.nonce = 'another'`);
    await expect.poll(() => fixture.calls(new RegExp(methodId)).length).toBeGreaterThan(1);
    await fixture.page.evaluate(`${element}.nonce = '${nonce}'`);
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(2);
    expect(await frames()).toBe(1);
  });

  it('cloned, as by a snapshot of the page: one form, and it is ready', async () => {
    await fixture.visit();
    await append(allProperties());
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    await fixture.page.evaluate(`(() => {
      const element = ${element}, copy = element.cloneNode(true);
      copy.nonce = element.nonce;
      copy.addEventListener('ready', () => heard.push(['ready']));
      element.replaceWith(copy);
    })()`);
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(2);
    expect(await frames()).toBe(1);
  });
});
