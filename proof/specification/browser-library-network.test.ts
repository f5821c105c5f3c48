// The browser library in a real Chromium, over a network that is slow and fails, to the whole service.
// The page's clock stands still until it is moved: pauses and deadlines are seen, not waited for.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aPayload, type LibraryShop, openLibraryShop, shownMug } from './library-shop.ts';
import { Storm } from './library-weather.ts';
import type { Open } from './shop.ts';

let shop: LibraryShop;
const storm = new Storm();
beforeAll(async () => {
  shop = await openLibraryShop();
  await storm.start(shop.baseUrl);
});
afterEach(async () => {
  const stray = await storm.run('return stray;');
  const cookies = await storm.context.cookies();
  await storm.context.close();
  expect([stray, cookies, storm.violations, storm.foreign]).toEqual([[], [], [], []]);
});
afterAll(async () => {
  await storm.stop();
  await shop?.close();
});

/** Begins the claim of a new session in the page; `end` returns its result. */
async function beginClaim(more: object = {}): Promise<{ shell: Open; body: string }> {
  const shell = await shop.shell();
  const payload = aPayload();
  const { sessionId, nonce } = shell;
  await storm.run(
    `globalThis.stop = new AbortController();
     void api.claimCheckoutSession(given.sessionId, given.nonce, given.payload, { signal: stop.signal })
       .then(({ status }) => ({ status }), told).then((end) => { globalThis.end = end; });`,
    { sessionId, nonce, payload: { ...payload, ...more } },
  );
  return { shell, body: JSON.stringify(payload) };
}
/** Returns the result of the claim; null while it runs. */
const readEnd = () => storm.run('return globalThis.end ?? null;');
const hasEnded = async () => (await readEnd()) !== null;
const expectSent = (count: number) =>
  expect.poll(() => storm.bodies().length, { timeout: 15_000 }).toBe(count);
const lost = { is: true, type: 'api_error', code: 'network_error', status: 0, retryable: true };

describe('a claim over a network that fails', () => {
  it.each([
    ['an answer that is lost', 'lost'],
    ['an answer that breaks off', 'cut'],
    ['a 500', { status: 500 }],
    ['a 503', { status: 503 }],
  ] as const)('%s: the same bytes again after a pause, claimed once', async (_, weather) => {
    await storm.open();
    storm.claims = [weather, weather];
    const { shell, body } = await beginClaim();
    await expectSent(1);
    expect(await storm.passUntil(() => storm.bodies().length > 1)).toBeGreaterThanOrEqual(150);
    expect(await storm.passUntil(() => storm.bodies().length > 2)).toBeGreaterThanOrEqual(300);
    await storm.passUntil(hasEnded);
    expect(await readEnd()).toEqual({ status: 'open' });
    expect(storm.bodies()).toEqual([body, body, body]);
    expect((await shop.get(shell)).body).toMatchObject({ totals: { total: 19.9 } });
  });

  it('three lost answers: thrown, never a fourth, and the session is claimed all the same', async () => {
    await storm.open();
    storm.claims = ['lost', 'lost', 'lost'];
    const { shell } = await beginClaim();
    await storm.passUntil(hasEnded);
    expect(await readEnd()).toEqual(lost);
    expect(storm.bodies()).toHaveLength(3);
    expect(await shop.stands(shell)).toMatchObject({ status: 'open' });
  });

  it('offline for a moment: sent when the connection is back', async () => {
    await storm.open();
    await storm.context.setOffline(true);
    const failed = storm.page.waitForEvent('requestfailed');
    const { body } = await beginClaim();
    await failed;
    await storm.context.setOffline(false);
    await storm.passUntil(hasEnded);
    expect(await readEnd()).toEqual({ status: 'open' });
    expect(storm.bodies()).toEqual([body]);
  });

  it('a 429 is repeated when it says so, and not before', async () => {
    await storm.open();
    storm.claims = [{ status: 429, retryAfter: 3 }];
    await beginClaim();
    await expectSent(1);
    expect(await storm.passUntil(() => storm.bodies().length > 1)).toBeGreaterThanOrEqual(3_000);
    await storm.passUntil(hasEnded);
    expect(await readEnd()).toEqual({ status: 'open' });
  });

  it('a 503 that says a time past the deadline ends it at once', async () => {
    await storm.open();
    storm.claims = [{ status: 503, retryAfter: 60 }];
    await beginClaim();
    await expect.poll(readEnd).toMatchObject({ code: 'storm', status: 503 });
    expect(storm.bodies()).toHaveLength(1);
  });

  it('a 409 of the service is told at once: the first cart stands', async () => {
    await storm.open();
    const shell = await shop.shell();
    await shop.claim(shell);
    const { sessionId, nonce } = shell;
    const told = await storm.run(
      'return api.claimCheckoutSession(given.sessionId, given.nonce, given.payload).catch(told);',
      { sessionId, nonce, payload: aPayload() },
    );
    expect(told).toMatchObject({ code: 'checkout_session_already_claimed', status: 409 });
    expect(storm.bodies()).toHaveLength(1);
  });

  it('no answer: given up after 12 s, after timeoutMs where it is given, and the request with it', async () => {
    for (const [more, deadline] of [
      [{}, 12_000],
      [{ timeoutMs: 2_000 }, 2_000],
    ] as const) {
      await storm.context?.close();
      await storm.open();
      storm.claims = ['silent'];
      await beginClaim(more);
      await expectSent(1);
      await storm.page.clock.runFor(deadline - 100);
      expect(await readEnd()).toBeNull();
      await storm.page.clock.runFor(200);
      await expect.poll(readEnd).toEqual(lost);
      await expect.poll(() => storm.givenUp).toBe(1);
      expect(storm.bodies()).toHaveLength(1);
    }
  });

  it('aborted: told so, and the request is gone from the wire', async () => {
    await storm.open();
    storm.claims = ['silent'];
    await beginClaim();
    await expectSent(1);
    await storm.run('stop.abort();');
    await expect.poll(readEnd).toMatchObject({ is: true, code: 'aborted', status: 0 });
    await expect.poll(() => storm.givenUp).toBe(1);
    await storm.page.clock.runFor(12_000);
    expect(storm.bodies()).toHaveLength(1);
  });
});

