import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { describe, expect, it } from 'vitest';
import { adviceFor, causesOf, describeTrouble, outcomeWords } from './webhook-words.ts';

describe('what went wrong with a delivery', () => {
  it.each([400, 401, 403])('%i: asks for the secret and the raw body', (status) => {
    const outcome = { status, error: 'not_2xx' };
    expect(outcomeWords(outcome)).toBe(`Answered ${status}`);
    expect(adviceFor(outcome)).toMatch(/^Does your server know this endpoint’s secret/);
  });

  // Every error of the sender: service/src/webhooks/send.ts and target.ts.
  it.each([
    ...['url_refused', 'address_refused', 'dns_error', 'connect_timeout', 'timeout'],
    ...['connection_reset', 'connection_refused', 'unreachable', 'bad_answer', 'tls_error'],
    'connection_failed',
  ])('%s is put in words, with advice', (error) => {
    const outcome = { status: null, error };
    expect(outcomeWords(outcome)).not.toContain('_');
    expect(adviceFor(outcome)).toMatch(/^[A-Z].*[.?]$/);
  });

  it('redirects, 410 and failures of the server', () => {
    expect(outcomeWords({ status: 302, error: 'redirect_refused' })).toBe('Redirect (302)');
    expect(outcomeWords({ status: 410, error: 'gone' })).toBe('Answered 410');
    expect(adviceFor({ status: 503, error: 'not_2xx' })).toMatch(/Its log says why/);
  });

  it('what went well, or was not tried, needs no advice', () => {
    expect(adviceFor({ status: 204, error: null })).toBeNull();
    expect(outcomeWords({ status: null, error: null })).toBeNull();
    expect(adviceFor({ status: null, error: null })).toBeNull();
  });

  it('a word that is not known yet is shown as it is', () => {
    expect(outcomeWords({ status: null, error: 'eclipse' })).toBe('eclipse');
  });
});

describe('the causes among deliveries', () => {
  it('each is told once, with how many it struck; what went well is none', () => {
    const refused = { status: null, error: 'connection_refused' };
    const unknown = { status: 400, error: 'not_2xx' };
    const causes = causesOf([unknown, refused, { status: 200, error: null }, unknown, unknown]);
    expect(causes.map(({ words, count }) => [words, count])).toEqual([
      ['Answered 400', 3],
      ['Connection refused', 1],
    ]);
  });
});

describe('what happened to an endpoint', () => {
  const well = { isEnabled: true, disabledReason: null, failingSince: null };
  const troubleWith = (facts: object) => describeTrouble({ ...well, ...facts } as WebhookEndpoint);
  const troubleWhenOff = (disabledReason: string) =>
    troubleWith({ isEnabled: false, disabledReason });

  it('nothing while all is well; failing; disabled, each with what to do', () => {
    expect(troubleWith({})).toBeNull();
    expect(troubleWith({ failingSince: '2026-01-01T00:00:00.000Z' })?.what).toBe(
      'Deliveries fail.',
    );
    expect(troubleWhenOff('gone')).toMatchObject({ what: 'Disabled: it answered 410.' });
    expect(troubleWhenOff('failing')?.toDo).toMatch(
      /^Repair your server first\. Enable it and redeliver/,
    );
    expect(troubleWhenOff('merchant')?.toDo).toMatch(/redeliver/);
  });
});
