// The addresses of webhook testers, which are the only addresses of this service that deliveries
// may be sent to.

const folder = '/webhook-tester/';

/** 24 random bytes in base64url: nobody can post to a tester without knowing its key. */
export const testerKeyBytes = 24;
const keyPattern = /^[\w-]{32}$/;

export const isTesterKey = (text: string): boolean => keyPattern.test(text);

export const testerUrl = (key: string, baseUrl: string): string =>
  new URL(baseUrl).origin + folder + key;

/** Whether an address is that of a tester of this service, spelled exactly as `testerUrl` does. */
export function isTesterUrl(url: string, baseUrl: string): boolean {
  const start = new URL(baseUrl).origin + folder;
  return url.startsWith(start) && isTesterKey(url.slice(start.length));
}
