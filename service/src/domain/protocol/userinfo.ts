/**
 * Whether a URL names a user or a password, also empty ones, which URL parsing drops without a word:
 * `https://@host/`. Reads the text as WHATWG parsing does, which takes `\` for `/` and any number.
 */
export function hasUserinfo(url: string): boolean {
  const [, authority = ''] = /^[^:]*:[/\\]*([^/\\?#]*)/.exec(url.replace(/[\t\n\r]/g, '')) ?? [];
  return authority.includes('@');
}
