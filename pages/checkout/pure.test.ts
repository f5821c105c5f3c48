// The page's rules without a browser: money, words, what a refusal means.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '@svc/browser';
import { advices } from '@svc/contract/checkout-sessions/checkout-sessions';
import { type ErrorCode, errors } from '@svc/contract/errors/errors';
import { buyerLanguages } from '@svc/contract/settings/languages';
import { describe, expect, it } from 'vitest';
import { formatAmount } from '../kit/amounts.ts';
import { sessionIdOf } from './state/addresses.ts';
import { attemptNotice, isInDoubt, noticeOf, tokenNotice } from './state/refusals.ts';
import { en } from './texts/en.ts';
import { languageCodes, languageFor, textOf } from './texts/index.ts';
import { formatWait, localeOf } from './texts/locale.ts';

describe('formatAmount', () => {
  it.each([
    [19.9, 'EUR', 'de-DE', '19,90 €'],
    [19.9, 'USD', 'en-US', '$19.90'],
    [1990, 'JPY', 'en-US', '¥1,990'],
    [1.5, 'KWD', 'en-US', 'KWD 1.500'],
    [1234.5, 'RSD', 'en-US', 'RSD 1,234.50'],
    [1.2345, 'CLF', 'en-US', 'CLF 1.2345'],
    [0.1 + 0.2, 'EUR', 'en-US', '€0.30'],
  ])('%d %s in %s', (amount, currency, locale, text) => {
    expect(formatAmount(amount, currency, locale).replaceAll('\u00a0', ' ')).toBe(text);
  });
});

describe('what a refusal means', () => {
  const refusedError = (code: ErrorCode) =>
    new SvcError('api_error', code, { status: errors[code].status });

  it('only these answers to a payment leave its outcome open', () => {
    const open = (Object.keys(errors) as ErrorCode[]).filter((code) =>
      isInDoubt(refusedError(code)),
    );
    expect(open.sort()).toEqual([
      'checkout_attempt_in_progress',
      'gateway_cancel_failed',
      'gateway_capture_failed',
      'gateway_outcome_unknown',
      'internal_error',
      'payment_method_deletion_failed',
      // No call that pays is answered with it.
      'search_being_prepared',
    ]);
  });

  it('so do no answer, a broken answer and an unknown server error', () => {
    for (const status of [0, 200, 500, 502, 504, 599]) {
      expect(isInDoubt(new SvcError('api_error', 'anything', { status }))).toBe(true);
    }
  });

  it('a decline carries its code and advice', () => {
    const fields = { status: 402, declineCode: 'lost_card', advice: 'do_not_try_again' };
    const notice = noticeOf(new SvcError('api_error', 'card_declined', fields));
    expect(notice).toEqual({ kind: 'declined', code: 'lost_card', advice: 'do_not_try_again' });
  });

  it.each([
    [null, 'gateway_unavailable'],
    ['gateway_refused', 'gateway_refused'],
    ['card_token_used', 'card_token_spent'],
    ['amount_not_supported', 'amount_not_supported'],
    ['currency_not_supported', 'amount_not_supported'],
  ])('an attempt in error of %s has the words of %s', (declineCode, code) => {
    const attempt = { id: 'a', result: 'ERROR', declineCode, createdAt: '' } as const;
    expect(attemptNotice(attempt)).toMatchObject({ kind: 'problem', code });
    expect(textOf(en.problems, code)).toBeTruthy();
  });

  it('too many attempts carry the time to wait, where the answer names one', () => {
    const noticeFor = (retryAfter?: number) =>
      noticeOf(
        new SvcError('api_error', 'rate_limited', { status: 429, retryable: true, retryAfter }),
      );
    expect(noticeFor(90)).toEqual({ kind: 'wait', seconds: 90 });
    expect(noticeFor()).toMatchObject({ kind: 'problem', code: 'rate_limited' });
    const locked = { status: 429, retryable: false, retryAfter: 86_000 };
    expect(noticeOf(new SvcError('api_error', 'rate_limited', locked))).toMatchObject({
      code: 'session_locked',
    });
  });

  it("a form's failure: its own checks are silent, the provider's codes are declines", () => {
    const of = (code: string, retryable = false) =>
      tokenNotice(new SvcError('validation_error', code, { retryable }));
    expect(of('number_incomplete')).toBeNull();
    expect(of('incorrect_number')).toEqual({
      kind: 'declined',
      code: 'incorrect_number',
      advice: null,
    });
    for (const notice of [of('unavailable', true), of('session_expired')]) {
      expect(notice).toMatchObject({ kind: 'problem', code: 'form_unavailable' });
    }
    // The vault refuses this text in a field, the provider accepts nothing of it, or the page is
    // not one of the merchant's: trying again would not help the buyer.
    expect(of('unavailable')).toMatchObject({ kind: 'problem', code: 'form_refused' });
    expect(en.problems.form_refused).not.toContain('try again');
  });
});

