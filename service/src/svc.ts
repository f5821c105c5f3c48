#!/usr/bin/env node
// The command `svc`: settings from the environment, as for the service, and the commands of cli/.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { CommandError } from './cli/line/command.ts';
import { shelters } from './cli/operator/stray-databases.ts';
import { runCommand } from './cli/run.ts';
import { openBackups } from './start/backups/backups.ts';
import { readBackupSettings } from './start/backups/settings.ts';
import { openBench } from './start/bench/bench.ts';
import { openBreak } from './start/break/break.ts';
import { runProcess } from './start/command-process.ts';
import {
  type Config,
  ConfigInvalid,
  readAddress,
  readConfig,
  readDatabaseUrl,
  readOwnerUrl,
  settingNames,
} from './start/config.ts';
import { faultOfMode } from './start/database-mode.ts';
import { applyEnvFile } from './start/env-file.ts';
import { openPorts } from './start/open-ports.ts';
import { NoScratchDatabase } from './storage/backups/scratch-database.ts';
import { migrate, OlderDatabase, refuseOlder } from './storage/database/migrate.ts';
import { poolerStates } from './storage/database/session-settings.ts';

const args = process.argv.slice(2);
// The last value of a repeated flag wins, as in the commands, which also refuse an empty value.
const flagOf = (flag: string): string | undefined =>
  args
    .flatMap((arg, at) =>
      arg === flag
        ? [args[at + 1] ?? '']
        : arg.startsWith(`${flag}=`)
          ? [arg.slice(flag.length + 1)]
          : [],
    )
    .at(-1);
const folder = flagOf('--data');
const file = flagOf('--env');
if (file) {
  const both = folder === undefined ? undefined : '--env and --data are both given; leave one out';
  const fault = both ?? applyEnvFile(file, process.env);
  if (fault !== undefined) {
    process.stderr.write(`svc: ${fault}\n`);
    process.exit(2);
  }
}

// The service that `npm start` started in this folder is used when no other is named. With a named
// folder, the environment is ignored: settings of another service must not apply.
const started = join(folder ?? '.svc', 'service.env');
const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
const database = flagOf('--database');
const databaseName = database === undefined ? 'DATABASE_URL' : '--database';
const isSet = Boolean(DATABASE_URL || DATABASE_URL_FILE || database);
const isOwnerSet = Boolean(process.env.DATABASE_OWNER_URL || process.env.DATABASE_OWNER_URL_FILE);
const isStarted = existsSync(started) && (folder !== undefined || !(isSet || file));
if (isStarted) {
  const names = [...settingNames(), 'DATABASE_ADMIN_URL', 'DATABASE_ADMIN_URL_FILE'];
  // The driver reads PGPORT, PGSSLMODE and the like for what an address does not say.
  const ofDriver = Object.keys(process.env).filter((name) => /^PG[A-Z]+$/.test(name));
  if (folder !== undefined) for (const name of [...names, ...ofDriver]) delete process.env[name];
  for (const [name, value] of Object.entries(parseEnv(readFileSync(started, 'utf8')))) {
    process.env[name] ??= value;
  }
}

/** True when neither a start in this folder nor a setting names a service. */
const isNothingNamed = !isStarted && !isSet;
const nothingNamed = `no npm start has run in ${resolve('.svc')}, and DATABASE_URL names no database.
Start one (npm start), name the data folder of a start (--data DIR), or give the service's own
settings in the environment (.env.example lists them)`;

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the environment with another database; a file that names one is ignored. */
function withDatabase(databaseUrl: string | undefined): Env {
  if (folder !== undefined && !isStarted) {
    throw new CommandError(`nothing was started in ${folder}: it has no service.env`);
  }
  if (databaseUrl === undefined) {
    if (isNothingNamed) throw new CommandError(nothingNamed);
    return process.env;
  }
  return { ...process.env, DATABASE_URL: databaseUrl, DATABASE_URL_FILE: undefined };
}

/** Does the same for the owner of the tables, when a flag names the database. */
const withOwner = (given: string | undefined): Env =>
  given === undefined
    ? withDatabase(undefined)
    : { ...withDatabase(given), DATABASE_OWNER_URL: undefined, DATABASE_OWNER_URL_FILE: undefined };

