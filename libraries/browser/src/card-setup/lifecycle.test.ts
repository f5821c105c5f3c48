// CardSetup through a page's life: load errors with their reasons, mounted again and again, as an
// element, under React's StrictMode.

import { beforeAll, describe, expect, it } from 'vitest';
import { bundleReactPage } from '../../bundle-react-page.ts';
import type { render as renderPage } from '../../react-page.ts';
import { cardSetupFixture, methodId, nonce, sessionId } from '../../test-fixture.ts';

const fixture = cardSetupFixture();
const reads = () => fixture.calls(/sessions\/[^/]+$/).length;
const frames = () => fixture.page.locator('iframe').count();
const readNumber = () => fixture.number().inputValue();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };

describe('load errors', () => {
  it('the form’s own reason, and mount retries', async () => {
    const reason = 'version_mismatch';
    fixture.form = `loaderror=${reason}`;
    await fixture.visit();
    await fixture.mount();
    await expect.poll(() => fixture.heardOf('loaderror')).toEqual([['loaderror', reason]]);
    await fixture.submit();
    expect(await fixture.result()).toMatchObject({ type: 'error', error: { code: reason } });
    fixture.form = '';
    await fixture.page.evaluate('setup.mount("#card")');
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toEqual(success);
  });

  it('blocked_by_csp: the page’s policy refuses the form’s origin', async () => {
    fixture.policy = { 'frame-src': "'none'" };
    await fixture.visit();
    await fixture.mount();
    await expect
      .poll(() => fixture.heardOf('loaderror'))
      .toEqual([['loaderror', 'blocked_by_csp']]);
    expect(fixture.violations.join()).toContain('frame-src');
    fixture.violations = [];
  });

  it('blocked_by_csp: the page’s policy refuses the service', async () => {
    fixture.policy = { 'connect-src': "'none'" };
    await fixture.visit();
    await fixture.mount();
    await expect
      .poll(() => fixture.heardOf('loaderror'))
      .toEqual([['loaderror', 'blocked_by_csp']]);
    fixture.violations = [];
  });

  it('blocked_by_extension_or_network: the form stays silent for 8 s', async () => {
    fixture.form = 'silent';
    await fixture.visit();
    // The clock is stopped: on a slow machine half a second passes before the form is there.
    const now = Date.now();
    await fixture.page.clock.install({ time: now });
    await fixture.page.clock.pauseAt(now + 1_000);
    await fixture.mount();
    await fixture.number().waitFor();
    await fixture.page.clock.fastForward(7_500);
    expect(await fixture.heard()).toEqual([]);
    await fixture.page.clock.fastForward(600);
    expect(await fixture.heard()).toEqual([['loaderror', 'blocked_by_extension_or_network']]);
  });

  it('origin_not_allowed: the form’s address does not name this page, and nobody is asked', async () => {
    const list = Buffer.from(JSON.stringify(['https://shop.example'])).toString('base64url');
    fixture.form = `parents=${list}.x`;
    await fixture.visit();
    await fixture.page.evaluate((vault) => Reflect.get(globalThis, 'showWith')(vault), {
      formUrl: `${fixture.forms}/form/1?${fixture.form}`,
      formOrigin: fixture.forms,
      mountToken: 'x',
    });
    await expect.poll(() => fixture.heard()).toEqual([['loaderror', 'origin_not_allowed']]);
  });
});

describe('mounting', () => {
  it('again in the same container keeps what is typed; a new instance takes it over, and the callbacks', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.number().fill('4242');
    await fixture.page.evaluate('setup.mount("#card").mount(document.querySelector("#card"))');
    await fixture.settled();
    expect([await frames(), await readNumber(), reads()]).toEqual([1, '4242', 1]);
    await fixture.page.evaluate('globalThis.older = setup');
    await fixture.mount();
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(2);
    await fixture.page.evaluate('older.destroy()');
    await fixture.settled();
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
    await fixture.submit();
    expect(await fixture.result()).toEqual(success);
  });

  it('a new instance in the same container takes over no form that has failed', async () => {
    fixture.form = 'loaderror=session_expired';
    await fixture.visit();
    await fixture.mount();
    await expect.poll(() => fixture.heardOf('loaderror')).toHaveLength(1);
    await fixture.page.evaluate('globalThis.older = setup');
    await fixture.mount();
    await expect.poll(() => fixture.heardOf('loaderror')).toHaveLength(2);
    expect(await frames()).toBe(1);
  });

  it('in another container it moves; unmount takes it away; it can come back', async () => {
    await fixture.visit();
    await fixture.ready();
    await fixture.page.evaluate('setup.mount("#other")');
    await fixture.page.locator('#other iframe').waitFor();
    expect(await frames()).toBe(1);
    await fixture.page.evaluate('setup.unmount()');
    expect(await frames()).toBe(0);
    await fixture.page.evaluate('setup.mount("#card")');
    await fixture.number().waitFor();
  });

  it('update: looks reach the form that stands; another session is another form', async () => {
    await fixture.visit();
    await fixture.ready({ brands: ['visa'] });
    await fixture.number().fill('4242');
    await fixture.page.evaluate('setup.update({ appearance: { theme: "dark" }, locale: "fr" })');
    const readCallbacks = () =>
      fixture
        .number()
        .evaluate((field) => JSON.parse(field.ownerDocument.body.dataset.options ?? '{}'));
    await expect
      .poll(readCallbacks)
      .toMatchObject({ appearance: { theme: 'dark' }, locale: 'fr', brands: ['visa'] });
    expect(await readNumber()).toBe('4242');
    await fixture.page.evaluate(
      'setup.update({ sessionId: "01990000-0000-7000-8000-00000000beef" })',
    );
    await expect.poll(readNumber).toBe('');
    expect(fixture.calls(/beef$/)).toHaveLength(1);
  });
});

