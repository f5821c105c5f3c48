import { describe, expect, it } from 'vitest';
import { UsageError } from '../line/flags.ts';
import { readTargetUrl, remoteTargetNote } from './target-url.ts';

const readUrl = (text: unknown) => readTargetUrl('forward-to', text);

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
    expect(readUrl(text)).toBe(url);
  });

  it.each([
    [undefined, 'name the address'],
    ['', 'name the address'],
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
    expect(() => readUrl(text)).toThrow(UsageError);
    expect(() => readUrl(text)).toThrow(reason);
    expect(() => readUrl(text)).toThrow('--forward-to');
  });
});

describe('remoteTargetNote', () => {
  it.each([
    'http://localhost:3000/',
    'http://shop.localhost/',
    'http://127.9.0.1/',
    'https://[::1]:1/',
  ])('none of this machine: %s', (url) => expect(remoteTargetNote(url)).toBeUndefined());
  it.each([
    'https://example.com/',
    'http://192.0.2.1/hook',
    'http://localhost.example.com/',
    'http://[::2]/',
  ])('one of what may be another: %s', (url) =>
    expect(remoteTargetNote(url)).toContain(new URL(url).hostname),
  );
});
