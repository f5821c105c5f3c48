import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllowedOrigin } from './allowed-origin.ts';

const allowed: readonly [text: string, origin: string][] = [
  ['https://shop.example', 'https://shop.example'],
  ['HTTPS://Shop.Example', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://shop.example:08443', 'https://shop.example:8443'],
  ['https://a.b-c.shop.example', 'https://a.b-c.shop.example'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
  ['https://203.0.113.7', 'https://203.0.113.7'],
  ['https://[2001:db8::1]', 'https://[2001:db8::1]'],
  ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
  ['https://localhost', 'https://localhost'],
  ['http://localhost', 'http://localhost'],
  ['http://localhost:80', 'http://localhost'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://shop.localhost:3000', 'http://shop.localhost:3000'],
  ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
  ['http://127.8.9.10', 'http://127.8.9.10'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
];

const refused: readonly string[] = [
  '',
  ' ',
  'null',
  '*',
  'shop.example',
  '//shop.example',
  'https:',
  'https://',
  'https:///',
  'https:shop.example',
  'https:/shop.example',
  'https:\\\\shop.example',
  'https://shop.example\\',
  'https://shop.example/',
  'https://shop.example/pay',
  'https://shop.example?',
  'https://shop.example#',
  'https://shop.example?a=b',
  'https://shop.example#a',
  'https://@shop.example',
  'https://user@shop.example',
  'https://user:pass@shop.example',
  'https://a.example@b.example',
  'https://*',
  'https://*.shop.example',
  'https://shop.*',
  'https://shop.example:*',
  'https://shop.example:',
  'https://shop.example:0',
  'https://shop.example:65536',
  'https://shop.example:-1',
  'https://shop.example:x',
  'https://shop.example:80:80',
  'https://shop.example.',
  'https://.shop.example',
  'https://shop..example',
  'https://.',
  ' https://shop.example',
  'https://shop.example ',
  'https://shop.example\n',
  'https://shop.exa\tmple',
  'https://shop example',
  'https://shop.example,https://b.example',
  'https://a.example https://b.example',
  'https://shop%2eexample',
  'https://%61.example',
  'https://shop.example%00',
  'https://shop\u0000.example',
  'https://0x7f.1',
  'https://2130706433',
  'https://0177.0.0.1',
  'https://127.1',
  'https://256.1.1.1',
  'https://1.2.3',
  'https://[::1',
  'https://::1',
  'https://[0:0:0:0:0:0:0:1]',
  'https://[v1.x]',
  'https://[::1%25eth0]',
  'https://１２７.0.0.1',
  'https://shop｡example.',
  'http://shop.example',
  'http://localhost.example',
  'http://notlocalhost',
  'http://localhost@evil.example',
  'http://127.0.0.1.evil.example',
  'http://128.0.0.1',
  'http://10.0.0.1',
  'http://192.168.0.1',
  'http://169.254.169.254',
  'http://0.0.0.0',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://[fe80::1]',
  'http://127.1',
  'ws://localhost',
  'wss://shop.example',
  'ftp://shop.example',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://shop.example/1',
  'chrome-extension://abc',
  'about:blank',
  'app://localhost',
  'https//shop.example',
  'httpss://shop.example',
];

describe('parseAllowedOrigin', () => {
  for (const [text, origin] of allowed) {
    test(`${JSON.stringify(text)} becomes ${origin}`, () => {
      expect(parseAllowedOrigin(text)).toEqual({ origin });
    });
  }

  for (const text of refused) {
    test(`${JSON.stringify(text)} is refused with a reason`, () => {
      expect(parseAllowedOrigin(text)).toEqual({ problem: expect.stringMatching(/\.$/) });
    });
  }

  test('what is stored is what a browser sends, and reads as itself', () => {
    const text = fc.oneof(
      fc.webUrl(),
      fc
        .webAuthority({ withPort: true, withIPv4: true, withIPv6: true })
        .map((a) => `https://${a}`),
      fc.constantFrom(...allowed.map(([given]) => given), ...refused),
      fc.string({ unit: 'binary' }).map((host) => `https://${host}`),
    );
    void fc.assert(
      fc.property(text, (given) => {
        const result = parseAllowedOrigin(given);
        if ('problem' in result) return;
        expect(new URL(result.origin).origin).toBe(result.origin);
        expect(result.origin).toMatch(/^https?:\/\/[^/?#@*\s]+$/);
        expect(parseAllowedOrigin(result.origin)).toEqual(result);
      }),
      { numRuns: 2000 },
    );
  });
});
