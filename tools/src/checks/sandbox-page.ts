// docs/reference/sandbox.md, written from the sandbox's routes and the official SDK's declarations by
// `node tools/src/checks/sandbox-page.ts --write`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../../../sandbox/src/core/core.ts';
import { routes } from '../../../sandbox/src/index.ts';
import { type DescribedCall, describedCalls } from '../../../sandbox/src/official/reference.ts';
import type { Rule, Rules } from '../../../sandbox/src/requests/parameters.ts';
import { pinnedVersion } from '../../../sandbox/src/requests/versions.ts';
import { callFaults, webhookFaults } from '../../../sandbox/src/state/faults.ts';

export const sandboxPage = 'docs/reference/sandbox.md';
const write = 'node tools/src/checks/sandbox-page.ts --write';

const code = (text: string): string => `\`${text}\``;

/** The names inside a parameter, as a form writes them. */
function namesIn(rule: Rule): string[] {
  if (typeof rule === 'string') return [];
  if (Array.isArray(rule)) {
    return typeof rule[0] === 'object' ? namesIn(rule[0]).map((name) => `[0]${name}`) : [];
  }
  return Object.entries(rule as Rules).flatMap(([name, inner]) => {
    const below = namesIn(inner);
    return below.length === 0 ? [`[${name}]`] : below.map((each) => `[${name}]${each}`);
  });
}

const namesOf = (rules: Rules): string[] =>
  Object.entries(rules).flatMap(([name, rule]) => {
    const below = namesIn(rule);
    return below.length === 0 ? [name] : below.map((each) => `${name}${each}`);
  });

/** The same call of the SDK, whatever it names the id. */
const sameCall = (route: Route) => (call: DescribedCall) =>
  call.method === route.method && call.path === `/v1${route.path}`;

function describe(route: Route, all: readonly DescribedCall[]): string {
  const { accepts, acceptsUntil, isPublic } = route;
  const known = all.filter(sameCall(route)).flatMap(({ params }) => params);
  const refused = [...new Set(known)].filter((name) => !Object.hasOwn(accepts, name));
  const list = (names: readonly string[]) => names.map(code).join(', ');
  const taken = namesOf(accepts);
  return [
    `- ${code(`${route.method} /v1${route.path}`)}${isPublic ? ', by the publishable key too' : ''}`,
    taken.length > 0 ? `  - takes ${list(taken)}` : '  - takes no parameter',
    acceptsUntil
      ? `  - before ${acceptsUntil.version} also ${list(Object.keys(acceptsUntil.also))}`
      : '',
    refused.length > 0 ? `  - refuses ${list(refused)}` : '',
  ]
    .filter(Boolean)
    .join('\n');
}

const resourceOf = (path: string): string => {
  const [first = '', second = ''] = path.replace(/^\/v1/, '').split('/').filter(Boolean);
  const isGroup =
    /^(apps|billing|billing_portal|checkout|climate|entitlements|financial_connections|forwarding|identity|issuing|radar|reporting|sigma|tax|terminal|test_helpers|treasury)$/;
  return `/v1/${isGroup.test(first) ? `${first}/${second}` : first}`;
};

/** Calls of served resources by name; of the others the resource with its number of calls. */
function describeMissing(all: readonly DescribedCall[]): string {
  const served = new Set(routes.map(({ path }) => resourceOf(path)));
  const missing = all.filter((call) => !routes.some((route) => sameCall(route)(call)));
  const [near, far] = [true, false].map((isNear) =>
    missing.filter(({ path }) => served.has(resourceOf(path)) === isNear),
  );
  const calls = [...new Set(near?.map(({ method, path }) => code(`${method} ${path}`)))].sort();
  const counts = new Map<string, number>();
  for (const { path } of far ?? []) {
    counts.set(resourceOf(path), (counts.get(resourceOf(path)) ?? 0) + 1);
  }
  const others = [...counts].sort().map(([path, count]) => `${code(path)} (${count})`);
  return [
    'Each answers 404, "Unrecognized request URL". Of resources that are served:',
    calls.map((call) => `- ${call}`).join('\n'),
    'Whole resources, with the number of their calls in the SDK:',
    `${others.join(', ')}.`,
  ].join('\n\n');
}

const faultList = (faults: Readonly<Record<string, string>>): string =>
  Object.entries(faults)
    .map(([name, effect]) => `- ${code(name)}: ${effect}`)
    .join('\n');

/** Returns the text of the page as the code has it. */
export function writeSandboxPage(): string {
  const all = describedCalls();
  const groups = Map.groupBy(routes, ({ path }) => resourceOf(path));
  const served = [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, own]) =>
      [`### ${code(name)}`, own.map((route) => describe(route, all)).join('\n')].join('\n\n'),
    );
  return `${[
    '# The sandbox, call by call',
    `What the stand-in of the card provider serves, refuses and does not have, beside API version ${code(pinnedVersion)}. Written from its routes and the official SDK's declarations by ${code(write)}; do not edit. How to use it: [the sandbox as the card provider](../guides/sandbox-provider.md).`,
    '## What it serves',
    'A parameter that is not named as taken is 400 `parameter_unknown`, with its name. "Refuses" names those of them that the provider takes. Values are checked too: a wrong type, or a word that is none of those that are known, is 400 with the name.',
    ...served,
    '## What it does not have',
    describeMissing(all),
    '## Faults of calls',
    '`POST /_control/faults { match, action, count }` plants one; its own page shows how.',
    faultList(callFaults),
    '## Faults of webhooks',
    faultList(webhookFaults),
  ].join('\n\n')}\n`;
}

if (process.argv[1] === import.meta.filename) {
  const file = join(import.meta.dirname, '../../..', sandboxPage);
  const page = writeSandboxPage();
  if (process.argv.includes('--write')) writeFileSync(file, page);
  else if (readFileSync(file, 'utf8') !== page) {
    console.error(`${sandboxPage} is not up to date: ${write}`);
    process.exitCode = 1;
  }
}
