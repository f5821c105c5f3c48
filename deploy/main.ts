// `npm run release`: builds a release into dist/release, from a clean checkout after `npm ci`; with `deb`
// and `image` also Debian packages and the image. With the same commit the files have the same bytes,
// wherever and whenever they are built.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { version } from '../contract/src/version.ts';
import { docsStyle } from '../service/src/http/docs/docs-style.ts';
import { openSite } from '../service/src/http/docs/guides.ts';
import { buildDebs } from './deb.ts';
import { buildImage, makeContext } from './image.ts';
import { billOfMaterials } from './packages.ts';
import { buildTree, root, settle, sourceTime } from './tree.ts';

export const releaseFolder: string = join(root, 'dist/release');
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as string] ?? process.arch;
export const releaseName: string = `svc-${version}-linux-${architecture}`;

/** Writes tree, archive, guides and bill of materials. */
export async function buildRelease(): Promise<void> {
  rmSync(releaseFolder, { recursive: true, force: true });
  mkdirSync(releaseFolder, { recursive: true });
  const tree = join(releaseFolder, releaseName);
  const packages = await buildTree(tree, version);
  writeFileSync(join(releaseFolder, `${releaseName}.tar.gz`), archive(releaseName));
  await writeGuides(`svc-${version}-guides`);
  const bill = billOfMaterials(packages, { version, seconds: sourceTime() });
  writeFileSync(join(releaseFolder, `${releaseName}.cdx.json`), bill);
}

/** Writes an archive of the guides as files for a web server, which serves them below `/`. */
async function writeGuides(name: string): Promise<void> {
  const folder = join(releaseFolder, name);
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const site = openSite();
  for (const path of site.paths) {
    const { type = '', content = '' } = (await site.read(path)) ?? {};
    write(type.startsWith('text/html') ? `${path}/index.html` : path, content);
  }
  write('docs/style.css', docsStyle);
  settle(folder, sourceTime());
  writeFileSync(`${folder}.tar.gz`, archive(name));
}

function archive(name: string): Buffer {
  const order = ['--sort=name', '--format=ustar', '--owner=0', '--group=0', '--numeric-owner'];
  const args = [...order, `--mtime=@${sourceTime()}`, '-C', releaseFolder, '-cf', '-', name];
  const tar = execFileSync('tar', args, { maxBuffer: 1 << 30 });
  return gzipSync(tar, { level: 9 });
}

/** Writes the sums of all files of the release, so that `sha256sum -c SHA256SUMS` checks a download. */
function writeSums(): void {
  const files = readdirSync(releaseFolder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'SHA256SUMS')
    .map(({ name }) => name)
    .sort();
  const lines = files.map((name) => {
    const bytes = readFileSync(join(releaseFolder, name));
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(releaseFolder, 'SHA256SUMS'), lines.join(''));
}

if (import.meta.main) {
  const began = performance.now();
  await buildRelease();
  const wanted = process.argv.slice(2);
  const build = { tree: join(releaseFolder, releaseName), version, folder: releaseFolder };
  if (wanted.includes('deb')) buildDebs(build);
  if (wanted.includes('image')) {
    const folder = join(releaseFolder, 'image');
    makeContext({ ...build, folder });
    buildImage({ version, folder }, []);
  }
  writeSums();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${releaseName} built in ${seconds} s: ${releaseFolder}\n`);
}
