import { describe, expect, it } from 'vitest';
import { assertOwnHost } from './own-host.ts';

const isServed = (host: string | null, baseUrl: string, isLive = false): boolean => {
  try {
    assertOwnHost(host === null ? [] : ['Host', host], { baseUrl, isLive });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'cross_site_request' });
    return false;
  }
};

describe('assertOwnHost', () => {
  it('serves the name of the base address, in any case and at any port', () => {
    for (const host of ['pay.example', 'PAY.example', 'pay.example:443', 'pay.example:8443']) {
      expect(isServed(host, 'https://pay.example', true), host).toBe(true);
    }
  });

  it('403 cross_site_request: any other name, none, and what is no name', () => {
    const strange = [
      'evil.example',
      'pay.example.evil.example',
      'pay.example.',
      '',
      'pay.example@x',
    ];
    for (const host of [...strange, 'x/pay.example', 'pay.example#', 'localhost', '127.0.0.1']) {
      expect(isServed(host, 'https://pay.example', true), host).toBe(false);
    }
    expect(isServed(null, 'https://pay.example')).toBe(false);
    expect(() =>
      assertOwnHost(['Host', 'pay.example', 'host', 'pay.example'], {
        baseUrl: 'https://pay.example',
        isLive: true,
      }),
    ).toThrow();
  });

  it('serves every loopback spelling in a sandbox on this machine, and there alone', () => {
    const local = ['localhost:4000', '127.0.0.1:4000', '[::1]:4000', 'localhost'];
    for (const host of local) expect(isServed(host, 'http://localhost:4000'), host).toBe(true);
    expect(isServed('evil.example:4000', 'http://localhost:4000')).toBe(false);
    expect(isServed('localhost.evil.example:4000', 'http://127.0.0.1:4000')).toBe(false);
    expect(isServed('127.0.0.1:4000', 'http://localhost:4000', true)).toBe(false);
    expect(isServed('localhost:4000', 'https://pay.example')).toBe(false);
  });
});
