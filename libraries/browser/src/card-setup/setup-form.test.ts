// The form of CardSetup through a page's life: what it tells, when it submits, and what becomes of its frame.
// Without a browser; in a merchant's page: in-page.test.ts.

import { describe, expect, it, vi } from 'vitest';
import {
  methodId,
  nonce,
  refusal,
  type StubbedResponse,
  savedCardAnswer,
  sessionId,
  verifiedState,
} from '../../test-service.ts';
import { aPlace, StubPage, submitTest } from '../../test-submit.ts';
import type { CardSetupOptions } from './card-setup-types.ts';
import { SetupForm } from './setup-form.ts';

const test = submitTest();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };
const reads = () => test.now.service.calls(/sessions\/[^/]+$/).length;

/** Makes a form, mounted into `place`; the frame becomes ready as soon as it is there. */
async function mount(
  { page = new StubPage(), place = aPlace() } = {},
  options: Partial<CardSetupOptions> = {},
) {
  const identity = { baseUrl: `${test.now.service.api}/`, sessionId, nonce };
  const form = new SetupForm({ ...identity, ...page.callbacks, ...options }, page.mountFrame);
  form.mount(place);
  await test.now.pass(5);
  return { page, place, form };
}
async function ready(...given: Parameters<typeof mount>) {
  const made = await mount(...given);
  made.page.frame?.settings?.onReady?.({});
  await test.now.settle();
  expect(made.page.heardOf('ready')).toHaveLength(1);
  return made;
}

describe('a submit', () => {
  it('tells its success, empties the form, and answers the same to every later one', async () => {
    const { page, form } = await ready();
    expect(await form.submit()).toEqual(success);
    expect(page.heardOf('success')).toEqual([['success', success]]);
    expect(page.frame?.typed).toBe('');
    expect(await form.submit()).toEqual(success);
    expect(test.now.service.handedOver()).toHaveLength(1);
    expect(page.heardOf('success')).toHaveLength(1);
  });

  it('two at once are one', async () => {
    const { form } = await ready();
    const [one, other] = [form.submit(), form.submit()];
    expect(one).toBe(other);
    expect(await one).toEqual(success);
    expect(test.now.service.handedOver()).toHaveLength(1);
  });

  it('Spec 4.5 decline callback: tells a decline, an error and a cancellation each by its own callback', async () => {
    test.now.service.setups = [
      refusal('card_declined', { declineCode: 'expired_card', advice: null }),
      refusal('gateway_unavailable'),
    ];
    const { page, form } = await ready();
    const declined = await form.submit();
    expect(page.heardOf('decline')).toEqual([['decline', declined]]);
    expect(page.frame?.typed).toBe('4242424242424242');
    await form.submit();
    expect(page.heardOf('error')).toEqual([['error', 'gateway_unavailable']]);
    const cancelled = await form.submit({ signal: AbortSignal.abort() });
    expect(cancelled).toMatchObject({ type: 'cancel', reason: 'aborted' });
    expect(page.heardOf('cancel')).toEqual([['cancel', cancelled]]);
  });

  it('a callback that throws is reported, and the submit goes on', async () => {
    const reported: unknown[] = [];
    vi.stubGlobal('reportError', (cause: Error) => reported.push(cause.message));
    const onReady = () => {
      throw new Error('shop');
    };
    const { page, form } = await mount({}, { onReady });
    page.frame?.settings?.onReady?.({});
    expect(await form.submit()).toEqual(success);
    expect(reported).toEqual(['shop']);
  });

  it('Enter submits through the page’s own form where there is one, and else by itself', async () => {
    const requested: string[] = [];
    const place = aPlace({ requestSubmit: () => requested.push('form') });
    const { page } = await ready({ page: new StubPage(), place });
    page.frame?.settings?.onEnter?.();
    await test.now.settle();
    expect(requested).toEqual(['form']);
    expect(test.now.service.handedOver()).toEqual([]);
    const other = await ready();
    other.page.frame?.settings?.onEnter?.();
    await test.now.settle();
    expect(other.page.heardOf('success')).toHaveLength(1);
  });

  it.each(['unmounted', 'its signal aborts'])('ends as aborted when %s', async (how) => {
    test.now.service.setups = [() => new Promise<StubbedResponse>(() => {})];
    const { page, form } = await ready();
    const stop = new AbortController();
    const end = form.submit({ signal: stop.signal });
    await test.now.settle();
    expect(test.now.service.handedOver()).toHaveLength(1);
    if (how === 'unmounted') form.unmount();
    else stop.abort();
    const cancel = { type: 'cancel', reason: 'aborted', challenge: null };
    expect(await end).toEqual(cancel);
    expect(page.heardOf('cancel')).toEqual([['cancel', cancel]]);
  });
});

