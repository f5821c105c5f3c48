// The secret of a mailed link is behind the `#`, which is sent to no server and written to no log. It is
// removed from the address at once, so that neither the history nor a shared screen shows it.

/** Returns the link's secret; null when the address has none. */
export function takeLink(): string | null {
  const secret = location.hash.slice(1);
  if (!secret) return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}
