/**
 * Makes the browser check the integrity of a script that is fetched later. A script that another script
 * imports has no hash of its own; the markup lists it with one, and preloading it first makes the browser
 * check it.
 */
export function demandIntegrity(part: string): void {
  if (typeof document === 'undefined') return;
  for (const link of document.querySelectorAll<HTMLLinkElement>(`link[data-part="${part}"]`)) {
    link.rel = 'modulepreload';
  }
}
