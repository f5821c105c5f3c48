// The API reference of a library, generated from the declarations in its package, so that the page
// equals what a merchant's editor shows. It expects the form in which tsc writes declarations: one
// statement per unindented block, members indented by four spaces.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

type Declaration = { doc: string; text: string };
type Module = { declared: Map<string, Declaration>; lists: ListedName[] };
type ListedName = { name: string; file: string | undefined };
type Modules = Map<string, Module>;

/** Returns the page about the package in `folder`. */
export function describeLibrary(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    description: string;
    exports: Record<string, { import: { types: string } } | string>;
  };
  const modules = readModules(folder);
  const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [{ path, file: basename(target.import.types) }],
  );
  const { name } = manifest;
  const importable = new Set(
    entries.flatMap(({ file }) => modules.get(file)?.lists.map((one) => one.name) ?? []),
  );
  const sections = entries.map(({ path, file }) => {
    const title = `## \`${name}${path.slice(1)}\``;
    return `${title}\n\n${describeEntry(modules, file, importable)}`;
  });
  const intro = [
    `# ${name} ${manifest.version}`,
    manifest.description,
    'Written from the declarations of the package by `npm run packages -- --write`; do not edit. ' +
      "`Answered<'GET /v1/payments'>` is what that call of the API answers: " +
      '[/openapi.json](http://localhost:4000/openapi.json) shows it in full.',
  ];
  return `${[...intro, ...sections, ...describeNamed(modules, sections)].join('\n\n')}\n`;
}

