import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, eventIn, firstOfEvent, prettyJson } from './webhook-payload.ts';

describe('diffLines', () => {
  it('shows what was added, taken and kept, in order', () => {
    const told = diffLines('a\nb\nc', 'a\nx\nc\nd').map(({ kind, text }) => `${kind} ${text}`);
    expect(told).toEqual(['same a', 'only-left b', 'only-right x', 'same c', 'only-right d']);
    expect(diffLines('a', 'a')).toEqual([{ kind: 'same', text: 'a' }]);
  });

  it('gives each text back, and keeps the longest that both have', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const told = diffLines(left.join('\n'), right.join('\n'));
        const side = (other: string) =>
          told.filter(({ kind }) => kind !== other).map(({ text }) => text);
        expect(side('only-right')).toEqual(left);
        expect(side('only-left')).toEqual(right);
        const same = told.filter(({ kind }) => kind === 'same').length;
        expect(same).toBe(longestCommon(left, right));
      }),
    );
  });

  it('is done soon with texts of any length', () => {
    const text = (letter: string) => Array.from({ length: 9000 }, (_, n) => letter + n).join('\n');
    expect(diffLines(text('a'), text('b'))).toHaveLength(3000);
  });
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  let best = Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    for (const [place, other] of b.entries()) {
      const longer = one === other ? (best[place] ?? 0) + 1 : 0;
      next.push(Math.max(longer, next[place] ?? 0, best[place + 1] ?? 0));
    }
    best = next;
  }
  return best.at(-1) ?? 0;
}

describe('payloads', () => {
  it('JSON is indented, anything else stays as it came', () => {
    expect(prettyJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(prettyJson('a=1')).toBeNull();
    expect(prettyJson('')).toBeNull();
  });

  it('an event is known by its id and type, and nothing else is taken for one', () => {
    expect(eventIn('{"id":"evt_1","type":"item.purchased"}')).toEqual({
      id: 'evt_1',
      type: 'item.purchased',
    });
    for (const body of ['null', '[]', '"x"', '{}', '{"id":1,"type":{}}', 'x', ''])
      expect(eventIn(body), body).toEqual({ id: null, type: null });
  });

  it('the same event is known again by its id, under its first number', () => {
    const arrivedRequest = (number: number, body: string) => ({ number, body });
    const [first, other, again] = [
      arrivedRequest(7, '{"id":"evt_1"}'),
      arrivedRequest(8, '{"id":"evt_2"}'),
      arrivedRequest(9, '{"id":"evt_1"}'),
    ];
    const all = [arrivedRequest(10, 'x'), again, other, first];
    expect(all.map((one) => firstOfEvent(one, all))).toEqual([null, 7, null, null]);
  });
});
