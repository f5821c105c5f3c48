// Which pages may call the service from a browser, embed the card form and talk to it: one list, and one
// rule for it, used by CORS, by frame-ancestors and by the form. Contract §3, Origins.

/**
 * The pages of this machine, at any port: what the sandbox adds to the list of each client.
 * `127.0.0.1` stands for the whole of 127.0.0.0/8.
 */
export const loopbackOrigins: readonly string[] = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '*.localhost', '127.0.0.1', '[::1]'].map((host) => `${scheme}://${host}:*`),
);

/** An origin as the list spells it for any port. The browser library's parents.ts does the same. */
const anyPort = (origin: string): string =>
  `${origin
    .replace(/:\d+$/, '')
    .replace(/\/\/127(\.\d{1,3}){3}$/, '//127.0.0.1')
    .replace(/\/\/[\w.-]+\.localhost$/, '//*.localhost')}:*`;

/** True for an origin of the list, or one at any port where an entry ends in `:*`. */
export const isListedOrigin = (origin: string, list: readonly string[]): boolean =>
  list.includes(origin) || list.includes(anyPort(origin));

/** True for http or https on this very machine; what is no origin is none of it. */
export const isLoopbackOrigin = (origin: string): boolean =>
  isListedOrigin(origin, loopbackOrigins) && !origin.endsWith('*');
