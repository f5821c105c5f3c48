// Reads the declaration files of the official SDK, which are generated and regular: interfaces, type aliases
// and namespaces. Anything else (classes, functions) is passed over.

export type Shape =
  | { kind: 'literal'; value: string | number | boolean | null }
  | { kind: 'name'; path: readonly string[]; args: readonly Shape[] }
  | { kind: 'union' | 'all'; of: readonly Shape[] }
  | { kind: 'list'; of: Shape }
  | { kind: 'object'; members: readonly Member[]; rest: Shape | undefined }
  | { kind: 'unread' };

export type Member = { name: string; isOptional: boolean; shape: Shape };

export type InterfaceDeclaration = {
  params: readonly string[];
  /** The interfaces that this one extends. */
  bases: readonly Shape[];
  shape: Shape;
};

export type Scope = {
  parent: Scope | undefined;
  types: Map<string, InterfaceDeclaration>;
  spaces: Map<string, Scope>;
  /** Names that come from another file: the file, and the name there. */
  imports: Map<string, { file: string; name: string }>;
  /** Names that a namespace exports, of the scope around it. */
  exported: Map<string, string>;
  /** Files whose names this one exports too. */
  stars: string[];
};

const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*|\d+(?:\.\d+)?|=>|\.\.\.|\S/g;

const tokensOf = (text: string): string[] =>
  (text.match(token) ?? []).filter((one) => !one.startsWith('/*') && !one.startsWith('//'));

const newScope = (parent: Scope | undefined): Scope => ({
  parent,
  types: new Map(),
  spaces: new Map(),
  imports: new Map(),
  exported: new Map(),
  stars: [],
});

const closing: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']', '<': '>' };

class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? '';
  }

  next(): string {
    const one = this.peek();
    this.#at++;
    return one;
  }

  takes(wanted: string): boolean {
    if (this.peek() !== wanted) return false;
    this.#at++;
    return true;
  }

  expect(wanted: string): void {
    const found = this.next();
    if (found !== wanted) throw new Error(`the declarations have ${found} in place of ${wanted}`);
  }

  /** Passes over a bracket and everything up to the one that closes it. */
  skipBracket(): void {
    const open = this.next();
    const close = closing[open];
    for (let depth = 1; depth > 0 && !this.isAtEnd; ) {
      const one = this.next();
      if (one === open) depth++;
      else if (one === close) depth--;
    }
  }

  skipStatement(): void {
    while (!this.isAtEnd) {
      if (this.takes(';')) return;
      if (this.peek() === '{') {
        this.skipBracket();
        if (this.peek() !== 'from' && this.peek() !== ';') return;
      } else this.next();
    }
  }
}

const unquoted = (text: string): string => text.slice(1, -1).replaceAll(/\\(.)/g, '$1');

const readShape = (reader: Reader): Shape => {
  reader.takes('|');
  const of = [readAll(reader)];
  while (reader.takes('|')) of.push(readAll(reader));
  return of.length === 1 && of[0] ? of[0] : { kind: 'union', of };
};

const readAll = (reader: Reader): Shape => {
  const of = [readList(reader)];
  while (reader.takes('&')) of.push(readList(reader));
  return of.length === 1 && of[0] ? of[0] : { kind: 'all', of };
};

const readList = (reader: Reader): Shape => {
  let shape = readOne(reader);
  while (reader.peek() === '[' && reader.peek(1) === ']') {
    reader.next();
    reader.next();
    shape = { kind: 'list', of: shape };
  }
  return shape;
};

const readArguments = (reader: Reader): Shape[] => {
  const args: Shape[] = [];
  if (!reader.takes('<')) return args;
  do args.push(readShape(reader));
  while (reader.takes(','));
  reader.expect('>');
  return args;
};

const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

