import { describe, expect, it } from 'vitest';
import { isNativeRedirect, isRedirectUri } from './redirect-uri.ts';

describe('isRedirectUri', () => {
  it.each([
    'https://app.example.test/callback',
    'https://app.example.test/callback?tenant=1',
    'http://127.0.0.1/callback',
    'http://localhost:3000/callback',
    'http://[::1]:9/cb',
    'com.example.app:/callback',
  ])('takes %s', (uri) => {
    expect(isRedirectUri(uri)).toBe(true);
  });

  it.each([
    '',
    'callback',
    '/callback',
    'http://app.example.test/callback',
    'http://127.0.0.1.example.test/callback',
    'https://localhost/callback',
    'https://app.example.test/callback#part',
    'https://user@app.example.test/callback',
    'https://*.example.test/callback',
    'https://app..example.test/callback',
    'https://app.example.test:0/callback',
    'https://@app.example.test/callback',
    'https://app.example.test\\@evil.test/',
    'https://app.example.test/ callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'app:/callback',
    `https://app.example.test/${'x'.repeat(2000)}`,
  ])('refuses %s', (uri) => {
    expect(isRedirectUri(uri)).toBe(false);
  });

  it('knows which of them lead to a program on the own machine', () => {
    expect(isNativeRedirect('http://127.0.0.1/cb')).toBe(true);
    expect(isNativeRedirect('com.example.app:/cb')).toBe(true);
    expect(isNativeRedirect('https://app.example.test/cb')).toBe(false);
  });
});
