// Which pages may call the service from a browser, embed the card form and exchange messages with it: one
// list and one rule, used by CORS, by frame-ancestors and by the form. Contract §3, Origins.

/**
 * The pages of this machine at any port, which the sandbox adds to the list of each client. `127.0.0.1`
 * stands for all of 127.0.0.0/8.
 */
export const loopbackOrigins: readonly string[] = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '*.localhost', '127.0.0.1', '[::1]'].map((host) => `${scheme}://${host}:*`),
);

/**
 * The entry of the list that allows an origin with any port. The browser library's parents.ts does the
 * same.
 */
const withAnyPort = (origin: string): string =>
  `${origin
    .replace(/:\d+$/, '')
    .replace(/\/\/127(\.\d{1,3}){3}$/, '//127.0.0.1')
    .replace(/\/\/[\w.-]+\.localhost$/, '//*.localhost')}:*`;

/** True for an origin of the list, or one at any port where an entry ends in `:*`. */
export const isListedOrigin = (origin: string, list: readonly string[]): boolean =>
  list.includes(origin) || list.includes(withAnyPort(origin));

/** True for an http or https origin of this machine; false also for text that is no origin. */
export const isLoopbackOrigin = (origin: string): boolean =>
  isListedOrigin(origin, loopbackOrigins) && !origin.endsWith('*');