const databaseStates: Readonly<Record<string, string>> = {
  ...poolerStates,
  '28P01': 'the password is wrong',
  '28000': 'this role is not let in',
  '3D000': 'there is no such database',
  '42P01': 'it has no tables of this service',
  '42703': 'its migrations are older than this version',
  '42501': 'this role may not read all of it',
  '55P03': 'a table stays locked by somebody else',
};

/**
 * The database was reachable but ended the statement: it is stopping, has too many connections, or
 * an administrator ended the session.
 */
const endedPattern = /^(08|53|57|58|ECONNRESET|EPIPE)/;

/** TLS errors: a certificate that is not trusted, or is for another name. */
const notTrusted = /^(UNABLE_TO|CERT|DEPTH_ZERO|SELF_SIGNED|HOSTNAME|ERR_TLS|ERR_SSL)_/;

const withoutAnswer =
  /timeout expired|Connection terminated|DatabaseUnavailable|does not support SSL/;

/** The database of `npm start` stops with it, which is the most frequent cause. */
function unreachable({ code, message }: NodeJS.ErrnoException): string {
  const isNobody = code === 'ENOENT' || code === 'ECONNREFUSED';
  return isNobody && isStarted
    ? 'the service of this folder is stopped, and its database with it. Start it (npm start), then ask again.'
    : message;
}

/** Returns a message for an error that a person can correct; the reasons of a connection error are nested. */
function describeError(error: unknown): string | undefined {
  if (error instanceof ConfigInvalid) return error.problems.join('\n');
  if (error instanceof NoScratchDatabase) return error.message;
  if (error instanceof OlderDatabase) {
    return `the database of ${databaseName} cannot be used: ${error.message}`;
  }
  const { errors, code, message, path } = error as AggregateError & NodeJS.ErrnoException;
  const inner = (errors?.[0] ?? (error as Error).cause ?? error) as NodeJS.ErrnoException;
  const state = databaseStates[code ?? inner.code ?? ''];
  if (state) return `the database of ${databaseName} cannot be used: ${state}`;
  if (inner.syscall === 'connect' || inner.syscall === 'getaddrinfo') {
    return `the database of ${databaseName} cannot be reached: ${unreachable(inner)}`;
  }
  if (notTrusted.test(inner.code ?? '') || withoutAnswer.test(message)) {
    return `the database of ${databaseName} cannot be reached: ${message}`;
  }
  if (endedPattern.test(code ?? '')) {
    return `the database of ${databaseName} ended the work: ${message}`;
  }
  // Errors of an open file contain no path: the report cannot be written.
  if (inner.syscall === 'write') return `the report cannot be written: ${code}`;
  return path === undefined ? undefined : `${path} cannot be written: ${code}`;
}

function adminOf(given: string | undefined) {
  const settings = readBackupSettings(given === undefined ? process.env : withOwner(given));
  if (settings === undefined) throw new CommandError(nothingNamed);
  return settings;
}

/** Opens the ports on a database of the mode that the settings name. */
async function openCompared(config: Config) {
  const opened = openPorts(config, () => undefined);
  const fault = await refuseOlder((query) => opened.ports.database.read(query, []))
    .then(() => faultOfMode(config, opened.ports.database))
    .catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
  if (fault === undefined) return opened;
  await opened.close();
  throw new CommandError(fault);
}

await runProcess(args, (around) =>
  runCommand(args, {
    ...around,
    databaseUrl: (given) => readDatabaseUrl(withDatabase(given)),
    migrate: async (given) =>
      migrate(readOwnerUrl(given === undefined && isOwnerSet ? process.env : withOwner(given))),
    vaultDatabaseUrl: () => readAddress('VAULT_DATABASE_URL', process.env),
    backups: (given) => openBackups(adminOf(given)),
    bench: (given) => openBench(adminOf(given), process.env),
    openBreak: () => openBreak(process.env),
    openPorts: (databaseUrl) => openCompared(readConfig(withDatabase(databaseUrl)).config),
    describeError,
    shelters,
  }),
);
