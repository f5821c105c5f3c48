import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  Svc,
  SvcAuthenticationError,
  SvcError,
  type SvcOptions,
  SvcValidationError,
} from './index.ts';

const refusal = (key: unknown, options?: unknown): SvcError => {
  try {
    new Svc(key as string, options as SvcOptions);
  } catch (error) {
    return error as SvcError;
  }
  throw new Error('was accepted');
};

describe('new Svc', () => {
  it.each(['', '   ', undefined, null, 7])('refuses the key %j', (key) => {
    const error = refusal(key, { providerSecretKey: 'sk_test_1' });
    expect(error).toBeInstanceOf(SvcAuthenticationError);
    expect(error).toBeInstanceOf(SvcError);
    expect([error.type, error.code]).toEqual(['authentication_error', 'ProviderSecretKeyRequired']);
  });

  it('refuses a providerSecretKey that differs from the key, and accepts the same', () => {
    const error = refusal('sk_1', { providerSecretKey: 'sk_2' });
    expect([error.type, error.code]).toEqual(['authentication_error', 'ProviderSecretKeyMismatch']);
    expect(error.message).not.toMatch(/sk_/);
    expect(new Svc('sk_1', { providerSecretKey: 'sk_1' })).toBeInstanceOf(Svc);
  });

  it('refuses an unknown option by name', () => {
    const error = refusal('sk_1', { apiVersoin: '2026-10-28' });
    expect(error).toBeInstanceOf(SvcValidationError);
    expect([error.param, error.message]).toEqual([
      'apiVersoin',
      expect.stringMatching(/^Option apiVersoin is not known; known are apiVersion, /),
    ]);
  });

  it.each([
    '',
    'latest',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-1-1',
    '2026-10-28.',
    '2026-10-28.Endive',
    20261028,
  ])('refuses the apiVersion %j', (apiVersion) =>
    expect(refusal('sk_1', { apiVersion }).param).toBe('apiVersion'),
  );

  it.each(['2026-10-28', '2024-02-29', '2026-10-28.endive'])(
    'accepts the apiVersion %j',
    (apiVersion) => expect(new Svc('sk_1', { apiVersion }).apiVersion).toBe(apiVersion),
  );

  it.each<[string, object | null]>([
    ['apiToken', { apiToken: 'svc_x' }],
    ['apiToken', { clientId: 'c', apiToken: '' }],
    ['apiToken', { clientId: 'c', apiToken: 'svc x' }],
    ['clientId', { clientId: 'a:b', apiToken: 'svc_x' }],
    ['baseUrl', { baseUrl: 'localhost:4000' }],
    ['baseUrl', { baseUrl: 'ftp://pay.example.com' }],
    ['baseUrl', { baseUrl: 'https://user:secret@pay.example.com' }],
    ['baseUrl', { baseUrl: 'https://pay.example.com/?a=1' }],
    ['timeout', { timeout: 0 }],
    ['timeout', { timeout: Number.NaN }],
    ['maxNetworkRetries', { maxNetworkRetries: -1 }],
    ['maxNetworkRetries', { maxNetworkRetries: 1.5 }],
    ['fetch', { fetch: 'node-fetch' }],
    ['appInfo', { appInfo: { name: 'two words' } }],
    ['appInfo', { appInfo: { version: '1' } }],
    ['appInfo', { appInfo: { name: 'a\r\nx: y' } }],
    ['logger', { logger: () => undefined }],
    ['options', null],
  ])('refuses a wrong %s: %j', (param, options) => {
    const error = refusal('sk_1', options);
    expect([error.type, error.code, error.param]).toEqual([
      'validation_error',
      'InvalidOption',
      param,
    ]);
  });

  it('shows neither key nor token when printed', () => {
    const svc = new Svc('sk_live_key', { clientId: 'c', apiToken: 'svc_token' });
    expect(inspect(svc, { depth: 9, showHidden: true }) + JSON.stringify(svc)).not.toMatch(
      /sk_live_key|svc_token/,
    );
  });
});