describe('the words', () => {
  const keys = (texts: object, path = ''): string[] =>
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === 'object' ? keys(value, `${path}${key}.`) : `${path}${key}`,
    );

  const textAt = (texts: object, path: string) =>
    path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], texts);

  it.each(languageCodes.filter((code) => code !== 'en'))(
    '%s has the same keys as English, none empty, none left in English',
    async (code) => {
      const { texts } = await languageFor([code]);
      expect(keys(texts).sort()).toEqual(keys(en).sort());
      const same = keys(en).filter((path) => {
        const [ours, theirs] = [textAt(texts, path), textAt(en, path)];
        if (typeof theirs !== 'function') return !ours || ours === theirs;
        return (ours as (word: string) => string)('Ω') === theirs('Ω');
      });
      // Texts that are equal in every language, or in some of them.
      const shared = code === 'de' ? ['sandbox', 'problemReference'] : [];
      expect(same).toEqual(shared);
    },
  );

  it.each(languageCodes)('%s: what is put into a sentence stands in it', async (code) => {
    const { texts } = await languageFor([code]);
    const templates = keys(texts).map((path) => textAt(texts, path));
    for (const template of templates) {
      if (typeof template === 'function') expect(template('Ω')).toContain('Ω');
    }
  });

  it('every advice of the contract has its words', () => {
    for (const advice of advices) expect(textOf(en.advices, advice)).toBeTruthy();
  });

  it('a code named like a property of every object has no words', () => {
    expect(textOf(en.declines, 'constructor')).toBeUndefined();
  });

  it.each([
    [['de-AT', 'en'], 'de', 'ltr'],
    [['sv-SE', 'de'], 'de', 'ltr'],
    [['ar-EG'], 'ar', 'rtl'],
    [['pt_BR'], 'pt', 'ltr'],
    [['constructor'], 'en', 'ltr'],
    [['sv-SE'], 'en', 'ltr'],
    [[], 'en', 'ltr'],
  ])('for %j the page speaks %s, %s', async (wanted, code, direction) => {
    const language = await languageFor(wanted);
    expect([language.code, language.direction]).toEqual([code, direction]);
  });

  it('there are ten, the same as those of mails to buyers', () => {
    expect(languageCodes).toHaveLength(10);
    expect(languageCodes.toSorted()).toEqual(buyerLanguages.toSorted());
  });
});

describe('sessionIdOf', () => {
  const id = '01990000-0000-7000-8000-00000000c0de';
  it.each([
    [`/c/${id}`, id],
    [`/c/${id}/`, id],
    [`/c/${id}/x`, null],
    ['/c/', null],
    ['/c/..%2f', null],
  ])('%s', (path, expected) => {
    expect(sessionIdOf(path)).toBe(expected);
  });
});

describe('colours', () => {
  const css = readFileSync(join(import.meta.dirname, 'checkout.css'), 'utf8');
  const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)');
  const colours = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, n, c]) => [n, c]),
    );
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one: string, other: string) => {
    const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const pairs = [
    ['ink', 'page', 4.5],
    ['ink', 'panel', 4.5],
    ['soft', 'page', 4.5],
    ['soft', 'panel', 4.5],
    ['accent', 'panel', 4.5],
    ['accent', 'page', 4.5],
    ['on-accent', 'accent', 4.5],
    ['on-accent', 'accent-deep', 4.5],
    ['danger', 'danger-wash', 4.5],
    ['ink', 'danger-wash', 4.5],
    ['ink', 'wait-wash', 4.5],
    ['good', 'good-wash', 4.5],
    ['on-ribbon', 'ribbon', 4.5],
    ['danger', 'field', 4.5],
    ['ink', 'field', 4.5],
    ['soft', 'field', 4.5],
    ['line-strong', 'field', 3],
  ] as const;

  it.each([
    ['light', colours(light)],
    ['dark', { ...colours(light), ...colours(dark) }],
  ])('%s: every pair in use keeps the contrast of WCAG AA', (_, all) => {
    const weak = pairs.filter(([a, b, least]) => contrast(all[a] ?? '', all[b] ?? '') < least);
    expect(weak).toEqual([]);
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21);
    expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5);
  });
});

describe('formatWait', () => {
  it.each([
    [1, 'en', '1 second'],
    [60, 'en', '60 seconds'],
    [61, 'en', '2 minutes'],
    [1800, 'de', '30 Minuten'],
  ])('%d s in %s: %s', (seconds, language, text) => {
    expect(formatWait(seconds, language)).toBe(text);
  });
});

describe('localeOf', () => {
  it.each([
    ['de', ['en-US', 'de-AT', 'de'], 'de-AT'],
    ['en', ['sv-SE'], 'en'],
    ['en', ['sv-SE', 'en-GB'], 'en-GB'],
    ['de', ['en-US@posix', 'de-DE'], 'de-DE'],
    ['en', ['en-US@posix'], 'en'],
    ['pt', ['pt_BR'], 'pt'],
    ['es', ['est-EE', 'ES-mx'], 'ES-mx'],
  ])('the page speaks %s, the browser reports %j: %s', (code, reported, locale) => {
    expect(localeOf({ code }, reported)).toBe(locale);
  });
});
