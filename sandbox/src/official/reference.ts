// What the official SDK says of each call: which type its parameters have, and which its response.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CardExchange } from '../core/exchanges.ts';
import { parseForm, type RawValues } from '../requests/form.ts';
import { pinnedVersion } from '../requests/versions.ts';
import { byBrowser } from '../wire/parse-request.ts';
import { compareWith, fieldNames } from './checker.ts';
import { readShapeOf, type Shape } from './declarations.ts';

/** The SDK's own files: they state the calls whose responses are compared. */
const resources = [
  'Accounts',
  'Balance',
  'BalanceTransactions',
  'Charges',
  'ConfirmationTokens',
  'Customers',
  'Disputes',
  'Events',
  'PaymentIntents',
  'PaymentMethods',
  'Prices',
  'Products',
  'Radar/EarlyFraudWarnings',
  'Refunds',
  'Reviews',
  'SetupAttempts',
  'SetupIntents',
  'TestHelpers/ConfirmationTokens',
  'WebhookEndpoints',
];

type Operation = {
  method: string;
  /** With `:id`. */
  template: string;
  path: RegExp;
  name: string;
  file: string;
  params: Shape | undefined;
  answer: Shape;
  isList: boolean;
};

const root = join(dirname(createRequire(import.meta.url).resolve('stripe')), '..', 'esm');

const call =
  /^ {4}(\w+)\([^)]*\) \{\s+(?:const [^;]+;\s+)?return this\._makeRequest\('(\w+)', ['`]([^'`]+)['`]/gm;

/** The last declaration of a method counts: it has the most parameters. */
const signatureOf = (text: string, method: string) => {
  const pattern = new RegExp(
    `^ {4}${method}\\((.*)\\): (?:Promise<Response<(.+)>>|(?:ApiListPromise|ApiSearchResultPromise)<(.+)>);$`,
    'gm',
  );
  const found = [...text.matchAll(pattern)].at(-1);
  if (!found) return undefined;
  const params = /params\??: ([\w.]+)/.exec(found[1] ?? '')?.[1];
  return { params, one: found[2], list: found[3] };
};

const readOperations = (from: readonly string[]): Operation[] =>
  from.flatMap((resource) => {
    const file = join(root, 'resources', `${resource}.d.ts`);
    const declarations = readFileSync(file, 'utf8');
    const code = readFileSync(file.replace(/\.d\.ts$/, '.js'), 'utf8');
    return [...code.matchAll(call)].flatMap(
      ([, name = '', method = '', path = '']): Operation[] => {
        const signature = signatureOf(declarations, name);
        const answer = signature?.one ?? signature?.list;
        if (!signature || !answer) return [];
        const pattern = path.replaceAll(/\$\{[^}]+\}/g, '[^/]+');
        return [
          {
            method,
            template: path.replaceAll(/\$\{[^}]+\}/g, ':id'),
            path: new RegExp(`^${pattern}$`),
            name: `${resource}.${name}`,
            file,
            params: signature.params === undefined ? undefined : readShapeOf(signature.params),
            answer: readShapeOf(answer),
            isList: signature.one === undefined,
          },
        ];
      },
    );
  });

let operations: Operation[] | undefined;

const operationOf = ({ method, path }: CardExchange): Operation | undefined => {
  operations ??= readOperations(resources);
  const fits = operations.filter((one) => one.method === method && one.path.test(path));
  // `/v1/charges/search` also matches the pattern of `/v1/charges/{id}`: the fixed path is the right one.
  return fits.find((one) => !one.path.source.includes('[^')) ?? fits[0];
};

/** What only a page sends, which the SDK for servers does not know. */
const ofPages = [...byBrowser, 'client_secret'];

const withoutPages = (form: RawValues): RawValues =>
  Object.fromEntries(Object.entries(form).filter(([name]) => !ofPages.includes(name)));

const compareForm = (operation: Operation, { form, isByPage }: CardExchange): string[] => {
  const parsed = parseForm(form);
  const sent = isByPage ? withoutPages(parsed) : parsed;
  const { file, params } = operation;
  if (params === undefined) return Object.keys(sent).map((name) => `${name}: unknown`);
  return compareWith({ file, shape: params }, sent, 'form');
};

const compareBody = (operation: Operation, { body, isByPage }: CardExchange): string[] => {
  // The provider shows a page only some fields of an intent, so the SDK's types do not describe the body.
  if (isByPage) return [];
  const { file, answer, isList } = operation;
  const said = JSON.parse(body) as { data?: unknown };
  if (!isList) return compareWith({ file, shape: answer }, said, 'json');
  return compareWith({ file, shape: { kind: 'list', of: answer } }, said.data, 'json');
};

/**
 * Returns whether `compareCard` compares the call. A refused call may be wrong on purpose, and a call of
 * another version has other types.
 */
export const isCompared = ({ status, version }: CardExchange): boolean =>
  status === 200 && version === pinnedVersion;

/**
 * Returns what is wrong with a call or its response; empty when the official SDK's types describe both.
 */
export const compareCard = (exchange: CardExchange): string[] => {
  if (!isCompared(exchange)) return [];
  const operation = operationOf(exchange);
  const name = `${exchange.method} ${exchange.path}`;
  if (!operation) return [`${name}: the SDK has no such call`];
  return [
    ...compareForm(operation, exchange).map((problem) => `${name} request: ${problem}`),
    ...compareBody(operation, exchange).map((problem) => `${name} answer: ${problem}`),
  ];
};

export type DescribedCall = { method: string; path: string; params: readonly string[] };

/** Returns every call of the SDK's first API with the names of its parameters. */
export const describedCalls = (): DescribedCall[] => {
  const folder = join(root, 'resources');
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.d.ts') && !name.startsWith('V2/'))
    .map((name) => name.replace(/\.d\.ts$/, ''));
  return readOperations(all.sort()).map(({ method, template, file, params }) => ({
    method,
    path: template,
    params: params === undefined ? [] : fieldNames({ file, shape: params }),
  }));
};
