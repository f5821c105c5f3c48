// Characters that control a terminal or change the direction of writing. A name that holds one reads as
// something else, or has an effect, wherever it is shown. Unicode UAX #9 §2, ECMA-48.

/** Direction embeddings, overrides and isolates, and the separators that end a line. */
const steering = '\\u202a-\\u202e\\u2066-\\u2069\\u2028\\u2029';
const anywhere = new RegExp(`[\\p{Cc}${steering}]`, 'u');
const beyondLines = new RegExp(`(?![\\t\\n\\r])[\\p{Cc}${steering}]`, 'u');
const printed = new RegExp(`(?![\\t\\n\\r])[\\p{Cc}${steering}]|\\r(?!\\n)`, 'gu');

/** True for text without control characters, line breaks and direction overrides. */
export const isOneLine = (text: string): boolean => !anywhere.test(text);

/** As `isOneLine`, but tabs and line breaks are allowed. */
export const isPlainText = (text: string): boolean => !beyondLines.test(text);

const runs = new RegExp(`[\\p{Cc}${steering}]+`, 'gu');

/** Makes one line of a text: a blank stands for such characters. Joiners, marks and soft hyphens of words stay. */
export const oneLine = (text: string): string =>
  text.replace(runs, ' ').replace(/ {2,}/g, ' ').trim();

/**
 * Whether a reader sees anything of the text. Unicode counts the Hangul fillers as letters and U+2800, a
 * Braille pattern without dots, as a symbol; both are drawn as blanks.
 */
export const isVisible = (text: string): boolean =>
  /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{S}\p{P}]/u.test(text);

/** A line of printable ASCII, as most are, needs no escaping; this check takes a third of the time of `printed`. */
const beyondAscii = /[^\n\x20-\x7e]/;

/** Makes text safe for a terminal: writes every such character as `\uXXXX`, which JSON parses back. */
export const escapeControls = (text: string): string =>
  beyondAscii.test(text)
    ? text.replace(printed, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
