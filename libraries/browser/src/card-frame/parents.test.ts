import { isListedOrigin, loopbackOrigins } from '@svc/contract/servers/origins';
import { describe, expect, it } from 'vitest';
import { mayEmbed } from './parents.ts';

const origins = [
  'https://shop.example',
  'https://shop.example:8443',
  'https://evil.example',
  'http://localhost:3000',
  'https://localhost',
  'https://a.b.localhost:4',
  'http://127.9.9.9',
  'http://[::1]:3',
  'null',
  'http://evil.example/x.localhost',
  'http://evil127.0.0.1',
  'http://10.0.0.1',
];

describe('the list of pages in the form’s address', () => {
  it('is read by the rule of the service and the vault, for every page around', () => {
    const list = ['https://shop.example', ...loopbackOrigins];
    const encoded = Buffer.from(JSON.stringify(list)).toString('base64url');
    const formUrl = `https://card.example/form/1?parents=${encoded}.c2lnbmF0dXJl`;
    const page = globalThis as { origin?: string; location?: object };
    const before = { origin: page.origin, location: page.location };
    try {
      for (const origin of origins) {
        Object.assign(page, { origin, location: {} });
        expect([origin, mayEmbed(formUrl)]).toEqual([origin, isListedOrigin(origin, list)]);
        const location = { ancestorOrigins: [origin] };
        Object.assign(page, { origin: 'https://shop.example', location });
        expect([origin, mayEmbed(formUrl)]).toEqual([origin, isListedOrigin(origin, list)]);
      }
      // For an address without a list, the frame itself decides.
      expect(mayEmbed('https://card.example/form/1')).toBe(true);
    } finally {
      Object.assign(page, before);
    }
  });
});
