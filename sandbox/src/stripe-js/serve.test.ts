// The stand-in of the provider's browser library, as it is served. What it does in a page is tried where
// the card form stands on it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ limits: null });
});
afterAll(() => sandbox?.close());

const get = async (path: string) => {
  const answer = await fetch(sandbox.url + path);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe('the stand-in of the browser library', () => {
  it.each(['/v3/', '/v3', '/v3/stripe.js', '/basil/stripe.js', '/endive/stripe.js'])(
    '%s is one script that a page may load from here',
    async (path) => {
      const { status, headers, text } = await get(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      // Like the provider's script, the sandbox's script has no such header: a page that isolates
      // itself cannot load it.
      expect(headers.get('cross-origin-resource-policy')).toBe(null);
      const page = { document: { currentScript: { src: `${sandbox.url}${path}` } } };
      const run = new Function('document', 'globalThis', 'HTMLElement', text);
      const realm: Record<string, unknown> = {};
      run(page.document, realm, class {});
      const { Stripe } = realm as { Stripe: (key: string) => object };
      expect(Object.keys(Stripe('pk_test_1'))).toEqual(['elements', 'createPaymentMethod']);
      expect(() => Stripe('sk_test_1')).toThrow('publishable key');
    },
  );

  it('the frame of a field runs scripts of its own origin alone, and may stand in any page', async () => {
    const { status, headers, text } = await get('/stand-in/field.html');
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'sha256-/);
    expect(policy).not.toContain('frame-ancestors');
    for (const path of ['/stand-in/stripe-js/field.ts', '/stand-in/cards/card-digits.ts']) {
      const module = await get(path);
      expect(module.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(module.text).not.toMatch(/\b(readonly|interface)\b|: string/);
    }
    expect(text).toContain('src="/stand-in/stripe-js/field.ts"');
  });

  it.each([
    '/stand-in/stripe-js/serve.ts',
    '/stand-in/accounts/accounts.ts',
    '/v4/',
    '/UP/stripe.js',
  ])('%s is nothing', async (path) => expect((await get(path)).status).toBe(404));
});
