// Characters that steer a terminal or turn the direction of writing. A name that holds one reads as
// something else, or does something, wherever it is shown. Unicode UAX #9 §2, ECMA-48.

/** Embeddings, overrides and isolates; and the separators that end a line. */
const steering = '\\u202a-\\u202e\\u2066-\\u2069\\u2028\\u2029';
const anywhere = new RegExp(`[\\p{Cc}${steering}]`, 'u');
const beyondLines = new RegExp(`(?![\\t\\n\\r])[\\p{Cc}${steering}]`, 'u');
const printed = new RegExp(`(?![\\t\\n\\r])[\\p{Cc}${steering}]|\\r(?!\\n)`, 'gu');

/** Without control characters, line breaks and direction overrides. */
export const isOneLine = (text: string): boolean => !anywhere.test(text);

/** As `isOneLine`, with tabs and line breaks. */
export const isPlainText = (text: string): boolean => !beyondLines.test(text);

/** For a terminal: every such character as `\uXXXX`, which JSON reads back as it was. */
export const escapeControls = (text: string): string =>
  text.replace(printed, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
