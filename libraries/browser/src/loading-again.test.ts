// Parts of the library that could not be fetched are requested again; when that fails too, the page
// is told that only a reload helps. Tested with our own files and with those of a merchant's
// bundler.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cardSetupFixture,
  challengeState,
  methodId,
  nonce,
  savedCardAnswer,
  sessionId,
} from '../test-fixture.ts';
import { shopPage } from '../test-pages.ts';

const fixture = cardSetupFixture();
const success = { type: 'success', paymentMethodId: methodId };
const answerUnavailable = (route: Route) => route.fulfill({ status: 503 });
const answerNotFound = (route: Route) => route.fulfill({ status: 404 });
/** Matches the file of a part, from the library itself or with a bundler's hash. */
const fileOf = (part: string) => new RegExp(`/${part}(-[\\w-]+)?\\.js`);
const parts = ['setup-form', 'setup-submit', 'hand-over', 'challenge-dialog', 'en'];

/** Answers the first request of a part with 503. */
async function failOnce(part: string): Promise<() => number> {
  let times = 0;
  await fixture.page.route(fileOf(part), (route) => {
    times += 1;
    return times === 1 ? answerUnavailable(route) : route.continue();
  });
  return () => times;
}

const reasons = () => fixture.heardOf('loaderror').then((all) => all.map(([, reason]) => reason));

describe.each(['as it is', 'bundled by Vite'])('a part that cannot be fetched, %s', (kind) => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-vite-'));
    if (kind !== 'bundled by Vite') return;
    writeFileSync(join(folder, 'index.html'), '<script type="module" src="/page.js"></script>');
    const importPath = (name: string) => JSON.stringify(join(fixture.built, name));
    const script = shopPage.script.replace(/'\/svc\/([\w-]+\.js)'/g, (_, name) => importPath(name));
    writeFileSync(join(folder, 'page.js'), script);
    const made = await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      build: { write: false, rolldownOptions: { output: { entryFileNames: 'page.js' } } },
    });
    const { output } = made as { output: { type: string; fileName: string; code?: string }[] };
    for (const file of output) {
      if (file.type === 'chunk')
        fixture.extra[`/${file.fileName}`] = ['text/javascript', file.code ?? ''];
    }
    expect(Object.keys(fixture.extra).join()).toMatch(/\/assets\/setup-form-/);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    fixture.extra = {};
  });

  it('each, once: asked for again at once, and nobody hears of it', async () => {
    fixture.setups = [fixture.challenge(), savedCardAnswer];
    await fixture.visit({ locale: 'de-DE' });
    const asked = [];
    for (const part of [...parts, 'de']) asked.push(await failOnce(part));
    await fixture.ready();
    expect(await reasons()).toEqual([]);
    fixture.standings = [{ status: 'open' }, challengeState];
    await fixture.fillAndSubmit();
    // The buyer's language is there with the bank's question.
    await fixture.dialog().getByText('Bei Ihrer Bank bestätigen').waitFor();
    // A part is asked for once more when one that it stands on had to be fetched again.
    for (const times of asked) expect(times()).toBeGreaterThanOrEqual(2);
    await fixture.question().getByRole('link', { name: 'Approve' }).click();
    expect(await fixture.result()).toMatchObject(success);
  });

  it('each, for a while: a load error; mounted again the form is ready', async () => {
    await fixture.visit({ locale: 'de-DE' });
    for (const part of parts) {
      await fixture.page.reload();
      await fixture.page.waitForFunction('globalThis.svc !== undefined');
      await fixture.page.route(fileOf(part), answerUnavailable);
      await fixture.mount();
      await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
      expect(await fixture.heardOf('ready')).toEqual([]);
      await fixture.page.unroute(fileOf(part));
      await fixture.page.evaluate('setup.mount("#card")');
      await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
    }
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toMatchObject(success);
  });
});

