// What a folder with an installed Medusa gets before the shop starts: its configuration, and a check of our plugin
// against Medusa's own types.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@svc/tools/start/options';
import type { Place } from './shop.ts';

const version = '2.21.2';
export const packages: Readonly<Record<string, string>> = Object.fromEntries(
  ['medusa', 'framework', 'cli', 'admin-sdk', 'payment-stripe'].map((name) => [
    `@medusajs/${name}`,
    version,
  ]),
);
export const providerIds = { svc: 'pp_svc_main', 'built-in': 'pp_stripe_stripe' } as const;

/** Options of further providers of ours, by id; what they leave out is that of the first one. */
export type Providers = Record<string, Record<string, unknown>>;

/** The six lines of our README, or those of the built-in plugin's guide. */
export function writeConfig(place: Place, more: Providers): void {
  const { folder, plugin, databaseUrl, svc, provider, webhookSecret } = place;
  const main = { ...svc, webhookSecret, settleAfterSeconds: 5 };
  const providers =
    plugin === 'svc'
      ? Object.entries({ main, ...more }).map(([id, options]) => ({
          resolve: '@svc/medusa',
          id,
          options: { ...main, ...options },
        }))
      : [
          {
            resolve: '@medusajs/payment-stripe',
            id: 'stripe',
            options: { apiKey: provider.secretKey, webhookSecret },
          },
        ];
  const config = {
    admin: { disable: true },
    projectConfig: {
      databaseUrl,
      databaseDriverOptions: { ssl: false, connection: { ssl: false } },
      http: { storeCors: '*', adminCors: '*', authCors: '*', jwtSecret: 'x1', cookieSecret: 'x2' },
    },
    plugins: plugin === 'svc' ? ['@svc/medusa'] : [],
    modules: [{ resolve: '@medusajs/medusa/payment', options: { providers } }],
  };
  const text = `const { defineConfig } = require('@medusajs/framework/utils');\nmodule.exports = defineConfig(${JSON.stringify(config)});\n`;
  writeFileSync(join(folder, 'medusa-config.js'), text);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'shop', private: true, dependencies: packages }),
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    '{ "compilerOptions": { "module": "Node16", "outDir": ".medusa/server" } }',
  );
  writeFileSync(join(folder, 'sandbox-host.cjs'), sandboxHost(new URL(provider.baseUrl)));
}

/**
 * The built-in plugin takes no address of the provider and pins a version of 2024, which the sandbox no longer
 * serves: its SDK is given both where it is loaded. Nothing else of it is changed.
 */
const sandboxHost = ({ hostname, port }: URL): string => `
const Module = require('node:module');
const load = Module._load;
const config = { host: '${hostname}', port: '${port}', protocol: 'http', apiVersion: '2025-03-31.basil' };
Module._load = function (name, parent, ...rest) {
  const loaded = load.call(this, name, parent, ...rest);
  if (name !== 'stripe' || !parent.filename.includes('payment-stripe')) return loaded;
  const construct = (Stripe, [key]) => new Stripe(key, config);
  return { __esModule: true, default: new Proxy(loaded.default ?? loaded, { construct }) };
};
`;

export const envOf = ({ folder, plugin }: Place): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  NODE_ENV: 'production',
  MEDUSA_DISABLE_TELEMETRY: '1',
  ...(plugin === 'built-in'
    ? { NODE_OPTIONS: `--require ${join(folder, 'sandbox-host.cjs')}` }
    : {}),
});

export const command = (folder: string): string =>
  join(folder, 'node_modules/@medusajs/cli/cli.js');

const run = promisify(execFile);

export async function runMedusa(place: Place, args: string[]): Promise<void> {
  const { folder } = place;
  await run(process.execPath, [command(folder), ...args], { cwd: folder, env: envOf(place) }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`medusa ${args[0]}: ${stdout}${stderr}`);
    },
  );
}

/** Our small description of Medusa's types, against the real ones. Throws what the compiler says. */
export async function checkTypes(folder: string): Promise<void> {
  const project = join(folder, 'types');
  mkdirSync(project);
  const text = `
    import type { IPaymentProvider } from '@medusajs/framework/types';
    import { ModuleProvider, Modules } from '@medusajs/framework/utils';
    import { SvcPaymentProvider } from '@svc/medusa';
    export const provider: IPaymentProvider = {} as SvcPaymentProvider;
    export const declared = ModuleProvider(Modules.PAYMENT, { services: [SvcPaymentProvider] });`;
  const compilerOptions = {
    ...{ target: 'es2022', module: 'nodenext', types: [], strict: true },
    ...{ skipLibCheck: true, noEmit: true },
  };
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'shop.ts'), text);
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['shop.ts'] }),
  );
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', project]).catch(({ stdout }: { stdout: string }) => {
    throw new Error(`@svc/medusa does not fit Medusa's types: ${stdout}`);
  });
}