const readOne = (reader: Reader): Shape => {
  const one = reader.peek();
  if (one === '(') {
    reader.next();
    const inner = readShape(reader);
    reader.expect(')');
    return inner;
  }
  if (one === '{') return readObject(reader);
  reader.next();
  if (/^['"]/.test(one)) return { kind: 'literal', value: unquoted(one) };
  if (/^\d/.test(one)) return { kind: 'literal', value: Number(one) };
  if (Object.hasOwn(literals, one)) return { kind: 'literal', value: literals[one] ?? null };
  const path = [one];
  while (reader.takes('.')) path.push(reader.next());
  return { kind: 'name', path, args: readArguments(reader) };
};

const readObject = (reader: Reader): Shape => {
  const members: Member[] = [];
  let rest: Shape | undefined;
  reader.expect('{');
  while (!reader.takes('}')) {
    if (reader.isAtEnd) throw new Error('the declarations end inside an object');
    if (reader.takes('readonly')) continue;
    if (reader.peek() === '[') {
      reader.skipBracket();
      reader.expect(':');
      rest = readShape(reader);
    } else {
      const name = reader.next();
      const isOptional = reader.takes('?');
      if (reader.peek() === '(' || reader.peek() === '<') {
        reader.skipStatement();
        continue;
      }
      reader.expect(':');
      members.push({
        name: /^['"]/.test(name) ? unquoted(name) : name,
        isOptional,
        shape: readShape(reader),
      });
    }
    if (!reader.takes(';')) reader.takes(',');
  }
  return { kind: 'object', members, rest };
};

const readParams = (reader: Reader): string[] => {
  const params: string[] = [];
  if (!reader.takes('<')) return params;
  while (!reader.takes('>')) {
    const one = reader.next();
    if (one !== ',') params.push(one);
  }
  return params;
};

const readInterface = (reader: Reader, scope: Scope): void => {
  const name = reader.next();
  const params = readParams(reader);
  const bases: Shape[] = [];
  if (reader.takes('extends')) {
    do bases.push(readOne(reader));
    while (reader.takes(','));
  }
  scope.types.set(name, { params, bases, shape: readObject(reader) });
};

const readImport = (reader: Reader, scope: Scope): void => {
  const names: [string, string][] = [];
  reader.takes('type');
  if (reader.takes('*')) {
    const own = reader.takes('as') ? reader.next() : undefined;
    reader.expect('from');
    const file = unquoted(reader.next());
    if (own === undefined) scope.stars.push(file);
    else scope.imports.set(own, { file, name: '*' });
  } else if (reader.takes('{')) {
    while (!reader.takes('}')) {
      const name = reader.next();
      names.push([reader.takes('as') ? reader.next() : name, name]);
      reader.takes(',');
    }
    if (reader.takes('from')) {
      const file = unquoted(reader.next());
      for (const [own, name] of names) scope.imports.set(own, { file, name });
    } else for (const [own, name] of names) scope.exported.set(own, name);
  }
  reader.skipStatement();
};

const readStatement = (reader: Reader, scope: Scope): void => {
  if (reader.peek() === 'export' && ['*', '{'].includes(reader.peek(1))) {
    reader.next();
    readImport(reader, scope);
    return;
  }
  while (['export', 'declare', 'default'].includes(reader.peek())) reader.next();
  const word = reader.next();
  if (word === 'import') {
    readImport(reader, scope);
    return;
  }
  if (word === 'interface') {
    readInterface(reader, scope);
    return;
  }
  if (word === 'type' && reader.peek() !== '{') {
    const name = reader.next();
    const params = readParams(reader);
    reader.expect('=');
    scope.types.set(name, { params, bases: [], shape: readShape(reader) });
    reader.takes(';');
    return;
  }
  if (word === 'namespace') {
    const name = reader.next();
    const inner = scope.spaces.get(name) ?? newScope(scope);
    scope.spaces.set(name, inner);
    reader.expect('{');
    while (!reader.takes('}')) readStatement(reader, inner);
    return;
  }
  if (word !== ';') reader.skipStatement();
};

/** Reads one declaration file. Throws for what it does not understand. */
export const readDeclarations = (text: string): Scope => {
  const reader = new Reader(text);
  const scope = newScope(undefined);
  while (!reader.isAtEnd) readStatement(reader, scope);
  return scope;
};

/** Reads one shape, such as `Response<PaymentIntent>`. */
export const readShapeOf = (text: string): Shape => readShape(new Reader(text));
