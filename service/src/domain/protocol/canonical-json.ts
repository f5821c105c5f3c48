// The identity of a JSON text: two texts have the same canonical form exactly when they mean the
// same. The text is read, not parsed values, because a parser that uses doubles equates
// 9007199254740993 with …992 and 1e400 with Infinity. Contract §2, Idempotency.

/** The deepest nesting that is accepted. */
export const maxDepth = 20;

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// A string token: no raw control characters, only the escapes of RFC 8259 §7.
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 excludes exactly these.
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const spacePattern = /[ \t\n\r]*/y;

/**
 * The canonical form of a JSON text: keys in order of UTF-16 code units, no white space, strings
 * escaped minimally and not normalised, numbers as `<digits>e<exponent>` without trailing zeros.
 * Throws a SyntaxError for what is not one JSON text, for duplicate keys, lone surrogates and
 * nesting deeper than 20. `skipsNull`: a member of the outer object that is null is left out.
 */
export function canonicalJson(text: string, { skipsNull = false } = {}): string {
  const reader = new Reader(text, skipsNull);
  const form = reader.value(1);
  reader.space();
  if (!reader.isAtEnd()) throw new SyntaxError('text after the JSON value');
  return form;
}

class Reader {
  readonly #text: string;
  readonly #skipsNull: boolean;
  #at = 0;

  constructor(text: string, skipsNull: boolean) {
    this.#text = text;
    this.#skipsNull = skipsNull;
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  space(): void {
    this.#match(spacePattern);
  }

  value(depth: number): string {
    this.space();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') return JSON.stringify(this.#string());
    for (const word of ['true', 'false', 'null']) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return word;
      }
    }
    return canonicalNumber(this.#match(numberPattern) ?? failParse('not a JSON value'));
  }

  #object(depth: number): string {
    this.#descend(depth);
    const members = new Map<string, string>();
    if (!this.#take('}')) {
      do {
        this.space();
        const key = this.#string();
        if (members.has(key)) throw new SyntaxError('duplicate key');
        if (!this.#take(':')) throw new SyntaxError('colon expected');
        members.set(key, this.value(depth + 1));
      } while (this.#take(','));
      if (!this.#take('}')) throw new SyntaxError('end of object expected');
    }
    const isSkipped = (form: string) => this.#skipsNull && depth === 1 && form === 'null';
    const kept = [...members].filter(([, form]) => !isSkipped(form));
    const sorted = kept.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([key, form]) => `${JSON.stringify(key)}:${form}`).join(',')}}`;
  }

  #array(depth: number): string {
    this.#descend(depth);
    const elements: string[] = [];
    if (!this.#take(']')) {
      do elements.push(this.value(depth + 1));
      while (this.#take(','));
      if (!this.#take(']')) throw new SyntaxError('end of array expected');
    }
    return `[${elements.join(',')}]`;
  }

  #descend(depth: number): void {
    if (depth > maxDepth) throw new SyntaxError('nested too deeply');
    this.#at += 1;
  }

  #string(): string {
    const token = this.#match(stringPattern) ?? failParse('string expected');
    const value = JSON.parse(token) as string;
    if (!value.isWellFormed()) throw new SyntaxError('lone surrogate');
    return value;
  }

  #take(mark: string): boolean {
    this.space();
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

/** A JSON number as an exact decimal: 1.50, 15e-1 and 0.15E1 are one form. */
export function canonicalNumber(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? failParse('not a number');
  const all = (whole + fraction).replace(/^0+/, '');
  if (all === '') return '0';
  let kept = all.length;
  while (all[kept - 1] === '0') kept -= 1;
  const shift = BigInt(exponent) - BigInt(fraction.length) + BigInt(all.length - kept);
  return `${sign}${all.slice(0, kept)}e${shift}`;
}

function failParse(reason: string): never {
  throw new SyntaxError(reason);
}
