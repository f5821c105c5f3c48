// A queue for costly work that is fair between places. Callers from one place wait in a line of
// their own, and the places take turns, so that a crowd from one place delays the others by at most
// one turn.

type QueuedWaiter = { readonly start: () => void; readonly turnAway: () => void };

export type FairQueue = {
  /** Waits for a turn. True: the turn has come, and `leave` must follow. False: too many are waiting. */
  enter(place: string): Promise<boolean>;
  leave(): void;
};

export function openFairQueue(bounds: {
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly mostOfOnePlace: number;
}): FairQueue {
  /** The waiting lines by place, in the order of their turns. No line is empty. */
  const lines = new Map<string, QueuedWaiter[]>();
  let running = 0;
  let waiting = 0;

  const longest = (): string => {
    let [found = '', most = 0] = [] as [string?, number?];
    for (const [place, { length }] of lines) if (length > most) [found, most] = [place, length];
    return found;
  };

  const takeWaiter = (place: string, which: 'shift' | 'pop'): QueuedWaiter | undefined => {
    const line = lines.get(place) ?? [];
    const taken = line[which]();
    if (taken) waiting -= 1;
    if (line.length === 0) lines.delete(place);
    return taken;
  };

  return {
    async enter(place) {
      if (running < bounds.atOnce) {
        running += 1;
        return true;
      }
      const own = lines.get(place)?.length ?? 0;
      if (own >= bounds.mostOfOnePlace) return false;
      if (waiting >= bounds.mostWaiting) {
        // The last caller in the longest line is turned away to make room, unless the longest line
        // is the caller's own.
        const other = longest();
        if ((lines.get(other)?.length ?? 0) <= own + 1) return false;
        takeWaiter(other, 'pop')?.turnAway();
      }
      waiting += 1;
      return new Promise((resolve) => {
        const one = { start: () => resolve(true), turnAway: () => resolve(false) };
        lines.set(place, [...(lines.get(place) ?? []), one]);
      });
    },
    leave() {
      const [place] = lines.keys();
      const next = place === undefined ? undefined : takeWaiter(place, 'shift');
      if (!next || place === undefined) {
        running -= 1;
        return;
      }
      // The place goes behind the others for its next turn.
      const rest = lines.get(place);
      if (rest) {
        lines.delete(place);
        lines.set(place, rest);
      }
      next.start();
    },
  };
}
