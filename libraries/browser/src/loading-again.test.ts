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
  cardSetupGround,
  challengeState,
  methodId,
  nonce,
  savedCardAnswer,
  sessionId,
} from '../test-ground.ts';
import { shopPage } from '../test-pages.ts';

const ground = cardSetupGround();
const success = { type: 'success', paymentMethodId: methodId, challenge: null };
const answerUnavailable = (route: Route) => route.fulfill({ status: 503 });
const answerNotFound = (route: Route) => route.fulfill({ status: 404 });
/** Matches the file of a part, from the library itself or with a bundler's hash. */
const fileOf = (part: string) => new RegExp(`/${part}(-[\\w-]+)?\\.js`);
const parts = ['setup-form', 'setup-submit', 'hand-over', 'challenge-dialog', 'en'];

/** Answers the first request of a part with 503. */
async function failOnce(part: string): Promise<() => number> {
  let times = 0;
  await ground.page.route(fileOf(part), (route) => {
    times += 1;
    return times === 1 ? answerUnavailable(route) : route.continue();
  });
  return () => times;
}

const reasons = () => ground.heardOf('loaderror').then((all) => all.map(([, reason]) => reason));

describe.each(['as it is', 'bundled by Vite'])('a part that cannot be fetched, %s', (kind) => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-vite-'));
    if (kind !== 'bundled by Vite') return;
    writeFileSync(join(folder, 'index.html'), '<script type="module" src="/page.js"></script>');
    const importPath = (name: string) => JSON.stringify(join(ground.built, name));
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
        ground.extra[`/${file.fileName}`] = ['text/javascript', file.code ?? ''];
    }
    expect(Object.keys(ground.extra).join()).toMatch(/\/assets\/setup-form-/);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    ground.extra = {};
  });

  it.each(parts)('%s, once: asked for again at once, and nobody hears of it', async (part) => {
    await ground.visit({ locale: 'de-DE' });
    const times = await failOnce(part);
    await ground.ready();
    expect(times()).toBe(2);
    expect(await reasons()).toEqual([]);
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
  });

  it.each(parts)('%s, for a while: a load error; mounted again the form is ready', async (part) => {
    await ground.visit({ locale: 'de-DE' });
    await ground.page.route(fileOf(part), answerUnavailable);
    await ground.mount();
    await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
    expect(await ground.heardOf('ready')).toEqual([]);
    await ground.page.unroute(fileOf(part));
    await ground.page.evaluate('setup.mount("#card")');
    await expect.poll(() => ground.heardOf('ready')).toHaveLength(1);
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
  });

  it('after a load error a submit asks for the part again', async () => {
    await ground.visit();
    await ground.page.route(fileOf('setup-submit'), answerUnavailable);
    await ground.mount();
    await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
    await ground.page.unroute(fileOf('setup-submit'));
    await ground.fillAndSubmit();
    expect(await ground.result()).toEqual(success);
  });

  it.each(['setup-form', 'setup-submit'])(
    '%s, for good: reload_required, by mount and by submit, in the buyer’s language',
    async (part) => {
      await ground.visit({ locale: 'de-DE' });
      await ground.page.route(fileOf(part), answerNotFound);
      await ground.mount();
      await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
      await ground.page.evaluate('setup.mount("#card")');
      await expect.poll(reasons).toEqual(['blocked_by_extension_or_network', 'reload_required']);
      const said = await ground.page.evaluate(
        'setup.submit().then(({ error }) => [error.code, error.retryable, error.message])',
      );
      const words = part === 'setup-form' ? 'Reload the page' : 'laden Sie die Seite neu';
      expect(said).toEqual(['reload_required', false, expect.stringContaining(words)]);
    },
  );

  it('the buyer’s language, once: it is there with the bank’s question', async () => {
    ground.setups = [ground.challenge(), savedCardAnswer];
    await ground.visit({ locale: 'de-DE' });
    const times = await failOnce('de');
    await ground.ready();
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.fillAndSubmit();
    await ground.dialog().getByText('Bei Ihrer Bank bestätigen').waitFor();
    expect(times()).toBe(2);
  });
});

describe('a card frame that the page does not load itself', () => {
  const imported = "import { mountCardFrame } from '/svc/card-frame.js';";
  beforeAll(() => {
    ground.extra['/page.js'] = [
      'text/javascript',
      shopPage.script.replace(imported, 'const mountCardFrame = null;'),
    ];
  });
  afterAll(() => {
    ground.extra = {};
  });

  it('once: asked for again; for a while: a load error, and mounted again it is there', async () => {
    await ground.visit();
    const times = await failOnce('card-frame');
    await ground.ready();
    expect(times()).toBe(2);
    await ground.context.close();
    await ground.visit();
    await ground.page.route(fileOf('card-frame'), answerUnavailable);
    await ground.mount();
    await expect.poll(reasons).toEqual(['blocked_by_extension_or_network']);
    await ground.page.unroute(fileOf('card-frame'));
    await ground.page.evaluate('setup.mount("#card")');
    await expect.poll(() => ground.heardOf('ready')).toHaveLength(1);
  });
});

describe('a payment whose parts cannot be fetched', () => {
  const body = {
    sessionId,
    tokenizedData: { provider: 'cardprovider', type: 'card', token: 'svct_1' },
    accountData: { userId: '01990000-0000-7000-8000-0000000000aa', email: 'ada@example.com' },
  };
  const pay = () => {
    const identity = { baseUrl: ground.api, sessionId, nonce };
    return ground.page.evaluate(`pay(${JSON.stringify(identity)}, ${JSON.stringify(body)})`);
  };

  it.each(['confirm-payment', 'hand-over'])(
    '%s: nothing is sent; network_error, then reload_required, then paid',
    async (part) => {
      await ground.visit();
      await ground.page.route(fileOf(part), answerUnavailable);
      await pay();
      expect(await ground.result()).toEqual({ thrown: 'network_error', retryable: true });
      await pay();
      expect(await ground.result()).toEqual({ thrown: 'reload_required', retryable: false });
      expect(ground.payments()).toEqual([]);
      await ground.page.unroute(fileOf(part));
      await pay();
      expect(await ground.result()).toMatchObject({ type: 'succeeded' });
    },
  );

  it('offline: retryable, however often', async () => {
    await ground.visit();
    await ground.context.setOffline(true);
    for (const _ of ['once', 'twice', 'three times']) {
      await pay();
      expect(await ground.result()).toEqual({ thrown: 'network_error', retryable: true });
    }
    await ground.context.setOffline(false);
    await pay();
    expect(await ground.result()).toMatchObject({ type: 'succeeded' });
  });

  it('the bank’s dialog, once: the bank is shown all the same', async () => {
    ground.setups = [ground.challenge()];
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.visit();
    await failOnce('challenge-dialog');
    void pay();
    await ground.question().getByRole('heading', { name: 'Your bank' }).waitFor();
    await ground.page.evaluate('stop.abort()');
  });

  it('the bank’s dialog, for good: the question is let go, and reload_required says so', async () => {
    ground.setups = [ground.challenge()];
    ground.standings = [{ status: 'open' }, challengeState];
    await ground.visit();
    await ground.page.route(fileOf('challenge-dialog'), answerNotFound);
    await pay();
    expect(await ground.result()).toEqual({ thrown: 'reload_required', retryable: false });
    expect(ground.declines()).toMatchObject([{ reason: 'authentication_abandoned' }]);
  });
});
