// The addresses of webhook testers: the one place of this service that deliveries may be sent to.

const folder = '/webhook-tester/';

/** 24 random bytes in base64url: who does not know it posts nothing there. */
export const testerKeyBytes = 24;
const keyPattern = /^[\w-]{32}$/;

export const isTesterKey = (text: string): boolean => keyPattern.test(text);

export const testerUrl = (key: string, baseUrl: string): string =>
  new URL(baseUrl).origin + folder + key;

/** Whether an address is a tester's of this service: spelled exactly as `testerUrl` spells it. */
export function isTesterUrl(url: string, baseUrl: string): boolean {
  const start = new URL(baseUrl).origin + folder;
  return url.startsWith(start) && isTesterKey(url.slice(start.length));
}
