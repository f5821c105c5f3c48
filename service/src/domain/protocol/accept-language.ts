import { localeFor } from '@svc/contract/settings/languages';

const longest = 500;

/**
 * The locale for the caller by its header Accept-Language: the one that is wanted most among those whose
 * language has texts; null when there is none, as from a server. RFC 9110 §12.5.4.
 */
export function localeFrom(header: string): string | null {
  if (header.length > longest) return null;
  const wanted = header.split(',').flatMap((part) => {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => /^q=/i.test(text))?.slice(2) ?? '1';
    const quality = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
    return quality > 0 ? [{ tag, quality }] : [];
  });
  const sorted = wanted.toSorted((a, b) => b.quality - a.quality);
  return localeFor(sorted.map(({ tag }) => tag));
}
