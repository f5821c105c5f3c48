// What keeps the card form apart from every page, in a real browser.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loopbackOrigins } from '@svc/contract/servers/origins';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findIntegrity } from '../build.ts';
import {
  fillCard,
  form,
  message,
  messages,
  type Page,
  send,
  startCardStage,
  untilHeard,
} from '../test/card-stage.ts';
import { signParents } from './signatures.ts';

type Stage = Awaited<ReturnType<typeof startCardStage>>;
let stage: Stage;
let mount: Stage['mount'];

beforeAll(async () => {
  stage = await startCardStage();
  ({ mount } = stage);
});
afterEach(() => stage.closePages());
afterAll(() => stage?.close());

/** Posts a handshake from a window of the page and keeps what comes back in `heard`. */
const shakeHands = (source: string) => `window.heard = [];
  const source = ${source};
  const extra = new source.MessageChannel();
  extra.port1.onmessage = ({ data }) => heard.push(data);
  source.extra = extra;
  source.cardFrame = document.querySelector('iframe').contentWindow;
  source.eval("cardFrame.postMessage({ svc: 'mount', protocol: 1 }, '*', [extra.port2])");
  extra.port1.postMessage({ type: 'mount', mountToken: 'x', options: {} });`;

/** The browser shows an error of its own in the form's place. */
const untilRefused = (page: Page) =>
  expect
    .poll(() => page.frames()[1]?.url())
    .toMatch(/^(chrome-error:|about:neterror\?e=cspBlocked)/);

