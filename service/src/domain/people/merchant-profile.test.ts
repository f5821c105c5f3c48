import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageSource, parseProfile, shownName } from './merchant-profile.ts';

type Name = Parameters<typeof parseProfile>[0] extends infer Wish ? keyof Wish : never;

const taken: readonly [name: Name, given: string, stored: string][] = [
  ['businessName', 'Bean & Söhne 珈琲', 'Bean & Söhne 珈琲'],
  ['businessName', 'קפה', 'קפה'],
  ['businessName', '☕', '☕'],
  ['businessName', '🫘'.repeat(100), '🫘'.repeat(100)],
  ['businessName', 'Café 👩‍🍳', 'Café 👩‍🍳'],
  ['logoUrl', 'HTTPS://CDN.Shop.example:443/a/logo.svg', 'https://cdn.shop.example/a/logo.svg'],
  ['logoUrl', 'https://bücher.example/l?v=3', 'https://xn--bcher-kva.example/l?v=3'],
  ['logoUrl', 'https://shop.example/a/../b.png', 'https://shop.example/b.png'],
  ['termsUrl', 'https://shop.example', 'https://shop.example/'],
  ['termsUrl', 'https://shop.example/terms/#sale', 'https://shop.example/terms/#sale'],
  ['supportEmail', 'Help+shop@bücher.example', 'Help+shop@bücher.example'],
  ['brandColor', '#0A7D4F', '#0a7d4f'],
  ['businessAddress', ' Bean Ltd\r\n1 Bean Street \r\nBerlin\n', 'Bean Ltd\n1 Bean Street\nBerlin'],
  ['businessAddress', '東京都千代田区 1-1', '東京都千代田区 1-1'],
  ['businessAddress', Array(8).fill('a').join('\n'), Array(8).fill('a').join('\n')],
  ['taxNumber', 'DE123456789', 'DE123456789'],
  ['taxNumber', '12/345/67890', '12/345/67890'],
  ['taxNumber', 'IE 1234567-FA', 'IE 1234567-FA'],
];

const refused: readonly [name: Name, given: string][] = [
  ...[
    ' Bean',
    'Bean ',
    ' ',
    '\u200b\u200d',
    '\u2800',
    '\u3164',
    '🫘'.repeat(101),
    'Bean\nShop',
    'Be\u0000an',
  ].map((given) => ['businessName', given] as [Name, string]),
  ...['\u202eknaB ruoY', 'a\u2066b', 'a\u2028b', 'a\u009bb', 'a\ud800b'].map(
    (given) => ['businessName', given] as [Name, string],
  ),
  ...(['logoUrl', 'termsUrl'] as const).flatMap((name) =>
    [
      ...['http://shop.example/a.png', 'shop.example/a.png', '//shop.example/a.png', '/a.png'],
      ...['javascript:alert(1)', 'data:image/png;base64,AA==', 'ftp://shop.example/a.png'],
      ...['https:shop.example/a', 'https:///shop.example/a', 'https://', 'https://shop .example/a'],
      ...[
        'https://user:pass@shop.example/a',
        'https://@shop.example\\a',
        'https://shop.example\\a',
      ],
      ...['https://[::1]/a.png', 'https://shop.example/a\n.png', 'https://shop.example:99999/a'],
      ...[
        'https://*/a.png',
        'https://shop..example/a',
        'https://shop.example:0/a',
        'https://@a.example/a',
      ],
      `https://shop.example/${'ö'.repeat(400)}`,
    ].map((given) => [name, given] as [Name, string]),
  ),
  ['logoUrl', 'https://shop.example'],
  ['logoUrl', 'https://shop.example/'],
  ['logoUrl', 'https://shop.example/logos/?id=3'],
  ...['help', 'help@', 'a b@shop.example', 'Shop <help@shop.example>', 'a@localhost'].map(
    (given) => ['supportEmail', given] as [Name, string],
  ),
  ...['0a7d4f', '#fff', '#0a7d4', '#0a7d4ff', '#0a7d4g', 'red', '#0a7d4f;'].map(
    (given) => ['brandColor', given] as [Name, string],
  ),
  ...['', ' \n ', '\u200b', 'a\tb', 'a\u202eb', 'a\u0000b', 'a'.repeat(501)].map(
    (given) => ['businessAddress', given] as [Name, string],
  ),
  ['businessAddress', Array(9).fill('a').join('\n')],
  ...['1', 'none', '-12', '12-', '<b>1', 'DE1\n2', '1'.repeat(41), ' 12'].map(
    (given) => ['taxNumber', given] as [Name, string],
  ),
];

