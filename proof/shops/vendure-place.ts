// What Vendure gets before the cases: its program in the folder, a check of our plugin's source against Vendure's own
// types, in place of the few that the repository has of it, and what the admin sets up.

import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { currencies, type Place } from './shop.ts';

/** The shop's own program, as its developer would write it. Settings come by the environment. */
const server = `import { bootstrap, DefaultGuestCheckoutStrategy, DefaultLogger, LogLevel } from '@vendure/core';
const { port, databaseUrl, plugin, svc, webhookSecret } = JSON.parse(process.env.PLACE);
const database = new URL(databaseUrl);
const plugins = [];
if (plugin === 'svc') {
  const { SvcPlugin } = await import('@svc/vendure');
  plugins.push(SvcPlugin.init({ ...svc, webhookSecret }));
} else {
  const { StripePlugin } = await import('@vendure/payments-plugin/package/stripe/index.js');
  plugins.push(StripePlugin.init({}));
}
await bootstrap({
  apiOptions: { port, hostname: '127.0.0.1', adminApiPath: 'admin-api', shopApiPath: 'shop-api', middleware: [] },
  authOptions: { tokenMethod: ['bearer'], superadminCredentials: { identifier: 'superadmin', password: 'superadmin' } },
  dbConnectionOptions: {
    type: 'postgres', host: database.hostname, port: Number(database.port), username: database.username,
    password: decodeURIComponent(database.password), database: database.pathname.slice(1), synchronize: true, logging: false,
  },
  paymentOptions: { paymentMethodHandlers: [] },
  orderOptions: {
    guestCheckoutStrategy: new DefaultGuestCheckoutStrategy({ allowGuestCheckoutForRegisteredCustomers: true }),
  },
  logger: new DefaultLogger({ level: LogLevel.Info, timestamp: false }),
  plugins,
});
`;

/**
 * The built-in plugin takes no address of the provider, and wants an SDK whose version of the API the sandbox no longer
 * has. Before the shop loads anything, this gives the SDK the address and the oldest version that the sandbox has.
 */
const redirect = `const { createRequire } = require('node:module');
const Stripe = createRequire(__filename)('stripe');
const { hostname, port, protocol } = new URL(process.env.PROVIDER);
const given = { host: hostname, port, protocol: protocol.slice(0, -1), version: '2025-03-31.basil' };
const { getApiField } = Stripe.prototype;
Stripe.prototype.getApiField = function (key) { return given[key] ?? getApiField.call(this, key); };
`;

/** Writes the program of the shop. Throws what the compiler says, where our plugin does not fit the installed shop. */
export function prepareVendure({ folder, plugin }: Place): void {
  if (plugin === 'svc') checkTypes(folder);
  writeFileSync(join(folder, 'server.mjs'), server);
  writeFileSync(join(folder, 'redirect.cjs'), redirect);
}

function checkTypes(folder: string): void {
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

type AsAdmin = (query: string, variables?: object) => Promise<{ id: string }>;

/** What every case finds: one channel for all currencies, a tax of nothing, free shipping, the payment method. */
export async function seedVendure(asAdmin: AsAdmin, place: Place) {
  const named = (name: string) => [{ languageCode: 'en', name, description: '' }];
  const make = (name: string, input: object, type = `Create${name}Input`) =>
    asAdmin(`mutation ($input: ${type}!) { create${name}(input: $input) { id } }`, {
      input,
    });
  const country = await make('Country', {
    code: 'DE',
    enabled: true,
    translations: [{ languageCode: 'en', name: 'Germany' }],
  });
  const zone = await make('Zone', { name: 'World', memberIds: [country.id] });
  const channel = await asAdmin('{ activeChannel { id } }');
  await asAdmin(
    'mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { __typename } }',
    {
      input: {
        id: channel.id,
        ...{ defaultTaxZoneId: zone.id, defaultShippingZoneId: zone.id, pricesIncludeTax: true },
        ...{ defaultCurrencyCode: 'EUR', availableCurrencyCodes: currencies },
      },
    },
  );
  const category = (await make('TaxCategory', { name: 'none', isDefault: true })).id;
  await make('TaxRate', {
    name: 'none',
    enabled: true,
    value: 0,
    categoryId: category,
    zoneId: zone.id,
  });
  const argument = (name: string, value: string) => ({ name, value });
  const shipping = (
    await make('ShippingMethod', {
      code: 'free',
      fulfillmentHandler: 'manual-fulfillment',
      checker: {
        code: 'default-shipping-eligibility-checker',
        arguments: [argument('orderMinimum', '0')],
      },
      calculator: {
        code: 'default-shipping-calculator',
        arguments: [
          argument('rate', '0'),
          argument('includesTax', 'auto'),
          argument('taxRate', '0'),
        ],
      },
      translations: named('Free'),
    })
  ).id;
  const { plugin, provider, webhookSecret } = place;
  const keys = [argument('apiKey', provider.secretKey), argument('webhookSecret', webhookSecret)];
  const handler =
    plugin === 'svc' ? { code: 'svc', arguments: [] } : { code: 'stripe', arguments: keys };
  await make('PaymentMethod', {
    code: 'card',
    enabled: true,
    handler,
    translations: named('Card'),
  });
  return { shipping, category };
}
