/**
 * Whether a URL has a user name or a password, also empty ones, which URL parsing drops silently:
 * `https://@host/`. It reads the text as WHATWG parsing does, which accepts `\` for `/` and any
 * number of them.
 */
export function hasUserinfo(url: string): boolean {
  const [, authority = ''] = /^[^:]*:[/\\]*([^/\\?#]*)/.exec(url.replace(/[\t\n\r]/g, '')) ?? [];
  return authority.includes('@');
}
