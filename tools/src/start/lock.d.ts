declare module '*/entry/lock.mjs' {
  /** Takes the lock that this folder is, or gives `undefined` while another process holds it. */
  export function takeLock(
    folder: string,
  ): { readonly release: () => void; readonly add: (pid: number) => void } | undefined;
}
