import { describe, expect, it } from 'vitest';
import { isLoopbackHost } from './loopback.ts';
import { isListedOrigin, isLoopbackOrigin } from './origins.ts';

const cases: [string, boolean][] = [
  ['http://localhost', true],
  ['http://localhost:3000', true],
  ['https://localhost', true],
  ['https://localhost:8443', true],
  ['http://shop.localhost', true],
  ['https://a.b.localhost:4', true],
  ['http://127.0.0.1:1', true],
  ['http://127.9.9.9', true],
  ['https://127.1.2.3:4', true],
  ['http://[::1]', true],
  ['https://[::1]:3', true],
  ['null', false],
  ['', false],
  ['localhost', false],
  ['http://localhost:x', false],
  ['http://localhost:*', false],
  ['http://localhost:3000/', false],
  ['http://evil.example/x.localhost', false],
  ['http://a@x.localhost', false],
  ['https://localhost.evil.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['http://evil127.0.0.1', false],
  ['http://notlocalhost', false],
  ['ftp://localhost', false],
  ['http://10.0.0.1', false],
  ['http://[::2]', false],
];

describe('an origin of this machine', () => {
  it.each(cases)('%s: %s', (origin, isLoopback) => {
    expect(isLoopbackOrigin(origin)).toBe(isLoopback);
  });
});

describe('a list of origins', () => {
  it('has what it names, and any port where it says so', () => {
    const list = ['https://shop.example', 'https://any.example:*'];
    expect(isListedOrigin('https://shop.example', list)).toBe(true);
    expect(isListedOrigin('https://shop.example:8443', list)).toBe(false);
    expect(isListedOrigin('http://shop.example', list)).toBe(false);
    expect(isListedOrigin('https://any.example:8443', list)).toBe(true);
    expect(isListedOrigin('https://x.any.example:8443', list)).toBe(false);
    expect(isListedOrigin('http://localhost:3000', list)).toBe(false);
  });
});

describe('a host of this machine', () => {
  it.each([
    ...['localhost', 'shop.localhost', 'a.b.localhost', '127.0.0.1', '127.1.2.3'],
    ...['[::1]', '::1', '::ffff:127.0.0.1'],
  ])('is %s', (host) => expect(isLoopbackHost(host)).toBe(true));

  it.each([
    ...['', 'localhost.', '.localhost', 'notlocalhost', 'localhost.example', '127.0.0.1.example'],
    ...['128.0.0.1', '[::2]', '0.0.0.0', 'localhost:80', 'a@b.localhost', 'a/b.localhost'],
  ])('is not %s', (host) => expect(isLoopbackHost(host)).toBe(false));
});
