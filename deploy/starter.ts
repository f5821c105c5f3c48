// The package `svc`: everything that `npm start` of a clone needs, as one archive, and a program that unpacks it once
// and starts it. So `npx svc start` brings up the product where there is no clone. The sources lie outside of
// node_modules there, where Node strips their types.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { version } from '../contract/src/version.ts';
import { root, sourceTime } from './tree.ts';

/** Tests and proofs start nothing; npm reads the manifest of each workspace. */
const isLeftOut = (file: string): boolean =>
  /\.test(-d)?\.tsx?$|(^|\/)\.gitignore$/.test(file) ||
  (file.startsWith('proof/') && file !== 'proof/package.json');

const program = (folder: string): string => `#!/usr/bin/env node
// npx svc start or break: unpacks the product into the cache, once, and runs it there.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [command, ...args] = process.argv.slice(2);
if (command === '--version') {
  console.log('svc ${version}');
  process.exit(0);
}
const isBreak = command === 'break';
if (command !== 'start' && !isBreak) {
  const said = \`Usage: npx svc start [flags]
       npx svc break [flags]

start: the payments service ${version} with a database, a sandbox of the card provider and a demo shop on this machine.
Its data lie in .svc of this folder.
break: breaks an installation of its own in every way, and compares the provider's ledger with the books; minutes.
Each with --help names its flags. Commands for webhooks: npx @svc/cli --help\`;
  (command === undefined || command === '--help' ? console.log : console.error)(said);
  process.exit(command === undefined || command === '--help' ? 0 : 2);
}

const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const place = join(cache, 'svc', '${folder}');
if (!existsSync(place)) {
  mkdirSync(dirname(place), { recursive: true });
  const fresh = mkdtempSync(place + '.');
  const archive = join(dirname(fileURLToPath(import.meta.url)), '../program.tar.gz');
  execFileSync('tar', ['-xzf', archive, '-C', fresh]);
  try {
    renameSync(fresh, place);
  } catch (error) {
    // Another start has unpacked it meanwhile.
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}
const hasData = args.some((arg) => arg === '--data' || arg.startsWith('--data='));
const data = hasData ? [] : ['--data', resolve('.svc')];
const entry = isBreak ? ['tools/entry/svc.mjs', command] : ['tools/entry/start.mjs', ...data];
const [main, ...own] = entry;
const child = spawn(process.execPath, [join(place, main), ...own, ...args], { stdio: 'inherit' });
// A terminal sends Ctrl-C to both; other signals reach this process alone.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('close', (code, signal) => process.exit(signal ? 1 : code));
`;

const readme = `# svc

The payments service Svc on your own machine, without a clone:

\`\`\`sh
npx svc start
\`\`\`

unpacks version ${version} into the cache of your user, installs what it names there (about 700 MB, once), and starts
the service, a PostgreSQL of its own, a sandbox of the card provider and a demo shop. It prints where each of them is.
Data, keys and logs lie in \`.svc\` of the folder. For production there are Debian packages and an image.

\`\`\`sh
npx svc break
\`\`\`

brings up an installation of its own, kills and cuts what it can for five minutes, and compares the provider's ledger with
the books.
`;

/** The archive of the tracked files, with the same bytes for the same commit. */
function archive(): Buffer {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  const files = git('ls-files', '-z')
    .split('\0')
    .filter((file) => file !== '' && !isLeftOut(file))
    .sort();
  const order = ['--format=ustar', '--owner=0', '--group=0', '--numeric-owner'];
  const args = [...order, `--mtime=@${sourceTime()}`, '--no-recursion', '-C', root, '-cf', '-'];
  const tar = execFileSync('tar', [...args, '-T', '-'], {
    ...{ input: `${files.join('\n')}\n`, maxBuffer: 1 << 30 },
  });
  return gzipSync(tar, { level: 9 });
}

/** Writes the publishable package into a folder, which is emptied first. */
export async function buildStarter(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const bytes = archive();
  const sum = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  writeFileSync(join(folder, 'program.tar.gz'), bytes);
  const file = join(folder, 'bin/svc.mjs');
  writeFileSync(file, program(`${version}-${sum}`));
  chmodSync(file, 0o755);
  const { license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object & {
    license: string;
  };
  const manifest = {
    ...{ name: 'svc', version, license },
    description: 'A payments service that you run yourself: npx svc start.',
    ...{ type: 'module', engines: { node: '>=20' }, bin: { svc: './bin/svc.mjs' } },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), readme);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}
