// CardSetup through a page's life: load errors with their reasons, mounted again and again, as an
// element, under React's StrictMode.

import { beforeAll, describe, expect, it } from 'vitest';
import { bundleReactPage } from '../bundle-react-page.ts';
import type { render as renderPage } from '../react-page.ts';
import {
  cardSetupGround,
  methodId,
  nonce,
  refusal,
  sessionId,
  verifiedState,
} from '../test-ground.ts';

const ground = cardSetupGround();
const reads = () => ground.calls(/sessions\/[^/]+$/).length;
const frames = () => ground.page.locator('iframe').count();
const readNumber = () => ground.number().inputValue();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };

describe('load errors', () => {
  it.each(['origin_not_allowed', 'session_expired', 'version_mismatch'])(
    '%s: the form’s own reason, and mount retries',
    async (reason) => {
      ground.form = `loaderror=${reason}`;
      await ground.visit();
      await ground.mount();
      await expect.poll(() => ground.heardOf('loaderror')).toEqual([['loaderror', reason]]);
      await ground.submit();
      expect(await ground.result()).toMatchObject({ type: 'error', error: { code: reason } });
      ground.form = '';
      await ground.page.evaluate('setup.mount("#card")');
      await expect.poll(() => ground.heardOf('ready')).toHaveLength(1);
      await ground.fillAndSubmit();
      expect(await ground.result()).toEqual(success);
    },
  );

  it('blocked_by_csp: the page’s policy refuses the form’s origin', async () => {
    ground.policy = { 'frame-src': "'none'" };
    await ground.visit();
    await ground.mount();
    await expect.poll(() => ground.heardOf('loaderror')).toEqual([['loaderror', 'blocked_by_csp']]);
    expect(ground.violations.join()).toContain('frame-src');
    ground.violations = [];
  });

  it('blocked_by_csp: the page’s policy refuses the service', async () => {
    ground.policy = { 'connect-src': "'none'" };
    await ground.visit();
    await ground.mount();
    await expect
      .poll(() => ground.heardOf('loaderror'), { timeout: 6_000 })
      .toEqual([['loaderror', 'blocked_by_csp']]);
    ground.violations = [];
  });

  it('blocked_by_extension_or_network: the service is out of reach', async () => {
    await ground.visit();
    await ground.mount({ baseUrl: 'http://127.0.0.1:1' });
    ground.violations = [];
    await expect.poll(() => ground.heardOf('loaderror'), { timeout: 6_000 }).toHaveLength(1);
    ground.violations = [];
  });

  it('blocked_by_extension_or_network: the form stays silent for 8 s', async () => {
    ground.form = 'silent';
    await ground.visit();
    // The clock is stopped: on a slow machine half a second passes before the form is there.
    const now = Date.now();
    await ground.page.clock.install({ time: now });
    await ground.page.clock.pauseAt(now + 1_000);
    await ground.mount();
    await ground.number().waitFor();
    await ground.page.clock.fastForward(7_500);
    expect(await ground.heard()).toEqual([]);
    await ground.page.clock.fastForward(600);
    expect(await ground.heard()).toEqual([['loaderror', 'blocked_by_extension_or_network']]);
  });

  it.each([
    ['expired', { status: 'expired' }],
    ['cancelled', { status: 'canceled' }],
    ['without a form', { vault: null }],
  ])('session_expired: a session %s', async (_, session) => {
    ground.session = session;
    await ground.visit();
    await ground.mount();
    await expect
      .poll(() => ground.heardOf('loaderror'))
      .toEqual([['loaderror', 'session_expired']]);
    expect(await frames()).toBe(0);
  });

  it('session_expired: a nonce that the service does not know', async () => {
    await ground.visit();
    await ground.mount({ nonce: 'other' });
    await expect
      .poll(() => ground.heardOf('loaderror'))
      .toEqual([['loaderror', 'session_expired']]);
  });

  it('origin_not_allowed: the service refuses the page’s origin, told at once', async () => {
    ground.sessions = [refusal('origin_not_allowed')];
    await ground.visit();
    await ground.mount();
    await expect
      .poll(() => ground.heardOf('loaderror'))
      .toEqual([['loaderror', 'origin_not_allowed']]);
    expect([reads(), await frames()]).toEqual([1, 0]);
  });

  it.each([
    ['origin_not_allowed', 'https://shop.example'],
    ['ready', 'http://localhost:*'],
  ])('%s: the form’s address names %s, and nobody is asked', async (expected, parent) => {
    const list = Buffer.from(JSON.stringify([parent])).toString('base64url');
    ground.form = `parents=${list}.x`;
    await ground.visit();
    await ground.page.evaluate((vault) => Reflect.get(globalThis, 'showWith')(vault), {
      formUrl: `${ground.forms}/form/1?${ground.form}`,
      formOrigin: ground.forms,
      mountToken: 'x',
    });
    await expect.poll(() => ground.heard()).not.toEqual([]);
    expect((await ground.heard()).flat()).toContain(expected);
  });

  it('a service that stumbles once is asked again, unheard', async () => {
    ground.sessions = [refusal('internal_error'), 'break off'];
    await ground.visit();
    await ground.ready();
    expect(await ground.heardOf('loaderror')).toEqual([]);
    expect(reads()).toBe(3);
  });

  it('a session that takes a payment is the merchant’s mistake: an error by its code', async () => {
    ground.session = { checkoutMode: 'payment' };
    await ground.visit();
    await ground.mount();
    const error = { code: 'checkout_session_not_setup', type: 'validation_error' };
    await expect.poll(() => ground.heardOf('error')).toMatchObject([['error', error]]);
  });
});