describe('a detached session over a slow network', () => {
  const draft = () => ({ clientId: shop.client.id, ...aPayload() });

  it('the shell is there while its claim is under way', async () => {
    await storm.open();
    storm.claims = ['held'];
    const shell = await storm.run(
      `globalThis.detached = await api.createDetachedSession(given);
       detached.claimed.then(({ status }) => { globalThis.end = status; });
       const { shell, sessionId, nonce } = detached;
       return { status: shell.status, form: typeof shell.vault.formUrl, sessionId, nonce };`,
      draft(),
    );
    expect(shell).toMatchObject({ status: 'unclaimed', form: 'string' });
    await expectSent(1);
    expect(await readEnd()).toBeNull();
    storm.release();
    await expect.poll(readEnd).toBe('open');
  });

  it('a claim that fails unheeded troubles the page with nothing', async () => {
    await storm.open();
    storm.claims = [{ status: 422 }];
    const answered = storm.page.waitForResponse((response) => response.status() === 422);
    await storm.run('globalThis.id = (await api.createDetachedSession(given)).sessionId;', draft());
    await (await answered).finished();
    // A call of the library would have been seen by the end of the journey; the test's own call is.
    await storm.run('await api.getCheckoutSessionStatus(id).catch(() => {});');
    await storm.run("void Promise.reject('of the test');");
    await expect.poll(() => storm.run('return stray;')).toEqual(['of the test']);
    await expect.poll(() => storm.violations).toEqual(['of the test']);
    storm.violations = [];
    await storm.run('stray.length = 0;');
  });
});

describe('a page that allows little', () => {
  it('without storage, in a private window, under a strict policy: created, shown, paid', async () => {
    const refuse = "{ get() { throw new DOMException('no', 'SecurityError'); } }";
    const before = `for (const name of ['sessionStorage', 'localStorage', 'indexedDB'])
      Object.defineProperty(globalThis, name, ${refuse});`;
    await storm.open({ ticks: true, before });
    type CreatedSession = {
      id: string;
      nonce: string;
      mountToken: string;
      name: string;
      fill: number;
    };
    const made = await storm.run<CreatedSession>(
      `globalThis.session = await api.createAndFetchSession(given.draft);
       const { id, nonce, vault } = session;
       api.cacheSessionDisplayData(id, { currency: 'EUR', products: [given.shown] });
       const [line] = (await api.getUnifiedCheckoutSession(id)).products;
       return { id, nonce, mountToken: vault.mountToken, name: line.name, fill: line.overrideAmount };`,
      { draft: { clientId: shop.client.id, ...aPayload() }, shown: shownMug },
    );
    expect(made).toMatchObject({ name: 'Mug', fill: 7 });
    const { id: sessionId, nonce, mountToken } = made;
    const token = await shop.card({ sessionId, nonce, mountToken, userId: '' });
    const paid = await storm.run(
      `const { id, accountData } = session;
       const tokenizedData = { provider: 'cardprovider', type: 'card', token: given };
       const body = { sessionId: id, tokenizedData, accountData };
       const answer = await api.processPayment(accountData.userId, body);
       const { data } = await api.getPaymentsByEmail(accountData.email);
       return { type: answer.type, isListed: data[0].id === answer.paymentId };`,
      token,
    );
    expect(paid).toEqual({ type: 'success', isListed: true });
  });
});
