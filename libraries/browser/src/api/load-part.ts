// Loads a part of the library when it is needed, and again after a failure.

import { SvcError } from './svc-error.ts';

/** How often each part has failed to load. */
const failures = new Map<string, number>();
let addresses = 0;

/**
 * Resolves with the module that exports `name`. Chromium remembers a module that failed to load for as long
 * as the page lives, so a retry uses a new address. Throws `network_error`, which is retryable, and
 * `reload_required` when the retry failed too although the browser is online.
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
      // A merchant's bundler may have merged the part into another module under another name.
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

/** Replaces the message by one in the buyer's language when reloading the page helps. */
export const translateReload = (error: SvcError, reload: string | undefined): SvcError =>
  error.code === 'reload_required' && reload
    ? new SvcError('api_error', error.code, { message: reload, cause: error.cause })
    : error;