describe('a part that stays away', () => {
  it('after a load error a submit asks for the part again', async () => {
    await fixture.visit();
    await fixture.page.route(fileOf('setup-submit'), answerUnavailable);
    await fixture.mount();
    await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
    await fixture.page.unroute(fileOf('setup-submit'));
    await fixture.fillAndSubmit();
    expect(await fixture.result()).toMatchObject(success);
  });

  it('one for good: reload_required, by mount and by submit, in the buyer’s language', async () => {
    const part = 'setup-submit';
    await fixture.visit({ locale: 'de-DE' });
    await fixture.page.route(fileOf(part), answerNotFound);
    await fixture.mount();
    await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
    await fixture.page.evaluate('setup.mount("#card")');
    await expect.poll(reasons).toEqual(['blocked_by_extension_or_network', 'reload_required']);
    const said = await fixture.page.evaluate(
      'setup.submit().then(({ error }) => [error.code, error.retryable, error.message])',
    );
    const words = expect.stringContaining('laden Sie die Seite neu');
    expect(said).toEqual(['reload_required', false, words]);
  });
});

describe('a card frame that the page does not load itself', () => {
  const imported = "import { mountCardFrame } from '/svc/card-frame.js';";
  beforeAll(() => {
    fixture.extra['/page.js'] = [
      'text/javascript',
      shopPage.script.replace(imported, 'const mountCardFrame = null;'),
    ];
  });
  afterAll(() => {
    fixture.extra = {};
  });

  it('once: asked for again; for a while: a load error, and mounted again it is there', async () => {
    await fixture.visit();
    const times = await failOnce('card-frame');
    await fixture.ready();
    expect(times()).toBe(2);
    await fixture.context.close();
    await fixture.visit();
    await fixture.page.route(fileOf('card-frame'), answerUnavailable);
    await fixture.mount();
    await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
    await fixture.page.unroute(fileOf('card-frame'));
    await fixture.page.evaluate('setup.mount("#card")');
    await expect.poll(() => fixture.heardOf('ready')).toHaveLength(1);
  });
});

describe('a payment whose parts cannot be fetched', () => {
  const body = {
    sessionId,
    tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_1' },
    accountData: { userId: '01990000-0000-7000-8000-0000000000aa', email: 'ada@example.com' },
  };
  const pay = () => {
    const identity = { baseUrl: fixture.api, sessionId, nonce };
    return fixture.page.evaluate(`pay(${JSON.stringify(identity)}, ${JSON.stringify(body)})`);
  };

  it('nothing is sent; network_error, then reload_required, then paid', async () => {
    const part = 'confirm-payment';
    await fixture.visit();
    await fixture.page.route(fileOf(part), answerUnavailable);
    await pay();
    expect(await fixture.result()).toEqual({ thrown: 'network_error', retryable: true });
    await pay();
    expect(await fixture.result()).toEqual({ thrown: 'reload_required', retryable: false });
    expect(fixture.payments()).toEqual([]);
    await fixture.page.unroute(fileOf(part));
    await pay();
    expect(await fixture.result()).toMatchObject({ type: 'succeeded' });
  });

  it('offline: retryable, however often', async () => {
    await fixture.visit();
    await fixture.context.setOffline(true);
    for (const _ of ['once', 'twice', 'three times']) {
      await pay();
      expect(await fixture.result()).toEqual({ thrown: 'network_error', retryable: true });
    }
    await fixture.context.setOffline(false);
    await pay();
    expect(await fixture.result()).toMatchObject({ type: 'succeeded' });
  });

  it('the bank’s dialog, once: the bank is shown all the same', async () => {
    fixture.setups = [fixture.challenge()];
    fixture.standings = [{ status: 'open' }, challengeState];
    await fixture.visit();
    await failOnce('challenge-dialog');
    void pay();
    await fixture.question().getByRole('heading', { name: 'Your bank' }).waitFor();
    await fixture.page.evaluate('stop.abort()');
  });

  it('the bank’s dialog, for good: the question is let go, and reload_required says so', async () => {
    fixture.setups = [fixture.challenge()];
    fixture.standings = [{ status: 'open' }, challengeState];
    await fixture.visit();
    await fixture.page.route(fileOf('challenge-dialog'), answerNotFound);
    await pay();
    expect(await fixture.result()).toEqual({ thrown: 'reload_required', retryable: false });
    expect(fixture.declines()).toMatchObject([{ reason: 'authentication_abandoned' }]);
  });
});