describe('mounting', () => {
  it('again in the same container keeps what is typed', async () => {
    await ground.visit();
    await ground.ready();
    await ground.number().fill('4242');
    await ground.page.evaluate('setup.mount("#card").mount(document.querySelector("#card"))');
    await ground.settled();
    expect([await frames(), await readNumber(), reads()]).toEqual([1, '4242', 1]);
  });

  it('a new instance in the same container takes over what is typed, and the callbacks', async () => {
    await ground.visit();
    await ground.ready();
    await ground.number().fill('4242');
    await ground.page.evaluate('globalThis.older = setup');
    await ground.mount();
    await expect.poll(() => ground.heardOf('ready')).toHaveLength(2);
    await ground.page.evaluate('older.destroy()');
    await ground.settled();
    expect([await frames(), await readNumber()]).toEqual([1, '4242']);
    await ground.submit();
    expect(await ground.result()).toEqual(success);
  });

  it('a new instance in the same container takes over no form that has failed', async () => {
    ground.form = 'loaderror=session_expired';
    await ground.visit();
    await ground.mount();
    await expect.poll(() => ground.heardOf('loaderror')).toHaveLength(1);
    await ground.page.evaluate('globalThis.older = setup');
    await ground.mount();
    await expect.poll(() => ground.heardOf('loaderror')).toHaveLength(2);
    expect(await frames()).toBe(1);
  });

  it('in another container it moves; unmount takes it away; it can come back', async () => {
    await ground.visit();
    await ground.ready();
    await ground.page.evaluate('setup.mount("#other")');
    await ground.page.locator('#other iframe').waitFor();
    expect(await frames()).toBe(1);
    await ground.page.evaluate('setup.unmount()');
    expect(await frames()).toBe(0);
    await ground.page.evaluate('setup.mount("#card")');
    await ground.number().waitFor();
  });

  it('destroy is safe twice and before anything has come; nothing is heard after it', async () => {
    await ground.visit();
    await ground.mount();
    await ground.page.evaluate('setup.destroy(); setup.destroy()');
    await ground.settled();
    expect([await frames(), await ground.heard()]).toEqual([0, []]);
    const code = await ground.page.evaluate(
      '(() => { try { setup.mount("#card") } catch (error) { return error.code } })()',
    );
    expect(code).toBe('form_destroyed');
  });

  it('unmounted during a submit: it ends as aborted, and the page is told', async () => {
    ground.setups = [() => new Promise(() => {})];
    await ground.visit();
    await ground.ready();
    await ground.fillAndSubmit();
    await expect.poll(() => ground.handedOver().length).toBe(1);
    await ground.page.evaluate('setup.unmount()');
    const cancel = { type: 'cancel', reason: 'aborted', challenge: null };
    expect(await ground.result()).toEqual(cancel);
    expect(await ground.heardOf('cancel')).toEqual([['cancel', cancel]]);
  });

  it('a submit ends with its signal', async () => {
    ground.setups = [() => new Promise(() => {})];
    await ground.visit();
    await ground.ready();
    await ground.number().fill('4242424242424242');
    await ground.page.evaluate('submit({ signal: AbortSignal.timeout(300) })');
    expect(await ground.result()).toMatchObject({ type: 'cancel', reason: 'aborted' });
  });

  it('a session whose card was saved before a reload succeeds without a form', async () => {
    ground.standings = [verifiedState];
    await ground.visit();
    await ground.mount();
    await expect.poll(() => ground.heardOf('success')).toEqual([['success', success]]);
    expect(await frames()).toBe(0);
  });

  it('update: looks reach the form that stands; another session is another form', async () => {
    await ground.visit();
    await ground.ready({ brands: ['visa'] });
    await ground.number().fill('4242');
    await ground.page.evaluate('setup.update({ appearance: { theme: "dark" }, locale: "fr" })');
    const readCallbacks = () =>
      ground
        .number()
        .evaluate((field) => JSON.parse(field.ownerDocument.body.dataset.options ?? '{}'));
    await expect
      .poll(readCallbacks)
      .toMatchObject({ appearance: { theme: 'dark' }, locale: 'fr', brands: ['visa'] });
    expect(await readNumber()).toBe('4242');
    await ground.page.evaluate(
      'setup.update({ sessionId: "01990000-0000-7000-8000-00000000beef" })',
    );
    await expect.poll(readNumber).toBe('');
    expect(ground.calls(/beef$/)).toHaveLength(1);
  });
});

