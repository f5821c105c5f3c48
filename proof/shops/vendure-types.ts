// The plugin's source against Vendure's own types, in place of the few that the repository has of it.

import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';

/** Throws what the compiler says, where the plugin does not fit the installed shop. */
export function checkVendureTypes(folder: string): void {
  const project = join(folder, 'types');
  cpSync(join(root, 'integrations/vendure/src'), project, { recursive: true });
  rmSync(join(project, 'vendure.d.ts'));
  const compilerOptions = {
    ...{ target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true },
    ...{ types: [], skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true },
  };
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const settings = JSON.stringify({ compilerOptions, files: ['index.ts'] });
  writeFileSync(join(project, 'tsconfig.json'), settings);
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', project];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`@svc/vendure does not fit Vendure's types: ${stdout}`);
}
