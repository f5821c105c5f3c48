// Bodies in a readable form, and the differences between two of them. No markup.

/** Returns indented JSON; null when the text is no JSON. */
export function prettyJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}

export type EventFacts = { readonly id: string | null; readonly type: string | null };

/** Returns the event's id and type from a request body; null for each that the body does not have. */
export function eventIn(body: string): EventFacts {
  try {
    const { id, type } = JSON.parse(body) as Record<string, unknown>;
    return {
      id: typeof id === 'string' ? id : null,
      type: typeof type === 'string' ? type : null,
    };
  } catch {
    return { id: null, type: null };
  }
}

type ArrivedRequest = { readonly number: number; readonly body: string };

/**
 * Returns the number of the request that first brought the same event among `others`; null for a new event.
 */
export function firstOfEvent(
  request: ArrivedRequest,
  others: readonly ArrivedRequest[],
): number | null {
  const { id } = eventIn(request.body);
  if (id === null) return null;
  const before = others.filter(
    ({ number, body }) => number < request.number && eventIn(body).id === id,
  );
  return before.length === 0 ? null : Math.min(...before.map(({ number }) => number));
}

export type DiffLine = {
  readonly kind: 'same' | 'only-left' | 'only-right';
  readonly text: string;
};

/** With more lines the table of common lines would take a noticeable time. */
const mostLines = 1500;

/** Returns the lines of both texts by their longest common subsequence. */
export function diffLines(left: string, right: string): DiffLine[] {
  const [a, b] = [left, right].map((text) => text.split('\n').slice(0, mostLines)) as [
    string[],
    string[],
  ];
  const lengths = commonLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [mine, theirs] = [a[i], b[j]];
    if (mine !== undefined && mine === theirs) {
      lines.push({ kind: 'same', text: mine });
      i += 1;
      j += 1;
    } else if (theirs === undefined || (mine !== undefined && isFirst(lengths, i, j))) {
      lines.push({ kind: 'only-left', text: mine ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'only-right', text: theirs });
      j += 1;
    }
  }
  return lines;
}

type Lengths = readonly Uint16Array[];

const isFirst = (lengths: Lengths, i: number, j: number): boolean =>
  (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0);

/** Returns how many lines the remainders from `i` and `j` have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): Lengths {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row, below] = [lengths[i], lengths[i + 1]];
    if (!row || !below) continue;
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