const codes: Readonly<Record<Name, string>> = {
  businessName: 'business_name_invalid',
  logoUrl: 'logo_url_invalid',
  supportEmail: 'support_email_invalid',
  termsUrl: 'terms_url_invalid',
  brandColor: 'brand_color_invalid',
  businessAddress: 'business_address_invalid',
  taxNumber: 'tax_number_invalid',
};

describe('parseProfile', () => {
  it.each(taken)('%s %j is stored as %j, which reads as itself', (name, given, stored) => {
    expect(parseProfile({ [name]: given })).toEqual({ changes: { [name]: stored }, problems: [] });
    expect(parseProfile({ [name]: stored }).changes).toEqual({ [name]: stored });
  });

  it.each(refused)('%s %j is refused with its code and a sentence', (name, given) => {
    const problem = {
      path: name,
      code: codes[name],
      message: expect.stringMatching(/^[A-Z].*\.$/),
    };
    expect(parseProfile({ [name]: given })).toEqual({ changes: {}, problems: [problem] });
  });

  it('names every field that may not be set, keeps what is absent, takes away what is null', () => {
    const wish = { logoUrl: 'x', brandColor: 'y', termsUrl: null, businessName: undefined };
    const { changes, problems } = parseProfile(wish);
    expect(changes).toEqual({ termsUrl: null });
    expect(problems.map(({ path }) => path)).toEqual(['logoUrl', 'brandColor']);
  });
});

describe('imageSource', () => {
  it.each([
    ['https://cdn.shop.example/a/logo.svg', 'https://cdn.shop.example/a/logo.svg'],
    ['https://cdn.shop.example:8443/l.png?v=3#x', 'https://cdn.shop.example:8443/l.png'],
    ["https://cdn.shop.example/a;b,'c'.png", "https://cdn.shop.example/a%3Bb%2C'c'.png"],
  ])('%s stands in the policy as %s', (given, source) => {
    expect(imageSource(given)).toBe(source);
  });

  it('null where nothing is set, and for what may not be set', () => {
    for (const none of [null, '', 'https://shop.example/', 'http://shop.example/a', '*']) {
      expect(imageSource(none)).toBeNull();
    }
  });

  it('is one source, whatever is stored: it ends no directive and opens no folder', () => {
    const given = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.webPath().map((path) => `https://shop.example${path}`),
      fc.string({ unit: 'binary' }).map((text) => `https://shop.example/${text}`),
    );
    void fc.assert(
      fc.property(given, (text) => {
        const { logoUrl } = parseProfile({ logoUrl: text }).changes;
        if (!logoUrl) return;
        const source = imageSource(logoUrl);
        expect(source).toMatch(/^https:\/\/[a-z0-9.:-]+\/[!-~]*[^/]$/);
        expect(source).not.toMatch(/[;,\s?#"]/);
      }),
      { numRuns: 2000 },
    );
  });
});

it('shownName: what buyers know it by, or else its name', () => {
  expect(shownName({ name: 'Bean Ltd', businessName: 'Bean Shop' })).toBe('Bean Shop');
  expect(shownName({ name: 'Bean Ltd', businessName: null })).toBe('Bean Ltd');
});