/** Describes options and words that the sections name without showing them. */
function describeNamed(modules: Modules, sections: readonly string[]): string[] {
  const shown = new Set<string>();
  for (const [, name = ''] of sections.join('\n').matchAll(/^#{3,4} `(\w+)/gm)) shown.add(name);
  const found = new Map<string, Declaration>();
  const readNames = (text: string) => {
    for (const name of new Set(codeOf(text).match(/\b[A-Z]\w+/g))) {
      const declared = shown.has(name) ? undefined : findType(modules, name);
      // A merchant chooses options and words; the other types are for the compiler.
      if (!declared || !(name.endsWith('Options') || / = '/.test(declared.text))) continue;
      shown.add(name);
      found.set(name, declared);
      readNames(declared.text);
    }
  };
  for (const [, block = ''] of sections.join('\n').matchAll(/^```ts\n([\s\S]*?)^```$/gm)) {
    readNames(block);
  }
  if (found.size === 0) return [];
  const names = [...found.keys()].sort();
  return [
    '## Types that are named above',
    'They have no name to import; an editor shows them in place.',
    ...names.map((name) => titled(`### \`${name}\``, found.get(name) as Declaration)),
  ];
}

function findType(modules: Modules, name: string): Declaration | undefined {
  for (const { declared } of modules.values()) {
    const one = declared.get(name);
    if (one && /\b(type|interface) /.test(one.text)) return one;
  }
  return undefined;
}

/** Returns the text without comments and strings. */
const codeOf = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|'[^'\n]*'|"[^"\n]*"|`[^`]*`/g, '');

/** Reads the declarations by their file's name, which is unique. `cjs` holds the same again. */
function readModules(folder: string): Modules {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.d.ts') && !/^(cjs|node_modules)\b/.test(file),
  );
  return new Map(
    files.map((file) => [basename(file), readModule(readFileSync(join(folder, file), 'utf8'))]),
  );
}

function readModule(text: string): Module {
  const declared = new Map<string, Declaration>();
  const lists: ListedName[] = [];
  for (const one of statements(text)) {
    const [, list, from] = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/.exec(one.text) ?? [];
    if (list !== undefined) lists.push(...listedNames(list, from));
    const kind = /^(export )?(?:declare )?(?:type|interface|class|function|const) (\w+)/;
    const [, exported, name] = kind.exec(one.text) ?? [];
    if (name === undefined) continue;
    declared.set(name, one);
    if (exported) lists.push({ name, file: undefined });
  }
  return { declared, lists };
}

const listedNames = (list: string, from: string | undefined): ListedName[] =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((name) => ({ name, file: from && basename(from).replace(/\.[jt]s$/, '.d.ts') }));

/** Returns the blocks of a text at its own indentation, each with the comment before it. */
function statements(text: string): Declaration[] {
  const found: Declaration[] = [];
  let doc = '';
  let open = '';
  let isComment = false;
  for (const line of text.split('\n')) {
    if (open === '' && (isComment || line.startsWith('/**'))) {
      doc = line.startsWith('/**') ? line : `${doc}\n${line}`;
      isComment = !line.trimEnd().endsWith('*/');
      continue;
    }
    if (open === '' && /^\s*(\/\/|$)/.test(line)) continue;
    open = open === '' ? line : `${open}\n${line}`;
    if (bracketDepth(open) > 0 || !/[;}]\s*$/.test(line)) continue;
    found.push({ doc: readProse(doc), text: open });
    doc = '';
    open = '';
  }
  return found;
}

/** Returns the number of open brackets, outside of comments and strings. */
function bracketDepth(text: string): number {
  const bare = codeOf(text);
  return (bare.match(/[{([]/g)?.length ?? 0) - (bare.match(/[})\]]/g)?.length ?? 0);
}

const readProse = (comment: string): string =>
  comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n')
    .map((line) => line.trim().replace(/^\* ?/, ''))
    .join(' ')
    .trim();

function describeEntry(modules: Modules, file: string, importable: ReadonlySet<string>): string {
  const entry = modules.get(file);
  if (!entry) throw new Error(`the package has no ${file}`);
  const all = entry.lists.map(({ name, file: from }) => {
    const declared = modules.get(from ?? file)?.declared.get(name);
    if (!declared) throw new Error(`${file} exports ${name}, which is declared nowhere`);
    return { name, declared, file: from ?? file };
  });
  const isClass = ({ declared }: { declared: Declaration }) => /\bclass \w+/.test(declared.text);
  const isFunction = ({ declared }: { declared: Declaration }) =>
    / function \w+/.test(declared.text);
  const isError = ({ name }: { name: string }) => /Error$/.test(name);
  const classes = all.filter(isClass).sort((a, b) => Number(isError(a)) - Number(isError(b)));
  const functions = all.filter(isFunction);
  const rest = all.filter((one) => !isClass(one) && !isFunction(one));
  const ofApi = rest.filter((one) => objectFiles.has(one.file));
  const own = rest.filter((one) => !objectFiles.has(one.file));
  return [
    ...classes.map(({ name, declared }) =>
      describeClass(modules, name, withBaseMembers(modules, declared, importable)),
    ),
    ...functions.map(({ name, declared }) => titled(`### \`${name}\``, declared)),
    ...(ofApi.length > 0 ? ['### Objects of the API', listObjects(ofApi)] : []),
    ...(own.length > 0 ? ['### Types'] : []),
    ...own.map(({ name, declared }) => titled(`#### \`${name}\``, declared)),
  ].join('\n\n');
}

/** Files whose types are written from the contract's schemas. */
const objectFiles: ReadonlySet<string> = new Set(['contract-types.d.ts', 'wire.d.ts']);

const listObjects = (objects: readonly { name: string }[]): string =>
  `${objects.map(({ name }) => `\`${name}\``).join(', ')}. \`/docs\` of a running service shows their fields.`;

const tooLong = 60;

function titled(title: string, { doc, text }: Declaration): string {
  const lines = text.replace(/^export (declare )?/, '').split('\n');
  const shown =
    lines.length > tooLong
      ? `\`${lines[0]?.replace(/ = \{$/, '')}\`: ${lines.length} lines; your editor shows them.`
      : `\`\`\`ts\n${lines.join('\n').replaceAll('    ', '  ')}\n\`\`\``;
  return [title, doc, shown].filter(Boolean).join('\n\n');
}