describe('<svc-card-setup>', () => {
  const placeElement = (attributes: string) =>
    ground.page.evaluate((given) => {
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
  const identity = () => `base-url=${ground.api} session-id=${sessionId} nonce=${nonce}`;

  it('saves a card: the same names as events, and submit as a method', async () => {
    await ground.visit();
    await placeElement(identity());
    await expect.poll(() => ground.heardOf('ready')).toHaveLength(1);
    expect(await ground.page.evaluate('document.querySelector("svc-card-setup").nonce')).toBe(
      nonce,
    );
    await ground.number().fill('4242424242424242');
    const end = await ground.page.evaluate('document.querySelector("svc-card-setup").submit()');
    expect(end).toEqual(success);
    expect(await ground.heardOf('success')).toEqual([['success', success]]);
    expect((await ground.heardOf('change')).length).toBeGreaterThan(0);
  });

  it('moved in the page it goes on; taken out of it nothing is left', async () => {
    await ground.visit();
    await placeElement(identity());
    await ground.number().waitFor();
    await ground.page.evaluate(
      'document.querySelector("#card").append(document.querySelector("svc-card-setup"))',
    );
    await ground.number().fill('4242');
    expect(reads()).toBe(1);
    await ground.page.evaluate(`(() => {
      globalThis.element = document.querySelector('svc-card-setup');
      element.remove();
    })()`);
    await expect.poll(() => ground.page.evaluate('element.childElementCount')).toBe(0);
  });

  it('waits for its attributes, takes options from before its definition, and focuses', async () => {
    await ground.visit();
    await ground.page.evaluate(`(() => {
      const element = document.createElement('svc-card-setup');
      element.options = { locale: 'it' };
      document.querySelector('#other').append(element);
    })()`);
    await ground.page.evaluate('svc.defineCardSetup()');
    expect(await frames()).toBe(0);
    await ground.page.evaluate(
      ([baseUrl, id, secret]) => {
        const element = document.querySelector('svc-card-setup');
        element?.setAttribute('base-url', baseUrl);
        element?.setAttribute('session-id', id);
        element?.setAttribute('nonce', secret);
      },
      [ground.api, sessionId, nonce] as const,
    );
    await ground.number().waitFor();
    const language = () =>
      ground.number().evaluate((field) => field.ownerDocument.documentElement.lang);
    await expect.poll(language).toBe('it');
    await ground.page.evaluate('document.querySelector("svc-card-setup").focus()');
    await expect
      .poll(() => ground.number().evaluate((field) => field === document.activeElement))
      .toBe(true);
  });
});

describe('React', () => {
  beforeAll(async () => {
    Object.assign(ground.extra, await bundleReactPage());
  });

  async function render(): Promise<void> {
    await ground.visit();
    const identity: Parameters<typeof renderPage>[0] = { baseUrl: ground.api, sessionId, nonce };
    await ground.page.evaluate(`import('/page-react.js').then(({ render }) => {
      globalThis.leave = render(${JSON.stringify(identity)}, globalThis);
    })`);
    await ground.number().waitFor();
  }

  it('StrictMode: one form, one read of the session, and what is typed stays', async () => {
    await render();
    await expect.poll(() => ground.heardOf('ready')).toHaveLength(1);
    await ground.number().fill('4242');
    await ground.page.evaluate('rerender()');
    await ground.settled();
    expect([await frames(), await readNumber(), reads()]).toEqual([1, '4242', 1]);
    expect(await ground.page.locator('#react-card.host iframe').count()).toBe(1);
  });

  it('the newest callbacks are called, and new looks reach the form', async () => {
    await render();
    await ground.page.evaluate('rerender()');
    await ground.page.evaluate('rerender()');
    const options = () =>
      ground
        .number()
        .evaluate((field) => JSON.parse(field.ownerDocument.body.dataset.options ?? '{}'));
    await expect.poll(options).toMatchObject({ appearance: { theme: 'dark' } });
    await ground.number().fill('4242424242424242');
    expect(await ground.page.evaluate('card.current.submit()')).toEqual(success);
    expect(await ground.heardOf('success')).toEqual([['success', 2, methodId]]);
  });

  it('unmounted: the form goes, and nothing is left behind', async () => {
    await render();
    await ground.page.evaluate('leave()');
    await expect.poll(frames).toBe(0);
  });
});
