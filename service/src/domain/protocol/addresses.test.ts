// Reliability §5.4: where a buyer may be sent.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasUserinfo, isAllowedReturnUrl, resolveReturnUrl } from './addresses.ts';

const allowedOrigins = ['https://shop.example', 'https://shop.example:8443'];
const live = { allowedOrigins, isSandbox: false };
const sandbox = { allowedOrigins, isSandbox: true };

describe('isAllowedReturnUrl', () => {
  it.each([
    '/',
    '/thanks',
    '/thanks?order=1#done',
    '/%2F%2Fevil.example',
    'https://shop.example',
    'https://shop.example/thanks?a=b#c',
    'https://SHOP.example/thanks',
    'https://shop.example:443/thanks',
    'https://shop.example:8443/x',
  ])('allowed: %s', (text) => {
    expect(isAllowedReturnUrl(text, live)).toBe(true);
    expect(isAllowedReturnUrl(text, sandbox)).toBe(true);
  });

  it.each([
    '',
    'thanks',
    './thanks',
    '?order=1',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/ok\r\nLocation: https://evil.example',
    '/ok\u0000',
    '/ok\u0085',
    '/ok\u2028',
    ' /thanks',
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example\\@evil.example',
    'https:\\\\shop.example',
    'https:shop.example',
    'https:/shop.example',
    'https:///shop.example',
    'https://user@shop.example',
    'https://user:word@shop.example',
    'https://:word@shop.example',
    'https://@shop.example',
    'http://localhost:0/thanks',
    'https://*/thanks',
    'https://shop.example@evil.example',
    'https://evil.example',
    'https://evil.example#https://shop.example',
    'https://evil.example?https://shop.example',
    'https://shop.example.evil.example',
    'https://evilshop.example',
    'https://shop.example:8444',
    'https://shop.example.',
    'https://sh\u043ep.example',
    'https://\uff53hop.example.evil',
    'https://shop.example%2eevil.example',
    'http://shop.example',
    'ftp://shop.example',
    'javascript:alert(1)',
    'JavaScript://shop.example/%0aalert(1)',
    'data:text/html,hello',
    'vbscript:x',
    'blob:https://shop.example/1',
    'filesystem:https://shop.example/x',
    'file:///etc/passwd',
    'https://',
    'https://[::1',
    'about:blank',
  ])('refused everywhere: %j', (text) => {
    expect(isAllowedReturnUrl(text, live)).toBe(false);
    expect(isAllowedReturnUrl(text, sandbox)).toBe(false);
  });

  it("the shop's host written with full-width letters or stops is the shop's host", () => {
    expect(isAllowedReturnUrl('https://shop\u3002example/x', live)).toBe(true);
    expect(isAllowedReturnUrl('https://\uff53hop.example/x', live)).toBe(true);
  });

  it.each([
    'http://localhost:3000/thanks',
    'https://localhost/thanks',
    'http://127.0.0.1:5173',
    'http://127.8.9.10/x',
    'http://[::1]:3000/x',
  ])('loopback is for the sandbox alone: %s', (text) => {
    expect(isAllowedReturnUrl(text, sandbox)).toBe(true);
    expect(isAllowedReturnUrl(text, live)).toBe(false);
  });

  it.each([
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost:3000@evil.example',
    'http://evil.example/localhost',
    'blob:http://localhost:3000/1',
    'http://128.0.0.1',
    'http://[::2]',
  ])('no loopback: %s', (text) => {
    expect(isAllowedReturnUrl(text, sandbox)).toBe(false);
  });

  it('whatever is allowed leads a browser to the checkout itself or to an allowed origin', () => {
    const piece = fc.constantFrom(
      ...['https:', 'http:', '/', '//', '\\', 'shop.example', 'evil.example', '@', ':', '.', '?'],
      ...['#', '%2f', ' ', '\t', 'javascript:', 'a', '\u3002', '\u200b', '8443', '\u0000', 'xn--'],
    );
    const base = 'https://pay.example/c/1';
    let allowed = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        if (!isAllowedReturnUrl(text, live)) return;
        allowed += 1;
        expect(['https://pay.example', ...allowedOrigins]).toContain(new URL(text, base).origin);
      }),
      { numRuns: 20_000 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});

describe('resolveReturnUrl', () => {
  it.each([
    ['/thanks?a=1', 'https://shop.example', 'https://shop.example/thanks?a=1'],
    ['/thanks', null, '/thanks'],
    ['https://shop.example/x', 'https://other.example', 'https://shop.example/x'],
    [undefined, 'https://shop.example', null],
  ])('%s on %s: %s', (text, site, expected) => {
    expect(resolveReturnUrl(text, site)).toBe(expected);
  });
});

describe('hasUserinfo', () => {
  it.each([
    'https://@host/',
    'https://:@host/',
    'https://a@host/',
    'https://a:b@host:8443/hook',
    'https:@host/',
    'https:\\\\@host/',
    'https:////@host/',
    'https:/\t/@\nhost/',
    ' https://@host/',
  ])('%j has', (url) => {
    expect(URL.canParse(url)).toBe(true);
    expect(hasUserinfo(url)).toBe(true);
  });

  it.each([
    'https://host/',
    'https://host/@a',
    'https://host/a:b@c',
    'https://host?to=a@b',
    'https://host#@',
    'https://host\\@a',
    'https://[::1]:3000/@',
  ])('%j has not', (url) => {
    expect(hasUserinfo(url)).toBe(false);
  });

  it('misses none that parsing finds', () => {
    const piece = fc.constantFrom('@', ':', '/', '\\', '?', '#', 'a', '\t', ' ', '8', '%40');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => `https:${pieces.join('')}`);
    fc.assert(
      fc.property(text, (given) => {
        const url = URL.parse(given);
        if (url?.username || url?.password) expect(hasUserinfo(given)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
