// Command-line arguments of `npm start`.

import { join, resolve } from 'node:path';

export type StartOptions = {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isHelp: boolean;
  /** The first of the five ports. Ports in use are skipped. */
  readonly port: number;
  readonly folder: string;
  /** The driver that takes the card's number. */
  readonly driver: CardDriver;
  /** Whether a new database gets thirty days of payments. */
  readonly hasDemoData: boolean;
};

const drivers = ['own-vault', 'provider-fields'] as const;
export type CardDriver = (typeof drivers)[number];

export const root = join(import.meta.dirname, '../../..');

export const usage = `npm start -- [--json] [--quiet] [--port N] [--data DIR] [--driver NAME]
                [--no-demo-data]

  --json      one line of JSON on standard output when ready; progress goes to standard error
  --quiet     only the closing block
  --port N    first of five ports to try (default 4000)
  --data DIR  where keys, data and logs live (default .svc in the project)
  --driver NAME  own-vault (default): our own inputs take the card;
                 provider-fields: hosted fields of the card provider, here of its sandbox
  --no-demo-data  a new database stays without the thirty days of payments that it gets otherwise

  DATABASE_URL        any PostgreSQL from 14 on, instead of the embedded one
  VAULT_DATABASE_URL  the vault's own role there, where roles cannot be made
  SVC_LIMITS=off      no rate limits; SVC_LIMIT_... sets one of them, as .env.example names it
  SVC_METRICS_PORT    metrics of the service; SVC_ALERT_... and SVC_OPERATOR_EMAIL: who hears of troubles
`;

/** The default folder of a start's data. */
export const usualFolder: string = join(root, '.svc');

/** Reads the arguments. Throws one sentence for a mistake. */
export function readOptions(args: readonly string[]): StartOptions {
  let isJson = false;
  let isQuiet = false;
  let isHelp = false;
  let port = 4000;
  let folder = usualFolder;
  let driver: CardDriver = 'own-vault';
  let hasDemoData = true;
  const rest = [...args];
  const next = (name: string): string => {
    const value = rest.shift();
    if (value === undefined) throw new Error(`${name} needs a value.\n\n${usage}`);
    return value;
  };
  while (rest.length > 0) {
    const [name, ...inline] = (rest.shift() ?? '').split('=');
    if (inline.length > 0) rest.unshift(inline.join('='));
    if (name === '--json') isJson = true;
    else if (name === '--quiet') isQuiet = true;
    else if (name === '--help') isHelp = true;
    else if (name === '--no-demo-data') hasDemoData = false;
    else if (name === '--port') port = readPort(next('--port'));
    else if (name === '--data') folder = readFolder(next('--data'));
    else if (name === '--driver') driver = readDriver(next('--driver'));
    else throw new Error(`Unknown argument ${name}.\n\n${usage}`);
  }
  return { isJson, isQuiet, isHelp, port, folder, driver, hasDemoData };
}

function readDriver(text: string): CardDriver {
  const driver = drivers.find((one) => one === text);
  if (driver) return driver;
  throw new Error(`--driver must be ${drivers.join(' or ')}, not ${text}.`);
}

function readFolder(text: string): string {
  if (text !== '') return resolve(text);
  throw new Error('--data names no folder.');
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_500) return port;
  throw new Error(`--port must be a number from 1 to 65500, not ${text}.`);
}
