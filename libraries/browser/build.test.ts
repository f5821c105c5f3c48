// What merchants install: small, alone, and typed as the contract is.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedBrowser } from '@svc/tools/browser';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildLibrary } from './build.ts';
import { measure } from './sizes.ts';

const repository = join(import.meta.dirname, '../..');
let folder: string;
let dist: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-browser-'));
  dist = join(folder, 'node_modules/@svc/browser');
  mkdirSync(join(folder, 'node_modules/@svc'), { recursive: true });
  // React is a dependency of the merchant.
  for (const name of ['react', '@types', 'csstype']) {
    symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
  }
  await buildLibrary(dist);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function listCompileErrors(files: string[], flags: string[]): string {
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const all = [compiler, '--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', ...flags];
  try {
    execFileSync(process.execPath, [...all, '--module', 'esnext', ...files], { cwd: folder });
    return '';
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  }
}

describe('the package', () => {
  /**
   * Returns what a page fetches for one module before it runs: the module and all that it imports.
   */
  function listFetched(name: string, seen = new Set<string>()): Set<string> {
    seen.add(name);
    const imports = readFileSync(join(dist, name), 'utf8').matchAll(/from\s*["']\.\/([^"']+)["']/g);
    for (const [, next = ''] of imports) if (!seen.has(next)) listFetched(next, seen);
    return seen;
  }

  it('a page fetches four small files before it runs, and nothing of a form', () => {
    expect([...listFetched('index.js')].sort()).toEqual([
      'card-setup.js',
      'index.js',
      'send.js',
      'svc-error.js',
    ]);
  });

  it('the form of CardSetup is one file more, beside the card frame', () => {
    const before = new Set([...listFetched('index.js'), 'card-frame.js']);
    const more = [...listFetched('setup-form.js')].filter((name) => !before.has(name));
    expect(more).toEqual(['setup-form.js']);
  });

  it('PaymentAPI stays within 3.75 kB compressed, CardSetup within 2.6 kB more, each part within its budget', async () => {
    const sizes = await measure(dist);
    const over = Object.entries(sizes).filter(([, { bytes, atMost }]) => bytes > atMost);
    expect(over).toEqual([]);
    // A part that is missing by mistake must not count as a small size.
    for (const [, { bytes, atMost }] of Object.entries(sizes)) {
      expect(bytes).toBeGreaterThan(atMost / 3);
    }
    expect(readdirSync(join(dist, 'texts')).filter((name) => name.endsWith('.js'))).toHaveLength(
      16,
    );
  });

  it('a few hundred bytes too many are found', async () => {
    const heavy = join(folder, 'heavy');
    cpSync(dist, heavy, { recursive: true });
    const words = Array.from({ length: 80 }, (_, n) =>
      createHash('md5').update(`${n}`).digest('hex'),
    );
    const code = readFileSync(join(heavy, 'index.js'), 'utf8');
    const more = `globalThis.words = ${JSON.stringify(words.join(''))};`;
    writeFileSync(join(heavy, 'index.js'), `${code}${more}`);
    const { bytes, atMost } = (await measure(heavy))['PaymentAPI, whole'] ?? {
      bytes: 0,
      atMost: 0,
    };
    expect(bytes).toBeGreaterThan(atMost);
  });

  it('names no other package, in code or types, but React where it is for React', () => {
    const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => /\.(js|ts)$/.test(one))) {
      const text = readFileSync(join(dist, name), 'utf8');
      const imports = [...text.matchAll(/(?:from\s*["']|import\s*\(?["'`])([^"'`]+)["'`]/g)];
      const allowed = /(^|\/)react\./.test(name) ? /^(\.\/|react$)/ : /^\.{1,2}\//;
      for (const [, target] of imports)
        expect([name, target]).toEqual([name, expect.stringMatching(allowed)]);
    }
    const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest.peerDependenciesMeta).toEqual({ react: { optional: true } });
  });

  it('the part for React says that it runs in the client', () => {
    expect(readFileSync(join(dist, 'react.js'), 'utf8')).toMatch(/^["']use client["']/);
  });

  it('Contract §11 browser exports: imported alone they run, and importing them does nothing', () => {
    const code = `const before = Object.keys(globalThis).join();
      globalThis.fetch = () => { throw new Error('asked the network'); };
      const entry = await import('@svc/browser'), { PaymentAPI, SvcError } = entry;
      const { mountCardFrame } = await import('@svc/browser/card-frame');
      const { defineCardSetup } = await import('@svc/browser/element');
      const react = await import('@svc/browser/react');
      if (Object.keys(globalThis).join() !== before) throw new Error('left something behind');
      const error = await new PaymentAPI('http://x').createAndFetchSession({ products: [] })
        .catch((cause) => cause);
      const kinds = [mountCardFrame, defineCardSetup, react.CardSetup].map((one) => typeof one);
      console.log(error instanceof SvcError, error.code, kinds.join(), Object.keys(entry).join());`;
    writeFileSync(join(folder, 'alone.mjs'), code);
    const said = execFileSync(process.execPath, ['alone.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(said.trim()).toBe(
      'true CurrencyRequired function,function,object CardSetup,PaymentAPI,SvcError,confirmPayment,mountExpressCheckout',
    );
  });
});

describe('the published types', () => {
  const browserFlags = ['--moduleResolution', 'bundler', '--lib', 'es2022,dom', '--types', ''];

  it('type-check alone in strict mode, and refuse wrong use', () => {
    const compileUse = (
      draft: string,
    ) => `import { PaymentAPI, type CheckoutSession } from '@svc/browser';
      import { mountCardFrame } from '@svc/browser/card-frame';
      const api = new PaymentAPI('https://pay.example');
      const session = await api.createAndFetchSession(${draft});
      const status: CheckoutSession['status'] = session.status;
      const key: string | undefined = session.data.cardprovider?.publishableKey;
      if (session.vault) void mountCardFrame(document.body, session.vault).submit();
      export { status, key };`;
    const line = `products: [{ code: 'mug', quantity: 1 }]`;
    writeFileSync(
      join(folder, 'use.ts'),
      compileUse(`{ clientId: 'x', currency: 'EUR', ${line} }`),
    );
    expect(listCompileErrors(['use.ts'], browserFlags)).toBe('');
    writeFileSync(
      join(folder, 'use.ts'),
      compileUse(`{ clientId: 7, captureMethods: 'x', ${line} }`),
    );
    expect(listCompileErrors(['use.ts'], browserFlags)).toMatch(/TS2322|TS2353/);
  });

  it('of CardSetup, its element, the React components and confirmPayment: the results are told apart', () => {
    const use = (
      text: string,
    ) => `import { CardSetup, confirmPayment, type PaymentAPI, type ProcessBody, type SetupResult } from '@svc/browser';
      import { defineCardSetup, type CardSetupElement } from '@svc/browser/element';
      import { CardPayment, type CardPaymentHandle, type CardPaymentResult, CardSetup as Card, type CardSetupHandle } from '@svc/browser/react';
      const identity = { baseUrl: 'https://pay.example', sessionId: 's', nonce: 'n' };
      const idOf = (end: SetupResult): string | null => {
        switch (end.type) {
          case 'success': return end.paymentMethodId;
          case 'decline': return end.retryable ? end.message : end.code;
          case 'cancel': return end.reason;
          case 'error': return end.error.code;
        }
      };
      const paidOf = async (api: PaymentAPI, body: ProcessBody): Promise<string | null> => {
        const end = await confirmPayment(api, 'u', body, { locale: 'de', appearance: { theme: 'dark' } });
        switch (end.type) {
          case 'succeeded': return end.body.status === 'authorized' ? end.body.paymentId : null;
          case 'declined': case 'failed': return end.advice ?? end.message + end.declineCode;
          case 'cancelled': case 'timed_out': case 'processing': return end.type;
        }
      };
      const orderOf = (end: CardPaymentResult): string | null => {
        switch (end.type) {
          case 'success': return end.body.redirectUrl ?? end.body.paymentId;
          case 'decline': return end.retryable ? end.message : end.code;
          case 'cancel': return end.reason;
          case 'processing': return end.type;
          case 'error': return end.error.code;
        }
      };
      export const payOf = async (handle: CardPaymentHandle) => [orderOf(await handle.submit()), CardPayment];
      const setup = new CardSetup({ ...identity, onLoadError: (reason) => reason === 'blocked_by_csp' });
      const element = document.querySelector<CardSetupElement>('svc-card-setup');
      export const all = async (handle: CardSetupHandle) => [
        idOf(await setup.mount('#card').submit()), await element?.submit(), await handle.submit(),
        defineCardSetup, Card, paidOf];
      ${text}`;
    writeFileSync(join(folder, 'use.ts'), use(''));
    const flags = [...browserFlags.slice(0, -2), '--skipLibCheck', '--types', 'react'];
    expect(listCompileErrors(['use.ts'], flags)).toBe('');
    writeFileSync(join(folder, 'use.ts'), use(`new CardSetup({ ...identity, onSucces() {} });`));
    expect(listCompileErrors(['use.ts'], flags)).toMatch(/TS2353|TS2561/);
  });

  it('equal the types of the contract', () => {
    const names = ['CheckoutSession', 'CheckoutSessionStatus', 'CreateCheckoutSession'];
    names.push('ClaimCheckoutSession', 'CreatedCheckoutSession', 'ProcessAnswer');
    const contract = join(repository, 'contract/src');
    const compareTypes = (text: string) => `import type * as Published from '@svc/browser';
      import type * as Contract from '${contract}/checkout-sessions/checkout-sessions.ts';
      import type { InputOf, OutputOf } from '${contract}/rows/row.ts';
      import type { Rows } from '${contract}/index.ts';
      type Equal<A, B> =
        (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
      type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
      type Body = InputOf<Rows['processCheckoutSession']>['body'];
      type Of<K extends keyof Rows> = Extract<OutputOf<Rows[K]>, { body: object }>['body'];
      ${text}`;
    const flags = ['--moduleResolution', 'bundler', '--lib', 'es2024', '--types', 'node'];
    flags.push('--typeRoots', join(repository, 'node_modules/@types'), '--skipLibCheck');
    flags.push('--allowImportingTsExtensions', '--exactOptionalPropertyTypes');
    const tests = names.map(
      (name) =>
        `export const is${name}: Equal<Plain<Published.${name}>, Plain<Contract.${name}>> = true;`,
    );
    tests.push('export const isBody: Equal<Plain<Published.ProcessBody>, Plain<Body>> = true;');
    for (const kind of ['Payment', 'Setup']) {
      const published = `Plain<Published.${kind}Intent>`;
      tests.push(
        `export const is${kind}Intent: Equal<${published}, Plain<Of<'create${kind}Intent'>>> = true;`,
      );
    }
    writeFileSync(join(folder, 'same.ts'), compareTypes(tests.join('\n')));
    expect(listCompileErrors(['same.ts'], flags)).toBe('');
    const other = `export const no: Equal<Published.CheckoutSession['id'], 1> = true;`;
    writeFileSync(join(folder, 'same.ts'), compareTypes(other));
    expect(listCompileErrors(['same.ts'], flags)).toContain('TS2322');
  });
});

describe('the display cache in a browser', () => {
  let server: Server;
  let page: Page;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const file = request.url?.endsWith('.js') ? request.url : null;
      response.writeHead(200, { 'content-type': file ? 'text/javascript' : 'text/html' });
      response.end(file ? readFileSync(join(dist, file)) : '<!doctype html>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    page = await (await sharedBrowser()).newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.evaluate(`import('/index.js').then(({ PaymentAPI }) => {
      globalThis.api = new PaymentAPI(location.origin);
      globalThis.shown = (name) => ({ currency: 'EUR', products: [
        { code: 'mug', name, totalAmount: 5, overrideAmount: null, currency: 'EUR', secret: 'x' }] });
    })`);
  });
  afterAll(async () => {
    await page.close();
    server.close();
  });
  const run = (code: string) =>
    page.evaluate(`(async () => { sessionStorage.clear(); ${code} })()`);

  it('Contract §9 key: keeps the allow-listed fields under svc:display:<sessionId>, and clears them', async () => {
    const seen = await run(`api.cacheSessionDisplayData('s1', shown('Mug'));
      const stored = sessionStorage.getItem('svc:display:s1'), read = api.getSessionDisplayData('s1');
      api.clearSessionDisplayData('s1');
      return [stored.includes('secret'), read.products[0].name, sessionStorage.length,
        api.getSessionDisplayData('s1')];`);
    expect(seen).toEqual([false, 'Mug', 0, null]);
  });

  it('Contract §9 life: half an hour by default, a day at most', async () => {
    const seen = await run(`const now = Date.now();
      const at = (ms) => { Date.now = () => now + ms; return api.getSessionDisplayData('s1') !== null; };
      const real = Date.now, all = [];
      api.cacheSessionDisplayData('s1', shown('Mug'));
      all.push(at(1_790_000), at(1_810_000));
      Date.now = real;
      api.cacheSessionDisplayData('s1', shown('Mug'), { ttlMs: 1e12 });
      all.push(at(86_300_000), at(86_500_000));
      Date.now = real;
      api.cacheSessionDisplayData('s1', shown('Mug'), { ttlMs: 5_000 });
      all.push(at(4_000), at(6_000));
      Date.now = real;
      return all;`);
    expect(seen).toEqual([true, false, true, false, true, false]);
  });

  it('Contract §9 entries: holds 20 and drops the oldest', async () => {
    const seen = await run(`const real = Date.now;
      for (let i = 0; i < 23; i += 1) {
        Date.now = () => real() + i;
        api.cacheSessionDisplayData('s' + i, shown('Mug'));
      }
      Date.now = real;
      sessionStorage.setItem('other', '1');
      return [Object.keys(sessionStorage).filter((key) => key.startsWith('svc:display:')).length,
        api.getSessionDisplayData('s2'), api.getSessionDisplayData('s3')?.currency,
        api.getSessionDisplayData('s22')?.currency];`);
    expect(seen).toEqual([20, null, 'EUR', 'EUR']);
  });

  it('Contract §9 malformed: removed without a word', async () => {
    const seen =
      await run(`const bad = ['{', '{}', '7', 'null', '{"until":9e15,"data":{"currency":1}}'];
      return bad.map((text) => { sessionStorage.setItem('svc:display:s1', text);
        return [api.getSessionDisplayData('s1'), sessionStorage.length]; });`);
    expect(seen).toEqual(Array.from({ length: 5 }, () => [null, 0]));
  });

  it('Contract §9 quota: falls back to memory when the storage is full or refused', async () => {
    const seen = await run(`let size = 1 << 20;
      while (size > 0) {
        try { sessionStorage.setItem('fill' + size + sessionStorage.length, 'x'.repeat(size)); }
        catch { size >>= 1; }
      }
      api.cacheSessionDisplayData('s1', shown('Mug'));
      const full = [sessionStorage.getItem('svc:display:s1'), api.getSessionDisplayData('s1')?.currency];
      sessionStorage.clear();
      Object.defineProperty(globalThis, 'sessionStorage', { configurable: true,
        get() { throw new DOMException('no', 'SecurityError'); } });
      api.cacheSessionDisplayData('s2', shown('Mug'));
      const refused = api.getSessionDisplayData('s2')?.currency;
      delete globalThis.sessionStorage;
      return [...full, refused];`);
    expect(seen).toEqual([null, 'EUR', 'EUR']);
  });
});
