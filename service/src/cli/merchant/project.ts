// Finds the service that a merchant's command talks to: the one that `npm start` runs in this
// folder, unless another is named.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError, type Surroundings } from '../line/command.ts';
import { entryFlags, type Flags, UsageError } from '../line/flags.ts';
import { type Api, openApi } from './api.ts';

export type Project = {
  readonly api: Api;
  readonly apiUrl: string;
  readonly clientId: string;
  /** The URL of the card provider's sandbox; null when it was not named. */
  readonly sandboxUrl: string | null;
  /** The owner's address of the merchant of a start; null otherwise. */
  readonly ownerEmail: string | null;
  /** The folder for the project's files on this machine. */
  readonly folder: string;
  readonly isFound: boolean;
};

export const projectFlags = {
  api: { type: 'string' },
  'client-id': { type: 'string' },
  'api-token': { type: 'string' },
  sandbox: { type: 'string' },
  ...entryFlags,
} as const;

const serviceFlags = ['api', 'client-id', 'api-token'] as const;

export const projectHelp = `By default the command uses the service that npm start runs in this folder. For another service:

  --data DIR         the data folder of npm start (default .svc); overrides environment variables
  --api URL          or SVC_API_URL: the API's address
  --client-id ID     or SVC_CLIENT_ID
  --api-token TOKEN  or SVC_API_TOKEN, which no other user of this machine sees
  --sandbox URL      or SVC_SANDBOX_URL: the card provider's sandbox, for svc trigger
`;

type Running = {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly apiToken: string;
  readonly sandboxUrl: string;
  readonly ownerEmail: string;
};

/** Opens the named service. Throws UsageError, or Trouble when none runs. */
export function openProject(
  flags: Flags,
  { env, signal }: Pick<Surroundings, 'env'> & Partial<Pick<Surroundings, 'signal'>>,
): Project {
  const folder = folderOf(flags);
  const counts = isStartNamed(flags) ? {} : env;
  const text = (name: keyof typeof projectFlags, variable: string) =>
    (flags[name] as string | undefined) ?? (counts[variable]?.trim() || undefined);
  const given = {
    apiUrl: text('api', 'SVC_API_URL')?.replace(/\/+$/, ''),
    clientId: text('client-id', 'SVC_CLIENT_ID'),
    apiToken: text('api-token', 'SVC_API_TOKEN'),
  };
  const sandboxUrl = text('sandbox', 'SVC_SANDBOX_URL')?.replace(/\/+$/, '') ?? null;
  const missing = Object.values(given).filter((one) => one === undefined).length;
  if (missing === 3) return projectOfStart(folder, { sandboxUrl, signal });
  const { apiUrl, clientId, apiToken } = given;
  if (apiUrl === undefined || clientId === undefined || apiToken === undefined) {
    throw new UsageError('--api, --client-id and --api-token are given together, or none of them');
  }
  if (!URL.canParse(apiUrl)) throw new UsageError(`--api is no address: ${apiUrl}`);
  const api = openApi({ apiUrl, clientId, apiToken }, signal);
  return { api, apiUrl, clientId, sandboxUrl, ownerEmail: null, folder, isFound: false };
}

/**
 * Returns whether `--data` names the folder of a start and no flag names a service. The environment is then
 * ignored: it could name another service, and the command would send that service's events.
 */
export const isStartNamed = (flags: Flags): boolean =>
  flags.data !== undefined &&
  serviceFlags.every((name) => flags[name] === undefined) &&
  existsSync(join(folderOf(flags), 'service.env'));

export const folderOf = (flags: Flags): string => resolve((flags.data as string) ?? '.svc');

type ProjectOptions = {
  readonly sandboxUrl: string | null;
  readonly signal: AbortSignal | undefined;
};

function projectOfStart(folder: string, { sandboxUrl, signal }: ProjectOptions): Project {
  const running = readRunning(folder);
  return {
    api: openApi(running, signal),
    apiUrl: running.apiUrl,
    clientId: running.clientId,
    sandboxUrl: sandboxUrl ?? running.sandboxUrl,
    ownerEmail: running.ownerEmail,
    folder,
    isFound: true,
  };
}

function readRunning(folder: string): Running {
  try {
    return JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8')) as Running;
  } catch {
    throw new CommandError(
      `no npm start runs in ${folder}. Start it, or name another service: --data DIR, or ` +
        '--api, --client-id and --api-token',
    );
  }
}

/**
 * Creates the data folder when it does not exist, with a .gitignore that hides it from a
 * surrounding repository.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '.gitignore'), '*\n');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `the folder ${folder} cannot be made (${code}); name another: --data DIR`,
    );
  }
}
