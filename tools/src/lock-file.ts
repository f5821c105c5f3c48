// What package-lock.json must contain so that `npm ci` works on every platform. It is written on one
// platform, for which npm leaves out optional native packages of other platforms that its registry does not
// have, and `npm ci` then refuses the file.

export type LockEntry = {
  version?: string;
  resolved?: string;
  link?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  license?: string;
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
};
export type LockFile = { packages: Record<string, LockEntry> };

/** An optional dependency of an installed package that has no entry in the file. */
type Missing = { name: string; wanted: string; by: string };

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];
/** Packages whose names do not contain their platform. */
const known: Readonly<Record<string, Pick<LockEntry, 'os'>>> = { fsevents: { os: ['darwin'] } };

/** Returns everything that is wrong with the file, one text each. */
export function lockComplaints(lock: LockFile): string[] {
  const absent = listMissing(lock).map(
    ({ name, wanted, by }) => `${by} names ${name} ${wanted}: no entry`,
  );
  const bound = Object.entries(lock.packages)
    .filter(([, entry]) => isRemote(entry))
    .map(([path, { resolved }]) => `${path} is bound to ${resolved}`);
  return [...absent, ...bound];
}

/** Returns the file with every missing entry, without registry addresses, in npm's own order. */
export function completed(lock: LockFile): LockFile {
  const packages: LockFile['packages'] = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    const { resolved, ...rest } = entry;
    packages[path] = isRemote(entry) ? rest : entry;
  }
  for (const { name, wanted, by } of listMissing(lock)) {
    const { dev } = lock.packages[by] ?? {};
    packages[`node_modules/${name}`] = { ...optionalEntry(name, wanted), ...(dev ? { dev } : {}) };
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

function isRemote({ resolved }: LockEntry): boolean {
  return /^[a-z+]+:/.test(resolved ?? '');
}

function listMissing({ packages }: LockFile): Missing[] {
  return Object.entries(packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isVisible(packages, path, name))
      .map(([name, wanted]) => ({ name, wanted, by: path || 'the project' })),
  );
}

/** Returns whether a package at `path` would find `name` in its own or an outer node_modules. */
function isVisible(packages: LockFile['packages'], path: string, name: string): boolean {
  for (let at = path; ; at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '') {
    if (packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

/**
 * Makes an entry without integrity: npm then uses what that machine's registry returns, and stores its
 * hash.
 */
function optionalEntry(name: string, wanted: string): LockEntry {
  const version = wanted.replace(/^[\^~]/, '');
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
    throw new Error(
      `The version of ${name} cannot be told from "${wanted}": add its entry by hand`,
    );
  }
  return { version, ...platformOf(name), optional: true };
}

/** Reads the platform from the name, which every family of native packages spells in the same way. */
export function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const given = known[name];
  if (given) return given;
  const words = name
    .replace(/^@[^/]+\//, '')
    .split(/[-_.]/)
    .map((word) => (word === 'windows' || word === 'win' ? 'win32' : word));
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  if (os.length + cpu.length === 0) {
    throw new Error(`The platform of ${name} cannot be told from its name: add its entry by hand`);
  }
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : undefined;
  return {
    ...(os.length ? { os } : {}),
    ...(cpu.length ? { cpu } : {}),
    ...(libc ? { libc } : {}),
  };
}
