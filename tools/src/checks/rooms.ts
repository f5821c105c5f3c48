// Which file may import what. A folder's files always may import the folder itself, and what stands below
// it where the pattern ends with `**`. Everything else is listed: files of the repository by path, packages
// and modules of Node by the name that the import gives; `!` takes away again. Of several patterns that
// match a file the longest decides. `check-rooms.ts` refuses the rest, types and `import()` included.

export type Room = {
  /** Both stand in ARCHITECTURE.md, beside what follows from `may`. */
  readonly title: string;
  readonly lives: string;
  readonly may: Readonly<Record<string, readonly string[]>>;
};

const contract = ['@svc/contract', '@svc/contract/**'];
const everything = ['**', '!proof/**', '!@svc/proof', '!@svc/proof/**'];
const node = ['node:**'];
const nodeWithoutFiles = [...node, '!node:fs', '!node:fs/**', '!node:child_process'];
const domain = [...contract, 'node:assert'];
const domainFolders = 'service/src/domain/**';
const storage = [
  ...[domainFolders, ...contract, 'pg'],
  ...['assert', 'async_hooks', 'crypto', 'timers/promises', 'util'].map((name) => `node:${name}`),
];
/**
 * The allowed imports of one folder of storage: those of storage, its `database` folder, and the named
 * folders below it.
 */
const stands = (...folders: string[]): string[] => [
  ...storage,
  ...['database', ...folders].map((folder) => `service/src/storage/${folder}/**`),
];
const engine = [...contract, domainFolders, 'service/src/storage/**', 'node:assert'];
const engineNode = ['node:async_hooks', 'node:crypto'];
const passkeys = ['@simplewebauthn/server', '@simplewebauthn/server/**'];
const provider = [
  ...[...contract, domainFolders, 'service/src/engine/ports.ts', ...nodeWithoutFiles],
  ...['stripe', 'stripe/**', 'undici', 'undici/lib/dispatcher/pool.js'],
];
const outer = [
  ...['operations', 'engine', 'domain'].map((folder) => `service/src/${folder}/**`),
  ...[...contract, ...node],
];
const http = [...outer, 'fastify', '@fastify/**', 'ajv', 'ajv-formats'];
const server = [...node, 'undici', 'fastify', '@fastify/**'];
const preact = [...contract, 'preact', 'preact/**', '@preact/**'];
const page = [...preact, 'pages/kit/**'];
const browser = ['@svc/browser', '@svc/browser/**'];

