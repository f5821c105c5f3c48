/**
 * Whether a change based on the version before this one was made already: its answer was lost, and
 * the client sends it again, as libraries do by themselves. RFC 9110 §13.1.1 allows answering it as
 * done.
 */
export function isMadeAlready<T extends { readonly version: number }>(
  stands: T,
  { from, change }: { readonly from: number; readonly change: Partial<T> },
): boolean {
  const names = Object.keys(change) as (keyof T)[];
  const isAlreadySet = (name: keyof T) =>
    JSON.stringify(change[name]) === JSON.stringify(stands[name]);
  return from === stands.version - 1 && names.length > 0 && names.every(isAlreadySet);
}
