// Fetches a part of the library when it is wanted, and again where that failed.

import { SvcError } from './svc-error.ts';

/** How often each part failed so far, whatever was tried. */
const failures = new Map<string, number>();
let addresses = 0;

/**
 * Resolves with the module, which exports `name`. Chromium keeps a module that failed for as long as the
 * page lives, so it is asked for at a new address then. Throws `network_error`, retryable, and
 * `reload_required` where asking again has not helped either, though the browser is online.
 */
export async function loadPart<T extends object>(
  load: () => Promise<T>,
  name: keyof T & string,
  key: string = name,
): Promise<T> {
  try {
    return await load().catch(async (cause) => {
      const [, url] = /dynamically imported module: (\S+)/.exec(String(cause)) ?? [];
      if (!url) throw cause;
      const fresh = new URL(url);
      fresh.searchParams.set('again', String(++addresses));
      const code = (await import(/* @vite-ignore */ fresh.href)) as T;
      // A merchant's bundler may have put the part into another one, under another name.
      if (!(name in code)) throw cause;
      return code;
    });
  } catch (cause) {
    const times = (failures.get(key) ?? 0) + 1;
    failures.set(key, times);
    const isVain = times > 1 && navigator.onLine;
    throw new SvcError('api_error', isVain ? 'reload_required' : 'network_error', {
      message: isVain
        ? 'A part of this page could not be loaded. Reload the page and try again.'
        : String(cause),
      retryable: !isVain,
      cause,
    });
  }
}

/** The same failure in the buyer's language, where reloading the page is what helps. */
export const inWords = (error: SvcError, reload: string | undefined): SvcError =>
  error.code === 'reload_required' && reload
    ? new SvcError('api_error', error.code, { message: reload, cause: error.cause })
    : error;
