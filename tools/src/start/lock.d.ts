declare module '*/entry/lock.mjs' {
  /** Takes the lock that this folder is, or gives `undefined` while another process holds it. */
  export function takeLock(
    folder: string,
  ): { readonly release: () => void; readonly add: (pid: number) => void } | undefined;
}

declare module '*/entry/compile-cache.mjs' {
  /** Environment of a child: where Node may keep what it compiled, or that it keeps nothing. */
  export function compileCache(
    folder: string,
    given?: Readonly<Record<string, string | undefined>>,
  ): Record<string, string>;
}
