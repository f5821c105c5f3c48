// What the command's flags say. A wrong one is refused with a sentence that names it.
import { parseArgs } from 'node:util';
import type { TwinOptions } from './twin.ts';

/** The port of the provider's own mock, so that code which is set to it finds the twin there. */
const usualPort = 12_111;

export const usage = `Usage: npx @svc/sandbox [flags]

A stand-in of the card provider on this machine: its API, its browser library, 3-D Secure, webhooks, disputes, and a
clock that you move. Offline; no real money. Ctrl-C ends it.

  --port N           where it listens on 127.0.0.1; 0 takes a free port (${usualPort})
  --file PATH        keeps everything in this SQLite file; without it, in memory
  --seed TEXT        the same seed gives the same keys and ids
  --forward-to URL   sends the account's events there, signed with the printed webhook secret
  --events LIST      forwards these types only, separated by commas
  --clock INSTANT    what the clock reads at first, such as 2026-01-31T12:00:00Z
  --no-limits        takes more calls a second than the provider does
  --older-versions   takes API versions before 2025-03-31.basil too, and answers in the newest shapes
  --record           sends each call to the provider's test mode too and prints where its answer differs;
                     needs SVC_RECORD_KEY=sk_test_…
  --json             prints the keys as one line of JSON, and nothing else
  --version, --help`;

const known = {
  port: { type: 'string' },
  file: { type: 'string' },
  seed: { type: 'string' },
  'forward-to': { type: 'string' },
  events: { type: 'string' },
  clock: { type: 'string' },
  'no-limits': { type: 'boolean' },
  'older-versions': { type: 'boolean' },
  record: { type: 'boolean' },
  json: { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export class BadFlag extends Error {}

export type Flags = {
  readonly wish: 'start' | 'help' | 'version';
  readonly twin: TwinOptions & { readonly port: number };
  readonly isJson: boolean;
  /** Absent: nothing is compared with the provider's test mode. */
  readonly record?: RecordOptions;
};

export type RecordOptions = {
  readonly url: string;
  readonly secretKey: string;
  /** Absent: calls that a page made are not compared. */
  readonly publishableKey?: string;
};

/** The number of letters that differ when one word is changed step by step into the other. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const unknownFlag = (given: string): BadFlag => {
  const name = given.replace(/^-+/, '').split('=')[0] ?? '';
  const nearest = Object.keys(known)
    .map((flag) => ({ flag, far: distance(name, flag) }))
    .sort((a, b) => a.far - b.far)[0];
  const hint =
    nearest && nearest.far < Math.min(name.length, 4)
      ? `did you mean --${nearest.flag}?`
      : 'see --help';
  return new BadFlag(`there is no flag ${given}; ${hint}`);
};

const parse = (args: readonly string[]) => {
  const { values, tokens } = parseArgs({
    ...{ args: [...args], options: known, strict: false, allowPositionals: true, tokens: true },
  });
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new BadFlag(`${token.value} is not a flag; see --help`);
    }
    if (token.kind !== 'option') continue;
    const rule = Object.entries(known).find(([name]) => name === token.name)?.[1];
    if (!rule) throw unknownFlag(token.rawName);
    const needs = rule.type === 'string';
    if (needs && (token.value === undefined || token.value === '')) {
      throw new BadFlag(`${token.rawName} needs a value; see --help`);
    }
    if (!needs && token.value !== undefined) {
      throw new BadFlag(`${token.rawName} takes no value`);
    }
  }
  return values as { [Name in keyof typeof known]?: string } & Record<string, unknown>;
};

const readPort = (text: string | undefined): number => {
  if (text === undefined) return usualPort;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new BadFlag(`--port must be a whole number from 0 to 65535, not "${text}"`);
};

const readInstant = (text: string): Date => {
  const at = new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : Number.NaN);
  const year = at.getUTCFullYear();
  if (year >= 2000 && year < 2200) return at;
  throw new BadFlag(
    `--clock must be an instant from 2000 to 2199 such as 2026-01-31T12:00:00Z, not "${text}"`,
  );
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|.+\.localhost)$/;

const readTarget = (text: string): string => {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (!url) throw new BadFlag(`--forward-to must be an address, not "${text}"`);
  if (loopback.test(url.hostname)) return url.href;
  throw new BadFlag(`--forward-to must be on this machine, such as localhost:3000/webhooks`);
};

const readEvents = (text: string): string[] => {
  const types = text.split(',').map((type) => type.trim());
  const wrong = types.find((type) => type !== '*' && !/^[a-z_]+(\.[a-z_]+)+$/.test(type));
  if (wrong === undefined) return types;
  throw new BadFlag(`--events must be types such as payment_intent.succeeded, not "${wrong}"`);
};

type Environment = Readonly<Record<string, string | undefined>>;

const readRecord = (env: Environment): RecordOptions => {
  const secretKey = env.SVC_RECORD_KEY ?? '';
  const publishableKey = env.SVC_RECORD_PUBLISHABLE_KEY;
  if (!/^(sk|rk)_test_\w+$/.test(secretKey)) {
    throw new BadFlag(
      "--record needs the secret key of the provider's test mode: SVC_RECORD_KEY=sk_test_…",
    );
  }
  if (publishableKey !== undefined && !/^pk_test_\w+$/.test(publishableKey)) {
    throw new BadFlag('SVC_RECORD_PUBLISHABLE_KEY must be a key of test mode: pk_test_…');
  }
  return {
    url: (env.SVC_RECORD_URL ?? 'https://api.stripe.com').replace(/\/$/, ''),
    secretKey,
    ...(publishableKey === undefined ? {} : { publishableKey }),
  };
};

/** Reads the arguments after the command's name. Throws `BadFlag`. */
export const readFlags = (args: readonly string[], env: Environment): Flags => {
  const given = parse(args);
  const { file, seed, clock, events } = given;
  const target = given['forward-to'];
  if (events !== undefined && target === undefined) {
    throw new BadFlag('--events says what --forward-to sends: give an address');
  }
  return {
    wish: given.help ? 'help' : given.version ? 'version' : 'start',
    twin: {
      port: readPort(given.port),
      ...(file === undefined ? {} : { file }),
      ...(seed === undefined ? {} : { seed }),
      ...(target === undefined ? {} : { forwardTo: readTarget(target) }),
      ...(events === undefined ? {} : { forwardEvents: readEvents(events) }),
      ...(clock === undefined ? {} : { clock: readInstant(clock) }),
      ...(given['no-limits'] ? { limits: false } : {}),
      ...(given['older-versions'] ? { olderVersions: true } : {}),
    },
    isJson: Boolean(given.json),
    ...(given.record ? { record: readRecord(env) } : {}),
  };
};