describe('the wall', () => {
  it('the page cannot read the frame', async () => {
    const page = await mount();
    await form(page).locator('#number').fill('4242424242424242');
    const frame = `document.querySelector('iframe')`;
    expect(await page.evaluate(`${frame}.contentDocument`)).toBe(null);
    const read = `try { ${frame}.contentWindow.document; 'read' } catch (e) { e.name }`;
    expect(await page.evaluate(read)).toBe('SecurityError');
  });

  it('another page is refused by the policy: no form, no message', async () => {
    const page = await stage.open({ formUrl: stage.vault.formUrl(['https://shop.example']) });
    await untilRefused(page);
    expect(await messages(page)).toEqual([]);
  });

  it('a list of parents that nobody signed: 403, embedded nowhere', async () => {
    const signed = signParents([stage.site.origin], Buffer.alloc(32));
    const formUrl = `${stage.vault.url}/form/1?parents=${signed}`;
    const page = await stage.open({ formUrl });
    await untilRefused(page);
    expect(await messages(page)).toEqual([]);
    const answer = await fetch(formUrl);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await answer.text()).toContain('data-refusal="origin_not_allowed"');
  });

  it('a wildcard port is followed', async () => {
    const formUrl = stage.vault.formUrl(['http://localhost:*']);
    const page = await stage.open({ formUrl });
    expect(await message(page, 'ready')).toEqual({ type: 'ready' });
  });

  it.each(['localhost', 'shop.localhost', '127.0.0.1', '127.4.5.6', '[::1]'])(
    'a page of this machine is let in where the list has them all: %s',
    async (host) => {
      const own = await stage.site.on(host);
      const formUrl = stage.vault.formUrl(loopbackOrigins);
      const page = await stage.newPage();
      await page.goto(own.page({ formUrl, mountToken: stage.vault.mountToken() }));
      expect(await message(page, 'ready')).toEqual({ type: 'ready' });
    },
  );

  it.each(['127.4.5.6', '[::1]'])(
    'a page that the policy cannot name is let in alone, and from no cache: %s',
    async (host) => {
      const formUrl = stage.vault.formUrl(loopbackOrigins);
      const requestForm = (referer: string) => fetch(formUrl, { headers: { referer } });
      const own = await requestForm(`http://${host}:4000/`);
      const ancestors = /frame-ancestors ([^;]*)/;
      const policyOf = (answer: Response) =>
        ancestors.exec(answer.headers.get('content-security-policy') ?? '')?.[1]?.split(' ');
      expect(policyOf(own)?.at(-1)).toBe(host === '[::1]' ? 'http:' : `http://${host}:4000`);
      expect(own.headers.get('cache-control')).toBe('no-store');
      for (const other of ['https://evil.example/', 'http://[::2]/', 'http://128.0.0.1/', '']) {
        const answer = await requestForm(other);
        expect(policyOf(answer)).toHaveLength(loopbackOrigins.length - 2);
        expect(answer.headers.get('cache-control')).toContain('public');
      }
    },
  );

  it('a second handshake is ignored', async () => {
    const page = await mount();
    await page.evaluate(shakeHands('window'));
    await untilHeard(page);
    expect(await page.evaluate('heard')).toEqual([]);
  });

  it('a handshake of another window is ignored, though its origin is permitted', async () => {
    const page = await stage.open({ isSilent: true });
    // A frame of the page's own, and so of its origin.
    await page.evaluate(shakeHands(`document.querySelector('#next').contentWindow`));
    await untilHeard(page);
    expect(await page.evaluate('heard')).toEqual([]);
    await page.evaluate('shakeHands()');
    expect(await message(page, 'ready')).toEqual({ type: 'ready' });
  });

  it('a handshake of an origin that is not listed is ignored, even without the policy', async () => {
    const formUrl = stage.vault.formUrl(['https://shop.example']);
    const page = await stage.newPage();
    await page.route(formUrl, async (route) => {
      const answer = await route.fetch();
      const { 'content-security-policy': _, ...headers } = answer.headers();
      await route.fulfill({ response: answer, headers });
    });
    await page.goto(stage.site.page({ formUrl, mountToken: stage.vault.mountToken() }));
    await form(page).locator('#skeleton').waitFor();
    await untilHeard(page);
    expect(await messages(page)).toEqual([]);
    expect(await form(page).locator('#form').isVisible()).toBe(false);
  });

  it('a form that is older or newer than the page answers version_mismatch', async () => {
    const newer = await stage.open({ protocol: 2 });
    expect(await message(newer, 'loaderror')).toEqual({
      type: 'loaderror',
      reason: 'version_mismatch',
    });
    const older = await stage.open({
      formUrl: stage.vault.formUrl([stage.site.origin], 2),
      protocol: 2,
    });
    expect(await message(older, 'loaderror')).toMatchObject({ reason: 'version_mismatch' });
  });

  it('no cookie, no storage, no request but its own two', async () => {
    const page = await stage.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    const formUrl = stage.vault.formUrl([stage.site.origin]);
    await page.goto(stage.site.page({ formUrl, mountToken: stage.vault.mountToken() }));
    await message(page, 'ready');
    await fillCard(page);
    await send(page, { type: 'submit', id: 'x' });
    await message(page, 'token');
    expect(requests.filter((line) => line.includes(stage.vault.url))).toEqual([
      `GET ${formUrl}`,
      `POST ${stage.vault.url}/form/tokens`,
    ]);
    expect(requests.filter((line) => !line.includes(stage.vault.url))).toHaveLength(1);
    expect(await page.context().cookies()).toEqual([]);
    const stored = await page
      .frames()[1]
      ?.evaluate('[localStorage.length, sessionStorage.length, document.cookie]');
    expect(stored).toEqual([0, 0, '']);
  });

  it('serves exactly the pieces of the inventory, and its policy allows no other script', async () => {
    const answer = await fetch(stage.vault.formUrl([stage.site.origin]));
    const html = await answer.text();
    const pieces = findIntegrity(join(import.meta.dirname, '../dist'))?.pieces ?? [];
    const sha384 = (text: string) => createHash('sha384').update(text).digest('base64');
    const inside = (tag: string) => {
      const found = [...html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))];
      expect(found).toHaveLength(1);
      return sha384(found[0]?.[1] ?? '');
    };
    const served = [inside('script'), inside('style'), sha384(html)];
    expect(pieces.map((piece) => piece.sha384)).toEqual(served);
    expect(pieces.every(({ purpose }) => purpose !== '')).toBe(true);
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src 'sha384-${served[0]}'; style-src 'sha384-${served[1]}'; ` +
        "connect-src 'self'; form-action 'none'; base-uri 'none'; object-src 'none'; " +
        `frame-ancestors ${stage.site.origin}; require-trusted-types-for 'script'; trusted-types 'none'; ` +
        'report-to csp',
    );
    expect(answer.headers.get('cache-control')).toContain('public');
  });

  it('the document is cached by its tag and small: at most 18 kB', async () => {
    const url = stage.vault.formUrl([stage.site.origin]);
    const first = await fetch(url, { headers: { 'accept-encoding': 'br' } });
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    const document = findIntegrity(join(import.meta.dirname, '../dist'))?.document ?? '';
    const bytes = readFileSync(join(import.meta.dirname, '../dist', `${document}.br`)).length;
    expect(bytes).toBeLessThan(18_000);
  });
});
