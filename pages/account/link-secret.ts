// The secret of a mailed link stands behind the `#`, which no server and no log is sent. It is taken
// out of the address at once, so that neither history nor a shared screen keeps it.

/** The link's secret; null where the address carries none. */
export function takeLink(): string | null {
  const secret = location.hash.slice(1);
  if (!secret) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}