export const rooms: readonly Room[] = [
  {
    title: '`contract/`',
    lives: 'the public surface as data: rows, errors, events, scopes',
    may: {
      'contract/src/**': ['typebox', 'typebox/**'],
      'contract/src/servers/apply-migrations.ts': [
        ...['node:fs', 'node:path', 'node:timers/promises'],
      ],
      'contract/src/servers/serve-metrics.ts': ['node:http', 'node:net'],
      'contract/src/{errors/errors*,rows/event-types,rows/scopes,vault/card-number}.ts': [
        'contract/src/errors/errors-*.ts',
      ],
    },
  },
  {
    title: '`service/src/domain`',
    lives:
      'rules: pure, no clock, no randomness, no `await`; money, people, payments, protocol, search',
    may: {
      'service/src/domain/protocol/**': domain,
      'service/src/domain/money/**': [...domain, 'service/src/domain/protocol/**'],
      'service/src/domain/people/**': [...domain, 'service/src/domain/protocol/**', 'node:url'],
      'service/src/domain/payments/**': [
        ...domain,
        ...['money', 'people', 'protocol'].map((folder) => `service/src/domain/${folder}/**`),
      ],
      'service/src/domain/reports/**': domain,
      'service/src/domain/search/**': [...domain, 'service/src/domain/money/**'],
    },
  },
  {
    title: '`service/src/storage`',
    lives: 'PostgreSQL: a folder per resource, one file per table, named statements in plain SQL',
    may: {
      'service/src/storage/database/**': [...storage, ...['node:fs', 'node:path', 'node:zlib']],
      'service/src/storage/audit-log/**': stands(),
      'service/src/storage/backups/**': stands(),
      'service/src/storage/clients/**': stands(),
      'service/src/storage/gateways/**': stands(),
      'service/src/storage/invitations/**': stands(),
      'service/src/storage/mails/**': stands(),
      'service/src/storage/oauth/**': stands(),
      'service/src/storage/people/**': stands(),
      'service/src/storage/credentials/**': stands('audit-log'),
      'service/src/storage/api-tokens/**': stands('credentials'),
      'service/src/storage/members/**': stands('credentials'),
      'service/src/storage/notes/**': stands('people'),
      'service/src/storage/views/**': stands('people'),
      'service/src/storage/catalog/**': stands(),
      'service/src/storage/doctor/**': stands(),
      'service/src/storage/alerts/**': stands(),
      'service/src/storage/fraud-signals/**': stands(),
      'service/src/storage/notifications/**': stands('fraud-signals'),
      'service/src/storage/refund-requests/**': stands(),
      'service/src/storage/retention/**': stands(),
      'service/src/storage/webhooks/**': stands(),
      'service/src/storage/payment-index/**': stands(),
      'service/src/storage/payment-methods/**': stands(),
      'service/src/storage/customers/**': stands('payment-methods'),
      'service/src/storage/payments/**': stands(
        ...['audit-log', 'credentials', 'fraud-signals', 'payment-index', 'payment-methods'],
        'webhooks',
      ),
      'service/src/storage/reports/**': [
        ...stands('audit-log', 'payment-index', 'payments', 'people'),
        'node:zlib',
      ],
      'service/src/storage/subscriptions/**': stands('payment-methods', 'payments'),
      'service/src/storage/checkout-sessions/**': stands(
        ...['catalog', 'customers', 'payment-methods', 'payments', 'subscriptions'],
      ),
    },
  },
  {
    title: '`service/src/engine/steps`',
    lives: 'parts that requests, workers, notices and the operator share; the ports beside them',
    may: {
      'service/src/engine/*': [...engine, ...engineNode],
      'service/src/engine/steps/*/**': [
        ...['service/src/engine/steps/**', 'service/src/engine/*.ts'],
        ...[...engine, ...engineNode, ...passkeys],
      ],
    },
  },
  {
    title: '`service/src/engine/runs`',
    lives: 'whole courses: a hold, an attempt, a refund, a set-up, a detachment, a reconciliation',
    may: {
      'service/src/engine/runs/*/**': [
        ...['service/src/engine/runs/**', 'service/src/engine/steps/**', 'service/src/engine/*.ts'],
        ...[...engine, ...engineNode],
      ],
    },
  },
  {
    title: '`service/src/operations`',
    lives: 'one file per row of the contract, a folder per resource, nothing else',
    may: {
      'service/src/operations/index.ts': [
        ...['service/src/operations/*/*.ts', 'service/src/engine/*.ts', ...contract],
      ],
      'service/src/operations/*/**': [
        ...['service/src/engine/**', ...engine, ...engineNode, ...passkeys],
      ],
    },
  },
  {
    title: '`service/src/providers`, `webhooks`',
    lives: 'the card provider, the vault, deliveries to merchants',
    may: {
      'service/src/providers/*': [...provider, 'service/src/providers/**', 'nodemailer'],
      'service/src/providers/*/**': [...provider, 'service/src/providers/**'],
      'service/src/webhooks/**': [
        ...[...contract, domainFolders, 'service/src/engine/ports.ts', ...nodeWithoutFiles],
      ],
    },
  },
  {
    title: '`service/src/oauth`',
    lives: 'the authorization server: the library behind our own pages, its store over storage',
    may: {
      'service/src/oauth/**': [
        ...[...outer, 'service/src/storage/**', 'oidc-provider', 'fastify', '@fastify/**'],
      ],
    },
  },
  {
    title: '`service/src/http`, `workers`, `cli`',
    lives: 'serves the rows, to agents too (`http/mcp`); resumes, delivers, sends mail; `svc`',
    may: {
      'service/src/http/*': [...http, 'service/src/http/**'],
      'service/src/http/*/**': [...http, 'service/src/http/**'],
      'service/src/http/docs/**': [...http, 'service/src/http/**', 'marked'],
      'service/src/http/mcp/**': [...http, 'service/src/http/**', '@modelcontextprotocol/server'],
      'service/src/workers/**': outer,
      'service/src/cli/**': outer,
    },
  },
  {
    title: '`service/src/main.ts`, `start`',
    lives:
      'starts it all, and nobody imports it; settings, ports, database and processes of a start',
    may: {
      'service/src/start/**': [
        ...['service/src/**', '!service/src/*', ...contract, ...node, 'pg', 'prom-client'],
      ],
      'service/src/svc{,-packed}.ts': [
        ...['service/src/**', '!service/src/main.ts', ...contract, ...node],
      ],
      'service/src/main.ts': [
        ...['service/src/**', ...contract, ...node, 'fastify', 'pg', 'undici'],
      ],
    },
  },
  {
    title: '`vault/`',
    lives:
      'card form and tokens; only its driver `own-vault` sees a number; nothing that ships imports it',
    may: {
      'vault/src/**': [...contract, ...server, 'pg', 'prom-client'],
      'vault/src/form/**': contract,
      'vault/src/form/*': [...contract, 'vault/src/form/**', '@stripe/stripe-js'],
    },
  },
  {
    title: '`sandbox/`',
    lives: 'a card provider: the real wire and its browser library; SQLite',
    may: {
      'sandbox/src/**': [
        ...[...server, 'stripe', 'stripe/**', '@stripe/stripe-js', 'ajv/dist/2019.js'],
      ],
    },
  },
  {
    title: '`libraries/`',
    lives: '`browser/`, `server/`; `cli/`, built of `service/src/cli`: what merchants install',
    may: {
      'libraries/browser/src/**': contract,
      'libraries/browser/src/react.ts': [...contract, 'libraries/browser/src/**', 'react'],
      'libraries/server/src/*': [...contract, ...node, 'stripe'],
      'libraries/server/src/{inbox,shops}/**': [...contract, ...node, 'libraries/server/src/*'],
    },
  },
  {
    title: '`integrations/`',
    lives: "plugins for other people's shops: the shop is a peer, and no part of this repository",
    may: {
      'integrations/{medusa,vendure}/src/**': [
        ...['@svc/server', '@svc/server/shops'],
        ...['@medusajs/framework/**', '@vendure/core', '@nestjs/common', '@nestjs/graphql'],
        'graphql',
      ],
    },
  },
  {
    title: '`pages/`',
    lives: "the hosted checkout page, a customer's own cards, people's account and dashboard",
    may: {
      'pages/kit/**': preact,
      'pages/checkout/**': [...page, ...browser],
      'pages/customer/*': [...page, ...browser, 'pages/customer/**', 'pages/checkout/**'],
      'pages/customer/*/**': [...page, ...browser, 'pages/customer/**'],
      'pages/account/**': [...page, 'uqr'],
      'pages/dashboard/**': page,
    },
  },
  {
    title: '`examples/`',
    lives: 'merchants, each on its own origin',
    may: {
      'examples/*/src/**': [...node, '@svc/server', '@svc/server/inbox', '@svc/browser'],
    },
  },
  {
    title: '`deploy/`',
    lives: 'a release: starts its programs, prepares a first start; builds archive, package, image',
    may: { 'deploy/src/**': [...node, 'pg'] },
  },
  {
    title: '`proof/`, `tools/`, builds, fixtures',
    lives: 'benches, crash and fault runs; start, database, browser, checks; never imported',
    may: {
      '*': ['**'],
      'proof/**': ['**'],
      'tools/**': everything,
      '*/*': everything,
      'libraries/*/*': everything,
      'integrations/*/*': everything,
      '*/test/**': everything,
      '*/*/test/**': everything,
    },
  },
];

/** Tests and what only they use: anything but the proof. */
export const ofTests =
  /\.test\.tsx?$|\.test-d\.ts$|(^|\/)test-fixture\.ts$|^service\/src\/providers\/conformance(\.ts$|\/)/;
