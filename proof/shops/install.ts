// Shops from npm, once per set of packages, under .cache/shops; our plugins beside them, built of the working tree.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { buildPackage } from '../../libraries/server/build.ts';
import type { ShopAdapter } from './shop.ts';

/** Where installed shops are kept; another place may be given, to share what is installed already. */
const cache = process.env.SVC_SHOPS_CACHE ?? join(root, '.cache/shops');

function placeOf({ name, packages }: ShopAdapter): { folder: string; manifest: string } {
  const manifest = JSON.stringify({ name: 'shop', private: true, dependencies: packages });
  const id = createHash('sha1').update(manifest).digest('hex').slice(0, 10);
  return { folder: join(cache, `${name}-${id}`), manifest };
}

/**
 * Installs the shop unless it is there: minutes and hundreds of megabytes at first. Returns why it is not there, where
 * npm could not bring it.
 */
export function installShop(adapter: ShopAdapter): string | undefined {
  const { folder, manifest } = placeOf(adapter);
  if (existsSync(folder)) return undefined;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  writeFileSync(join(draft, 'package.json'), manifest);
  const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...flags], { cwd: draft, stdio: 'inherit' });
  if (status !== 0) return `npm did not install ${adapter.name}`;
  renameSync(draft, folder);
  return undefined;
}

/** A folder for one run of the shop, with our plugin and `@svc/server` as npm would install them. */
export async function openShopFolder(adapter: ShopAdapter): Promise<string> {
  const modules = join(placeOf(adapter).folder, 'node_modules');
  const server = join(modules, '@svc/server');
  await buildPackage(server);
  // The SDK of the library, in the version that it names: the shop's own plugin may have another one.
  mkdirSync(join(server, 'node_modules'), { recursive: true });
  symlinkSync(join(root, 'node_modules/stripe'), join(server, 'node_modules/stripe'));
  await adapter.buildPlugin(join(modules, `@svc/${adapter.name}`));
  const folder = mkdtempSync(join(tmpdir(), `svc-shop-${adapter.name}-`));
  symlinkSync(modules, join(folder, 'node_modules'));
  return folder;
}

export const removeShopFolder = (folder: string): void =>
  rmSync(folder, { recursive: true, force: true });