describe('<svc-card-setup>', () => {
  const placeElement = (attributes: string) =>
    fixture.page.evaluate((given) => {
      const box = document.createElement('template');
      const scope = globalThis as unknown as Record<string, never>;
      const { defineCardSetup } = scope.svc as unknown as { defineCardSetup(): void };
      defineCardSetup();
      defineCardSetup();
      const element = document.createElement('svc-card-setup');
      for (const pair of given.split(' ')) {
        const [name = '', value = ''] = pair.split('=');
        element.setAttribute(name, value);
      }
      const names = ['ready', 'change', 'focus', 'blur', 'escape', 'loaderror', 'success'];
      for (const name of [...names, 'decline', 'error', 'cancel']) {
        element.addEventListener(name, (event) => {
          (scope.heard as unknown as unknown[]).push([name, (event as CustomEvent).detail]);
        });
      }
      document.querySelector('#other')?.append(box.content, element);
    }, attributes);
  const identity = () => `base-url=${fixture.api} session-id=${sessionId} nonce=${nonce}`;

  it('saves a card: the same names as events, and submit as a method', async () => {
    await fixture.visit();
    await placeElement(identity());
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    expect(await fixture.page.evaluate('document.querySelector("svc-card-setup").nonce')).toBe(
      nonce,
    );
    await fixture.number().fill('4242424242424242');
    const end = await fixture.page.evaluate('document.querySelector("svc-card-setup").submit()');
    expect(end).toEqual(success);
    expect(await fixture.heardOf('success')).toEqual([['success', success]]);
    expect((await fixture.heardOf('change')).length).toBeGreaterThan(0);
  });

  it('moved in the page it goes on; taken out of it nothing is left', async () => {
    await fixture.visit();
    await placeElement(identity());
    await fixture.number().waitFor();
    await fixture.page.evaluate(
      'document.querySelector("#card").append(document.querySelector("svc-card-setup"))',
    );
    await fixture.number().fill('4242');
    expect(reads()).toBe(1);
    await fixture.page.evaluate(`(() => {
      globalThis.element = document.querySelector('svc-card-setup');
      element.remove();
    })()`);
    await expect.poll(() => fixture.page.evaluate('element.childElementCount')).toBe(0);
  });

  it('waits for its attributes, takes options from before its definition, and focuses', async () => {
    await fixture.visit();
    await fixture.page.evaluate(`(() => {
      const element = document.createElement('svc-card-setup');
      element.options = { locale: 'it' };
      document.querySelector('#other').append(element);
    })()`);
    await fixture.page.evaluate('svc.defineCardSetup()');
    expect(await frames()).toBe(0);
    await fixture.page.evaluate(
      ([baseUrl, id, secret]) => {
        const element = document.querySelector('svc-card-setup');
        element?.setAttribute('base-url', baseUrl);
        element?.setAttribute('session-id', id);
        element?.setAttribute('nonce', secret);
      },
      [fixture.api, sessionId, nonce] as const,
    );
    await fixture.number().waitFor();
    const language = () =>
      fixture.number().evaluate((field) => field.ownerDocument.documentElement.lang);
    await expect.poll(language).toBe('it');
    await fixture.page.evaluate('document.querySelector("svc-card-setup").focus()');
    await expect
      .poll(() => fixture.number().evaluate((field) => field === document.activeElement))
      .toBe(true);
  });
});

describe('React', () => {
  beforeAll(async () => {
    Object.assign(fixture.extra, await bundleReactPage());
  });

  async function render(): Promise<void> {
    await fixture.visit();
    const identity: Parameters<typeof renderPage>[0] = { baseUrl: fixture.api, sessionId, nonce };
    await fixture.page.evaluate(`import('/page-react.js').then(({ render }) => {
      globalThis.leave = render(${JSON.stringify(identity)}, globalThis);
    })`);
    await fixture.number().waitFor();
  }

  it('StrictMode: one form and one read; the newest callbacks and looks; nothing is left behind', async () => {
    await render();
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    await fixture.number().fill('4242424242424242');
    await fixture.page.evaluate('rerender()');
    await fixture.page.evaluate('rerender()');
    await fixture.settled();
    expect([await frames(), await readNumber(), reads()]).toEqual([1, '4242424242424242', 1]);
    expect(await fixture.page.locator('#react-card.host iframe').count()).toBe(1);
    const options = () =>
      fixture
        .number()
        .evaluate((field) => JSON.parse(field.ownerDocument.body.dataset.options ?? '{}'));
    await expect.poll(options).toMatchObject({ appearance: { theme: 'dark' } });
    expect(await fixture.page.evaluate('card.current.submit()')).toEqual(success);
    expect(await fixture.heardOf('success')).toEqual([['success', 2, methodId]]);
    await fixture.page.evaluate('leave()');
    await expect.poll(frames).toBe(0);
  });
});
