/** The storage of this origin in this tab; null where it is full, or not to be had. */
export function inTab<Found>(act: (storage: Storage) => Found): Found | null {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}
