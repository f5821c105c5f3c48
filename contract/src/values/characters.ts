// How a text is counted and cut, everywhere alike. Counted: in Unicode code points, as JSON Schema (§6.3) and
// PostgreSQL's char_length do. Cut: between graphemes, so that no emoji and no accented letter is torn (UAX #29).

let segmenter: Intl.Segmenter | undefined;

/** Made at the first cut: it takes the 50 ms in which its data is loaded. */
const segmentsOf = (text: string): Intl.Segments => {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
};

/** The number of characters. `length` would count most emoji twice. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns the text if it has at most `most` characters, else its beginning, `end` included in the count. */
export function cutText(text: string, most: number, end = ''): string {
  if (text.length <= most || countCharacters(text) <= most) return text;
  let left = most - countCharacters(end);
  let kept = '';
  for (const { segment } of segmentsOf(text)) {
    left -= countCharacters(segment);
    if (left < 0) break;
    kept += segment;
  }
  // One grapheme may have any number of marks.
  if (kept === '') kept = [...text].slice(0, most - countCharacters(end)).join('');
  return kept + end;
}

/** The first character as a reader sees it. */
export const firstGrapheme = (text: string): string =>
  segmentsOf(text).containing(0)?.segment ?? '';