const withoutIndent = (text: string): string => text.replace(/^ {4}/gm, '');

function membersOf({ text }: Declaration): Declaration[] {
  const body = text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'));
  // A member named by a symbol serves `instanceof` and is of no use to a merchant.
  return statements(withoutIndent(body)).filter(
    (one) => !/^(#private|private |protected |static readonly \[)/.test(one.text),
  );
}

/** A merchant constructs only the client: the library makes resources and throws errors. */
const isConstructor = ({ text }: Declaration): boolean => text.startsWith('constructor(');

function describeClass(modules: Modules, name: string, declared: Declaration): string {
  const members = membersOf(declared).filter((one) => !isConstructor(one) || !/Error$/.test(name));
  const heading = /class (\w+ extends \w+)/.exec(declared.text)?.[1] ?? name;
  const parts = members.flatMap((member) => partsOf(modules, member));
  return [
    `### \`${heading}\``,
    declared.doc,
    ...describeMembers(members.filter((member) => partsOf(modules, member).length === 0)),
    ...parts.map(
      ({ path, of }) =>
        `### \`${name.toLowerCase()}.${path}\`\n\n` +
        [of.doc, ...describeMembers(membersOf(of).filter((one) => !isConstructor(one)))]
          .filter(Boolean)
          .join('\n\n'),
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Adds the members of a base class that nobody can import, so that none is missing. */
function withBaseMembers(
  modules: Modules,
  declared: Declaration,
  importable: ReadonlySet<string>,
): Declaration {
  const [heading = '', base = ''] = / extends (\w+)/.exec(declared.text) ?? [];
  if (importable.has(base)) return declared;
  const hidden = findClass(modules, base);
  if (!hidden) return declared;
  const { text } = withBaseMembers(modules, hidden, importable);
  const inherited = text.slice(text.indexOf('{') + 1, text.lastIndexOf('}'));
  const own = declared.text.replace(heading, '');
  return { doc: declared.doc, text: `${own.slice(0, own.lastIndexOf('}'))}${inherited}}` };
}

type Part = { path: string; of: Declaration };

/** Returns the resources of a member such as `payments` or `checkout.sessions`. */
function partsOf(modules: Modules, { text }: Declaration): Part[] {
  const [, name = '', type = ''] = /^readonly (\w+): ([\s\S]*);$/.exec(text) ?? [];
  const found = findClass(modules, type);
  if (found) return [{ path: name, of: found }];
  return [...type.matchAll(/readonly (\w+): (\w+);/g)].flatMap(([, inner = '', of = '']) => {
    const nested = findClass(modules, of);
    return nested ? [{ path: `${name}.${inner}`, of: nested }] : [];
  });
}

/** Returns the class, with its module's short names for calls replaced by the calls. */
function findClass(modules: Modules, name: string): Declaration | undefined {
  for (const { declared } of modules.values()) {
    const one = declared.get(name);
    if (!one || !/\bclass /.test(one.text)) continue;
    let { text } = one;
    for (const [short, { text: alias }] of declared) {
      const [, call] = /^type \w+ = ('[A-Z]+ [^']+');$/.exec(alias) ?? [];
      if (call) text = text.replace(new RegExp(`\\b${short}\\b(?=[>\\],])`, 'g'), call);
    }
    return { doc: one.doc, text };
  }
  return undefined;
}

/** Shows the members, neighbours without a comment in one block. */
function describeMembers(members: readonly Declaration[]): string[] {
  const blocks: Declaration[] = [];
  for (const { doc, text } of members) {
    const shown = text.replace(/;$/, '').replaceAll('    ', '  ');
    const before = blocks.at(-1);
    if (before && doc === '' && before.doc === '') before.text += `\n${shown}`;
    else blocks.push({ doc, text: shown });
  }
  return blocks.map(({ doc, text }) => `\`\`\`ts\n${text}\n\`\`\`${doc && `\n\n${doc}`}`);
}
