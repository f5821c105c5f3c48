import { describe, expect, it } from 'vitest';
import { type Colour, contrast, contrastWarnings, readAppearance } from './appearance.ts';
import { parseHandshake, parseMessage } from './incoming.ts';
import { parentsOf } from './parents.ts';
import { mergeOptions, readSettings } from './settings.ts';
import { findLanguage, languageCodes } from './texts/index.ts';
import { textKeys } from './texts/keys.ts';

/** Six hexadecimal digits are all that these tests need of a browser. */
const readColour = (value: string): Colour | undefined => {
  const match = /^#(..)(..)(..)$/.exec(value);
  if (!match) return undefined;
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((hex) => Number.parseInt(hex, 16));
  return { red, green, blue };
};
const around = { languages: ['de-AT', 'en'], readColour };

describe('readAppearance', () => {
  it('follows known variables with right values', () => {
    const variables = { accent: '#112233', radius: '6px', fontSize: '1.125rem' };
    const look = readAppearance({ variables }, readColour);
    expect(Object.fromEntries(look.variables)).toEqual({
      accent: '#112233',
      radius: '6px',
      fontSize: '18px',
    });
    expect(look.warnings).toEqual([]);
  });

  it.each([
    ['accent', 'url(http://x)'],
    ['text', 'var(--x)'],
    ['radius', '50%'],
    ['radius', '999px'],
    ['fontSize', '12px'],
    ['zIndex', '1'],
    ['--accent', '#112233'],
  ])('names the variable that it ignores: %s = %s', (name, value) => {
    const look = readAppearance({ variables: { [name]: value } }, readColour);
    expect(look.variables.size).toBe(0);
    expect(look.warnings).toHaveLength(1);
    expect(look.warnings[0]).toContain(`appearance.variables.${name} is ignored`);
  });

  it('warns of a theme, labels or density that there is none of', () => {
    const wrong = { theme: 'night', labels: 'left', density: 'x' } as never;
    const look = readAppearance(wrong, readColour);
    expect(look).toMatchObject({ theme: 'light', labels: 'above', density: 'comfortable' });
    expect(look.warnings).toHaveLength(3);
  });
});

describe('contrastWarnings', () => {
  it('knows black on white and grey on white', () => {
    const white = { red: 255, green: 255, blue: 255 };
    expect(contrast({ red: 0, green: 0, blue: 0 }, white)).toBeCloseTo(21);
    expect(contrast(white, white)).toBe(1);
    const colours: Record<string, string> = { background: '#ffffff', text: '#999999' };
    const warnings = contrastWarnings((name) => readColour(colours[name] ?? ''));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("'text'");
  });
});

describe('readSettings', () => {
  it('takes the language of the browser, or the one asked for', () => {
    expect(readSettings({}, around).language.code).toBe('de');
    expect(readSettings({ locale: 'ar-EG' }, around).language).toMatchObject({
      code: 'ar',
      direction: 'rtl',
    });
    const unknown = readSettings({ locale: 'tlh' }, around);
    expect(unknown.language.code).toBe('de');
    expect(unknown.warnings[0]).toContain('tlh');
  });

  it("puts the page's texts over its own, and names the one it does not know", () => {
    const settings = readSettings({ texts: { number: 'Number', nubmer: 'x', cvc: ' ' } }, around);
    expect(settings.texts.number).toBe('Number');
    expect(settings.texts.cvc).toBe('Prüfnummer');
    expect(settings.warnings).toEqual(['texts.nubmer is ignored: there is no such text.']);
  });

  it('shows number, expiry and CVC always', () => {
    const { fields } = readSettings({ fields: ['postalCode'] }, around);
    expect(fields).toEqual(['number', 'expiry', 'cvc', 'postalCode']);
  });

  it('advances and focuses by itself only where that is asked for', () => {
    expect(readSettings({}, around)).toMatchObject({ autoAdvance: false, autofocus: false });
  });

  it('names an option, a field and a brand that there are none of', () => {
    const wrong = { colour: 1, fields: ['iban'], brands: ['visa', 'vista'] } as never;
    const { warnings, brands } = readSettings(wrong, around);
    expect(brands).toEqual(['visa']);
    expect(warnings.join()).toMatch(/colour.*iban.*vista/);
  });
});

describe('mergeOptions', () => {
  it('keeps what the newer options do not name', () => {
    const older = { locale: 'de', appearance: { variables: { accent: '#111111' } } };
    const newer = { appearance: { theme: 'dark', variables: { text: '#222222' } } } as const;
    expect(mergeOptions(older, newer)).toEqual({
      locale: 'de',
      appearance: { theme: 'dark', variables: { accent: '#111111', text: '#222222' } },
      texts: {},
    });
  });
});

describe('texts', () => {
  it.each(languageCodes)('%s has every text, and none is left in English', (code) => {
    const texts = findLanguage([code])?.texts;
    const english = findLanguage(['en'])?.texts;
    for (const key of textKeys) {
      expect(texts?.[key]?.trim()).toBeTruthy();
      if (code !== 'en' && key !== 'expiryPlaceholder')
        expect(texts?.[key]).not.toBe(english?.[key]);
    }
    expect(texts?.brandDetected).toContain('{brand}');
    expect(texts?.cvc_incomplete).toContain('{hint}');
  });

  it('are there in ten languages and more', () => {
    expect(languageCodes.length).toBeGreaterThanOrEqual(10);
  });
});

describe('parents', () => {
  const search = (list: unknown) =>
    `?parents=${Buffer.from(JSON.stringify(list)).toString('base64url')}.signature`;

  it('are read from the address', () => {
    expect(parentsOf(search(['https://shop.example', 5]))).toEqual(['https://shop.example']);
    for (const bad of ['', '?parents=x', '?parents=%00.y', search({})]) {
      expect(parentsOf(bad)).toEqual([]);
    }
  });
});

describe('messages', () => {
  it('of the right shape are taken', () => {
    const mount = { type: 'mount', mountToken: 't', options: { appearance: { theme: 'dark' } } };
    expect(parseMessage(mount)).toEqual(mount);
    expect(parseMessage({ type: 'clear', more: 1 })).toEqual({ type: 'clear' });
    expect(parseHandshake({ svc: 'mount', protocol: 1 })).toEqual({ svc: 'mount', protocol: 1 });
  });

  it.each([
    [null],
    ['submit'],
    [[]],
    [{ type: 'submit' }],
    [{ type: 'submit', id: 'x'.repeat(5000) }],
    [{ type: 'focus', field: 'iban' }],
    [{ type: 'mount', mountToken: 1, options: {} }],
    [{ type: 'mount', mountToken: 't', options: { texts: { number: 5 } } }],
    [{ type: 'update', options: { appearance: { variables: [] } } }],
    [{ type: 'disable', disabled: 'yes' }],
    [{ type: '__proto__' }],
  ])('%j is none', (message) => expect(parseMessage(message)).toBe(undefined));

  it('of others are no handshake', () => {
    for (const other of [null, 'mount', { svc: 'other' }, { svc: 'mount' }]) {
      expect(parseHandshake(other)).toBe(undefined);
    }
  });
});
