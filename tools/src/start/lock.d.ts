declare module '*/entry/lock.mjs' {
  /** Takes the lock of this folder. Returns `undefined` while another process holds it. */
  export function takeLock(
    folder: string,
  ): { readonly release: () => void; readonly add: (pid: number) => void } | undefined;
}

declare module '*/entry/compile-cache.mjs' {
  /** Environment of a child: where Node may store compiled code, or that it stores none. */
  export function compileCache(
    folder: string,
    given?: Readonly<Record<string, string | undefined>>,
  ): Record<string, string>;
}
