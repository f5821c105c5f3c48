import { describe, expect, it } from 'vitest';
import { UsageError } from './flags.ts';
import { readTargetUrl } from './target-url.ts';

const read = (text: unknown) => readTargetUrl('forward-to', text);

describe('readTargetUrl', () => {
  it.each([
    ['http://localhost:3000/webhooks', 'http://localhost:3000/webhooks'],
    ['https://127.0.0.1:3000/a?b=c', 'https://127.0.0.1:3000/a?b=c'],
    ['http://[::1]:3000', 'http://[::1]:3000/'],
    ['localhost:3000/hook', 'http://localhost:3000/hook'],
    ['shop.test/hook', 'http://shop.test/hook'],
    ['3000', 'http://localhost:3000/'],
    [':3000', 'http://localhost:3000/'],
    ['3000/hook', 'http://localhost:3000/hook'],
    [':3000/hook', 'http://localhost:3000/hook'],
    [':3000/?a=b', 'http://localhost:3000/?a=b'],
    ['65535?a', 'http://localhost:65535/?a'],
    ['localhost:3000/to/@me', 'http://localhost:3000/to/@me'],
  ])('%s is %s', (text, url) => {
    expect(read(text)).toBe(url);
  });

  it.each([
    [undefined, 'say where to'],
    ['', 'say where to'],
    ['/hook', 'a path without a port'],
    ['//localhost:3000/hook', 'a path without a port'],
    ['0', 'a port that is not from 1'],
    [':0/hook', 'a port that is not from 1'],
    ['localhost:0/hook', 'a port that is not from 1'],
    ['http://localhost:0', 'a port that is not from 1'],
    ['65536', 'a port that is not from 1'],
    ['2130706433/hook', 'a port that is not from 1'],
    ['http://3000/hook', 'a number for a host'],
    ['http://2130706433', 'a number for a host'],
    ['http://0x7f000001:3000/', 'a number for a host'],
    ['3000:8080', 'a number for a host'],
    ['http://ann:secret@localhost:3000/', 'no user name'],
    ['ann@localhost:3000', 'no user name'],
    ['http://@localhost:3000/', 'no user name'],
    ['ftp://localhost/', 'an http address'],
    ['localhost:port', 'an http address'],
    [':', 'an http address'],
  ])('refuses %s, saying why', (text, reason) => {
    expect(() => read(text)).toThrow(UsageError);
    expect(() => read(text)).toThrow(reason);
    expect(() => read(text)).toThrow('--forward-to');
  });
});
