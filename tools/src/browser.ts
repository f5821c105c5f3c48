// A real Chromium for tests and proofs: the system's if there is one, else the one inside the package
// @sparticuz/chromium, which is unpacked once into the cache folder.
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '@svc/service/start/postgres/processes';
import { type Browser, chromium } from 'playwright-core';
import { launchFirefox } from './firefox.ts';

const systemPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

// The package's own list of arguments is never used: it disables web security and site isolation, and a
// page could then read the card frame. These arguments only keep Chromium off the network.
const quiet = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// The package's own list of font folders fits the machine for which it was built. Without any font text has
// no width, and an input field crashes the browser.
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

const place: unique symbol = Symbol.for('svc.shared-browser');
type Place = { [place]?: Promise<Browser> };

/**
 * Returns the one browser of this process, shared by all test files that run in it: each opens a context
 * and closes only that. The browser ends with the process, even when the process is killed, because its
 * pipe then closes.
 */
export async function sharedBrowser(): Promise<Browser> {
  // Each test file of a process loads this module again.
  const kept = globalThis as Place;
  const before = await kept[place];
  if (before && !before.isConnected()) delete kept[place];
  kept[place] ??= launchShared();
  return kept[place];
}

async function launchShared(): Promise<Browser> {
  const launch = process.env.TEST_BROWSER === 'firefox' ? launchFirefox : browser;
  const launched = await launch({ handleSIGTERM: false });
  // Vitest ends its processes with SIGTERM and waits half a second, too short to close a browser in order.
  // At the exit Playwright kills the browser and removes its profile.
  process.once('SIGTERM', () => process.exit(143));
  return launched;
}

/** Launches a browser that belongs to the caller, who closes it. */
export async function browser(given: { handleSIGTERM?: boolean } = {}): Promise<Browser> {
  const system = systemBrowser();
  const home = system ? undefined : await unpackBrowser();
  const args = process.getuid?.() === 0 ? [...quiet, '--no-sandbox'] : quiet;
  if (!home) return chromium.launch({ ...given, executablePath: system!, args });
  return chromium.launch({
    ...given,
    executablePath: join(home, 'chromium'),
    args,
    // A minimal machine lacks some libraries and all fonts.
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(home, 'al2023/lib'),
      FONTCONFIG_PATH: join(home, 'fonts'),
    },
  });
}

/** Returns the path of the system's Chromium: the one in CHROMIUM, else one of the usual paths. */
export function systemBrowser(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named && !existsSync(named)) throw new Error(`CHROMIUM names ${named}, which does not exist`);
  return named || systemPaths.find((path) => existsSync(path));
}

/**
 * Unpacks the packaged Chromium unless it is unpacked already, and returns its folder. Safe for two calls
 * at once and after a kill: it unpacks into another folder and renames that.
 */
export async function unpackBrowser(
  cache = join(import.meta.dirname, '../../.cache'),
): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const version = packageVersion(entry);
  const home = join(cache, `chromium-${version}`);
  if (existsSync(home)) return home;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `The packaged Chromium is for Linux x64. Install Chromium or Chrome, or name one in CHROMIUM.`,
    );
  }
  mkdirSync(cache, { recursive: true });
  sweep(cache);
  const fresh = mkdtempSync(join(cache, `unpacking.${process.pid}.`));
  try {
    if (await isDoneByAnother(fresh, home)) return home;
    // Runs in a process of its own: at import the package reads from the environment where to unpack, and
    // whether to add the libraries that a minimal machine lacks.
    const code = `import c from ${JSON.stringify(entry)}; await c.executablePath();`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
      cwd: dirname(entry),
      env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
    });
    if (!existsSync(join(fresh, 'chromium'))) throw new Error('Chromium was not unpacked');
    writeFileSync(join(fresh, 'fonts/fonts.conf'), fonts);
    renameSync(fresh, home);
  } catch (error) {
    // Another process finished first.
    if (!existsSync(home)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return home;
}

/**
 * Of several processes that start at once, only the one whose folder comes first by name unpacks, because
 * that uses a processor for many seconds. Returns false when no other process unpacks, or when the one that
 * did was ended.
 */
async function isDoneByAnother(fresh: string, home: string): Promise<boolean> {
  const isBusy = () =>
    readdirSync(dirname(fresh)).some((name) => {
      const pid = unpackingProcessOf(name);
      return pid !== undefined && name < basename(fresh) && isAlive(pid);
    });
  while (!existsSync(home) && isBusy()) await pause(100);
  return existsSync(home);
}

/** Returns the id of the process that made an unpacking folder. */
function unpackingProcessOf(name: string): number | undefined {
  const pid = /^unpacking\.(\d+)\./.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

function packageVersion(entry: string): string {
  for (let at = dirname(entry); ; at = dirname(at)) {
    const file = join(at, 'package.json');
    if (!existsSync(file)) continue;
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    if (name === '@sparticuz/chromium' && version) return version;
  }
}

/** Removes the half-unpacked folders of killed processes. */
function sweep(cache: string): void {
  for (const name of readdirSync(cache)) {
    const pid = unpackingProcessOf(name);
    if (pid !== undefined && !isAlive(pid))
      rmSync(join(cache, name), { recursive: true, force: true });
  }
}
