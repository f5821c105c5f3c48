/**
 * Runs `act` with this origin's storage in this tab. Returns null when the storage is full or not
 * available.
 */
export function useTabStorage<Found>(act: (storage: Storage) => Found): Found | null {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}