describe('load errors', () => {
  it.each([
    ['expired', { status: 'expired' }],
    ['cancelled', { status: 'canceled' }],
    ['without a form', { vault: null }],
  ])('session_expired: a session %s', async (_, session) => {
    test.now.service.session = session;
    const { page, form } = await mount();
    expect(page.heard).toEqual([['loaderror', 'session_expired']]);
    expect(page.frame).toBeUndefined();
    expect(await form.submit()).toMatchObject({ error: { code: 'session_expired' } });
  });

  it('session_expired: a nonce that the service does not know', async () => {
    const { page } = await mount({}, { nonce: 'other' });
    expect(page.heard).toEqual([['loaderror', 'session_expired']]);
  });

  it('origin_not_allowed: the service refuses the page’s origin, told at once', async () => {
    test.now.service.sessions = [refusal('origin_not_allowed')];
    const { page } = await mount();
    expect(page.heard).toEqual([['loaderror', 'origin_not_allowed']]);
    expect([reads(), page.frames.length]).toEqual([1, 0]);
  });

  it('blocked_by_extension_or_network: the service is out of reach', async () => {
    test.now.service.sessions = Array.from({ length: 9 }, () => 'break off' as const);
    const { page } = await mount();
    expect(page.heard).toEqual([['loaderror', 'blocked_by_extension_or_network']]);
  });

  it('a reason of the form itself: told, given to a submit, and mounted again it is ready', async () => {
    const { page, place, form } = await mount();
    page.frame?.settings?.onLoadError?.('version_mismatch');
    expect(page.heard).toEqual([['loaderror', 'version_mismatch']]);
    form.mount(place);
    await test.now.settle();
    expect(page.frames).toHaveLength(2);
    page.frame?.settings?.onReady?.({});
    await test.now.settle();
    expect(page.heardOf('ready')).toHaveLength(1);
    expect(await form.submit()).toEqual(success);
  });

  it('a service that stumbles once is asked again, unheard', async () => {
    test.now.service.sessions = [refusal('internal_error'), 'break off'];
    const { page } = await ready();
    expect(page.heardOf('loaderror')).toEqual([]);
    expect(reads()).toBe(3);
  });

  it('a session that takes a payment is the merchant’s mistake: an error by its code', async () => {
    test.now.service.session = { checkoutMode: 'payment' };
    const { page } = await mount();
    expect(page.heard).toEqual([['error', 'checkout_session_not_setup']]);
  });
});

describe('mounting', () => {
  it('again in the same container reads and mounts nothing', async () => {
    const { page, place, form } = await ready();
    form.mount(place);
    await test.now.settle();
    expect([page.frames.length, reads()]).toEqual([1, 1]);
  });

  it('unmount takes the frame away; it can come back, and destroy is for good', async () => {
    const { page, place, form } = await ready();
    form.unmount();
    expect(page.frame).toBeUndefined();
    form.mount(place);
    await test.now.settle();
    expect(page.frame).toBeDefined();
    form.destroy();
    form.destroy();
    expect(page.frame).toBeUndefined();
    // The frame may belong to a newer form by now and still report to this one.
    const { onReady, onChange } = page.frames.at(-1)?.settings ?? {};
    onReady?.({});
    onChange?.({ complete: true, empty: false, brand: null, errors: [] });
    await test.now.settle();
    expect(page.heard).toEqual([['ready']]);
  });

  it('a newer form whose session is over leaves no frame of the older one behind', async () => {
    const { page, place } = await ready();
    test.now.service.session = { status: 'expired' };
    const { form } = await mount({ page, place });
    expect(page.heardOf('loaderror')).toEqual([['loaderror', 'session_expired']]);
    expect(page.frame).toBeUndefined();
    expect(await form.submit()).toMatchObject({ error: { code: 'session_expired' } });
  });

  it('a session whose card was saved before a reload succeeds without a form', async () => {
    test.now.service.standings = [verifiedState];
    const { page } = await mount();
    expect(page.heard).toEqual([['success', success]]);
    expect(page.frames).toEqual([]);
  });

  it('update: looks reach the form that stands; another session is another form', async () => {
    const { page, form } = await ready({}, { brands: ['visa'] });
    form.update({ appearance: { theme: 'dark' } });
    expect(page.frame?.options).toMatchObject({
      appearance: { theme: 'dark' },
      fields: ['number', 'expiry', 'cvc'],
    });
    test.now.service.setups = [savedCardAnswer];
    form.update({ sessionId: '01990000-0000-7000-8000-00000000beef' });
    await test.now.settle();
    expect(page.frames.map(({ isDestroyed }) => isDestroyed)).toEqual([true, false]);
    expect(test.now.service.calls(/beef$/)).toHaveLength(1);
  });
});
