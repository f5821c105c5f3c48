// The version of the project stands in the package.json of the root. Packages of the workspace have none
// and name each other as `*`; texts that show the version are written by
// `node tools/src/checks/version.ts --write`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Manifest = { version?: string } & Partial<
  Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>>
>;
type Root = Manifest & { version: string; workspaces: string[] };

/** Each text that shows the version: its file, and what stands before and after. */
const shown = [
  ['contract/src/version.ts', "export const version = '", "'"],
  ['libraries/server/src/options.ts', "const libraryVersion = '", "'"],
  ['README.md', '\n  svc ', ' '],
  ['docs/reference/browser-library.md', '# @svc/browser ', '\n'],
  ['docs/reference/server-library.md', '# @svc/server ', '\n'],
] as const;

const mend = 'Mend: node tools/src/checks/version.ts --write';

/** Returns one message for each place that states another version than the root package. */
export function checkVersion(root: string): string[] {
  const { version, workspaces } = readJson<Root>(root, 'package.json');
  const folders = [...workspaces, 'libraries/cli', 'integrations/medusa', 'integrations/vendure'];
  const manifests = folders.map((folder) => `${folder}/package.json`);
  const complaints = [
    ...manifests.flatMap((path) => ownVersions(path, readJson<Manifest>(root, path))),
    ...lockVersions(readJson(root, 'package-lock.json'), version),
    ...shown
      .filter(([path, before, after]) => !textOf(root, path).includes(before + version + after))
      .map(([path]) => `${path} does not show ${version}`),
    ...(textOf(root, 'CHANGELOG.md').includes(`\n## ${version}`)
      ? []
      : [`CHANGELOG.md has no heading for ${version}`]),
  ];
  return complaints.length > 0 ? [...complaints, mend] : [];
}

function ownVersions(path: string, manifest: Manifest): string[] {
  const named = (['dependencies', 'devDependencies', 'peerDependencies'] as const)
    .flatMap((kind) => Object.entries(manifest[kind] ?? {}))
    .filter(([name, wanted]) => name.startsWith('@svc/') && wanted !== '*')
    .map(([name, wanted]) => `${path} names ${name} ${wanted}, not *`);
  return manifest.version ? [`${path} has a version of its own`, ...named] : named;
}

function lockVersions(
  lock: { version?: string; packages: Record<string, Manifest> },
  version: string,
): string[] {
  const own = [lock.version, lock.packages['']?.version].every((each) => each === version);
  const others = Object.entries(lock.packages)
    .filter(([path]) => path !== '' && !path.includes('node_modules/'))
    .flatMap(([path, entry]) => ownVersions(`package-lock.json: ${path}`, entry));
  return own ? others : [`package-lock.json is not of ${version}: npm install`, ...others];
}

/** Writes the version of the root into each text that shows it. */
function writeVersion(root: string): void {
  const { version } = readJson<Root>(root, 'package.json');
  for (const [path, before, after] of shown) {
    const text = textOf(root, path);
    const at = text.indexOf(before) + before.length;
    const end = text.indexOf(after, at);
    writeFileSync(join(root, path), text.slice(0, at) + version + text.slice(end));
  }
}

const textOf = (root: string, path: string): string => readFileSync(join(root, path), 'utf8');

const readJson = <T>(root: string, path: string): T => JSON.parse(textOf(root, path)) as T;

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '../../..');
  if (process.argv.includes('--write')) writeVersion(root);
  const complaints = checkVersion(root);
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exitCode = 1;
}
