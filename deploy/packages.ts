// The packages that a release contains, chosen by the lock file, and their list for people who look for a
// vulnerable one (CycloneDX). `npm sbom` refuses workspaces that name each other as `*`.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Entry = {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly os?: readonly string[];
} & Partial<Record<'dependencies' | 'optionalDependencies' | 'peerDependencies', Names>> & {
    readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  };
type Names = Readonly<Record<string, string>>;
type Entries = Readonly<Record<string, Entry>>;

export type Shipped = {
  /** Its folder, as a path from the root. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly integrity: string | undefined;
  readonly licence: string | undefined;
};

/** Returns what the workspaces need when they run, in the order of paths. */
export function shippedPackages(root: string, workspaces: readonly string[]): Shipped[] {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Entries };
  const seen = new Set<string>();
  const open = [...workspaces];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    for (const name of neededBy(packages[at] ?? {})) {
      const path = resolve(packages, at, name);
      const entry = path === undefined ? undefined : packages[path];
      if (path === undefined || !entry || entry.os) continue;
      open.push(entry.link ? (entry.resolved ?? path) : path);
    }
  }
  return [...seen]
    .filter((path) => path.includes('node_modules/'))
    .sort()
    .map((path) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: packages[path]?.version ?? '',
      integrity: packages[path]?.integrity,
      licence: packages[path]?.license,
    }));
}

function neededBy(entry: Entry): string[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = entry;
  const peers = Object.keys(peerDependencies);
  return [
    ...Object.keys(dependencies),
    ...Object.keys(optionalDependencies),
    ...peers.filter((name) => !entry.peerDependenciesMeta?.[name]?.optional),
  ];
}

/** Finds a package as Node does: in the package's own node_modules, then in those of the folders around. */
function resolve(packages: Entries, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '') {
    const path = `${at ? `${at}/` : ''}node_modules/${name}`;
    if (packages[path]) return path;
    if (at === '') return undefined;
  }
}

const component = ({ name, version, integrity, licence }: Omit<Shipped, 'path'>) => ({
  type: 'library',
  name,
  version,
  'bom-ref': `${name}@${version}`,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  ...(integrity ? { hashes: [hashOf(integrity)] } : {}),
  ...(licence ? { licenses: [{ expression: licence }] } : {}),
});

function hashOf(integrity: string) {
  const [kind = '', value = ''] = integrity.split(' ')[0]?.split(/-(.*)/s) ?? [];
  const alg = kind.replace('sha', 'SHA-');
  return { alg, content: Buffer.from(value, 'base64').toString('hex') };
}

/** Returns a bill of materials, CycloneDX 1.6. The same packages give the same text. */
export function billOfMaterials(
  packages: readonly Shipped[],
  { version, seconds }: { readonly version: string; readonly seconds: number },
): string {
  const node = {
    name: 'node',
    version: process.versions.node,
    licenses: [{ license: { id: 'MIT' } }],
  };
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  const components = [
    { type: 'platform', ...node, 'bom-ref': 'node', purl: `pkg:generic/node@${node.version}` },
    ...[...unique.values()].map(component),
  ];
  const id = createHash('sha256')
    .update(JSON.stringify([version, components]))
    .digest('hex');
  const uuid = [id.slice(0, 8), id.slice(8, 12), `8${id.slice(13, 16)}`, `8${id.slice(17, 20)}`];
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${[...uuid, id.slice(20, 32)].join('-')}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      component: { type: 'application', name: 'svc', version, 'bom-ref': 'svc' },
    },
    components,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}
