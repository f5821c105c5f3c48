// Turns at costly work. Who asks from one place waits behind that place's own; the places take turns,
// so that a crowd from one of them holds nobody else up for longer than one turn.

type Waiting = { readonly start: () => void; readonly turnAway: () => void };

export type FairQueue = {
  /** Answers whether its turn came; with true `leave` must follow. False: too many are waiting. */
  enter(place: string): Promise<boolean>;
  leave(): void;
};

export function openFairQueue(bounds: {
  readonly atOnce: number;
  readonly mostWaiting: number;
  readonly mostOfOnePlace: number;
}): FairQueue {
  /** In the order of their turns; none is empty. */
  const lines = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  const longest = (): string => {
    let [found = '', most = 0] = [] as [string?, number?];
    for (const [place, { length }] of lines) if (length > most) [found, most] = [place, length];
    return found;
  };

  const takeFrom = (place: string, which: 'shift' | 'pop'): Waiting | undefined => {
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
        // Room is made by the longest line's last, unless that is one's own.
        const other = longest();
        if ((lines.get(other)?.length ?? 0) <= own + 1) return false;
        takeFrom(other, 'pop')?.turnAway();
      }
      waiting += 1;
      return new Promise((resolve) => {
        const one = { start: () => resolve(true), turnAway: () => resolve(false) };
        lines.set(place, [...(lines.get(place) ?? []), one]);
      });
    },
    leave() {
      const [place] = lines.keys();
      const next = place === undefined ? undefined : takeFrom(place, 'shift');
      if (!next || place === undefined) {
        running -= 1;
        return;
      }
      // Behind the others until its next turn.
      const rest = lines.get(place);
      if (rest) {
        lines.delete(place);
        lines.set(place, rest);
      }
      next.start();
    },
  };
}
