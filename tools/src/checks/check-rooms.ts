// Refuses imports that the table of rooms does not allow, and folders that are missing from it; writes the
// list in ARCHITECTURE.md: `node tools/src/checks/check-rooms.ts --write`.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type ImportGraph, readGraph } from '../import-graph.ts';
import { ofTests, type Room, rooms } from './rooms.ts';

type Wall = {
  readonly pattern: string;
  readonly own: RegExp;
  readonly matches: RegExp;
  readonly may: readonly { readonly allows: boolean; readonly matches: RegExp }[];
};

const page = 'ARCHITECTURE.md';
/** The list of rooms: its first item is the contract. */
const list = /^- `contract\/` – .*\n(?:(?:-| {2}).*\n)*/m;
const place = 'tools/src/checks/rooms.ts';

/** Returns what is wrong, one text each. */
export function checkRooms(root: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [
    ...findForbidden(readGraph(root)),
    ...(text.includes(`\n\n${drawList(rooms)}\n`)
      ? []
      : [`${page} is not up to date: node tools/src/checks/check-rooms.ts --write`]),
  ];
}

/** The walls of a table, the longest pattern first. */
function wallsOf(all: readonly Room[]): Wall[] {
  const weightOf = ({ pattern }: Wall) => pattern.replaceAll('**', '').length;
  return all
    .flatMap(({ may }) => Object.entries(may).map(([key, list]) => wallOf(key, list)))
    .sort((one, other) => weightOf(other) - weightOf(one));
}

let builtWalls: Wall[] | undefined;

/** The walls of the repository's table, built once. */
function wallsOfRooms(): Wall[] {
  builtWalls ??= wallsOf(rooms);
  return builtWalls;
}

/** Returns the imports that no room allows, folders without a room and rooms without a file. */
export function findForbidden(graph: ImportGraph, all: readonly Room[] = rooms): string[] {
  const walls = all === rooms ? wallsOfRooms() : wallsOf(all);
  const used = new Set<Wall>();
  const missing = new Set<string>();
  const refused: string[] = [];
  for (const [file, imports] of graph) {
    if (ofTests.test(file)) continue;
    const wall = walls.find(({ matches }) => matches.test(file));
    if (!wall) {
      missing.add(dirname(file));
      continue;
    }
    used.add(wall);
    for (const { name, kind } of imports) {
      if (kind === 'path' || isAllowed(wall, file, name)) continue;
      refused.push(`${file} may not import ${name}: see '${wall.pattern}' in ${place}`);
    }
  }
  return [
    ...[...missing].map(
      (folder) => `${folder} has no room: add what it may import to ${place}, in this folder's row`,
    ),
    ...refused,
    ...walls
      .filter((wall) => !used.has(wall))
      .map(({ pattern }) => `'${pattern}' matches no file: take it out of ${place}`),
  ];
}

function isAllowed({ own, may }: Wall, file: string, name: string): boolean {
  const isPath = name.startsWith('.');
  const target = isPath ? normalize(join(dirname(file), name)).replaceAll('\\', '/') : name;
  const listed = may.findLast(({ matches }) => matches.test(target));
  if (listed) return listed.allows;
  const folder = own.exec(file)?.[0];
  return isPath && folder !== undefined && own.exec(target)?.[0] === folder;
}

function wallOf(pattern: string, may: readonly string[]): Wall {
  const folder = pattern.replace(/\/\*{1,2}$/, '/');
  return {
    pattern,
    // Of `a/*/**` the folder itself is `a/x/`, and of `a/*` what stands in `a/` directly.
    own: folder === pattern ? /^$/ : regexpOf(folder, pattern.endsWith('/**') ? '' : '(?=[^/]+$)'),
    matches: regexpOf(pattern, '$'),
    may: may.map((one) => ({
      allows: !one.startsWith('!'),
      matches: regexpOf(one.replace(/^!/, ''), '$'),
    })),
  };
}

function regexpOf(pattern: string, end: string): RegExp {
  const text = pattern
    .replaceAll('.', '\\.')
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replaceAll(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  return new RegExp(`^${text}${end}`);
}

/** Returns the list of ARCHITECTURE.md: what lives in each room, and below it what it may import. */
const drawList = (all: readonly Room[]): string =>
  all.map((room) => `- ${room.title} – ${room.lives}.\n  May import: ${namesOf(room)}.\n`).join('');

/** Returns the rooms that any folder of this room may import, without packages. */
function namesOf({ title, may }: Room): string {
  const own = title.replaceAll(/[`,]/g, '').split(' ');
  const names = Object.values(may)
    .flat()
    .flatMap((item) => {
      if (item === '**') return 'anything';
      if (item === 'service/src/**') return 'every room of the service';
      if (item === 'service/src/engine/ports.ts') return '`engine/ports.ts`';
      const [, floor] = /^service\/src\/(engine\/(?:steps|runs)|\w+)/.exec(item) ?? [];
      const [, ours] = /^@svc\/(\w+)/.exec(item) ?? [];
      if (ours) return ours === 'contract' ? ours : `libraries/${ours}`;
      return floor && !own.some((room) => room.endsWith(floor)) ? floor : [];
    });
  return [...new Set(names)].sort().join(', ') || 'nothing of ours';
}

if (import.meta.main && process.argv.includes('--write')) {
  const file = join(import.meta.dirname, '../../..', page);
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(list, () => drawList(rooms)),
  );
}
