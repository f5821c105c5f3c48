// An event's id is `evt_` and the 32 hex digits of a UUID. Contract §7.

/** Returns the UUID in an event's id; undefined when the text is no such id. */
export function parseEventId(text: string): string | undefined {
  const [, a, b, c, d, e] =
    /^evt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(text) ?? [];
  return a && `${a}-${b}-${c}-${d}-${e}`.toLowerCase();
}
