// The processes of a start. Each prints one line of JSON when it is ready, and its log is written to a file
// of limited size. They end when the starter ends, however that happens.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processEnv, processFlags } from '../../../deploy/src/flags.ts';
import { compileCache } from '../../entry/compile-cache.mjs';
import { boundedLog } from './logs.ts';
import { root } from './options.ts';

export type Child = {
  readonly name: string;
  readonly pid: number;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

export type ChildPlan = {
  readonly name: string;
  /** The entry file, relative to the project. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly onExit: (name: string, reason: string) => void;
};

// Node takes a path here as a part of an address, so it is written as a URL.
const tie = pathToFileURL(join(root, 'tools/src/start/tie.ts')).href;

/** Starts the process and resolves when it reports that it is ready. Throws with its last log lines. */
export async function startChild(plan: ChildPlan): Promise<Child> {
  const logFile = join(plan.folder, 'logs', `${plan.name}.log`);
  const log = boundedLog(logFile);
  const child = spawn(
    process.execPath,
    [...processFlags, '--import', tie, join(root, plan.entry)],
    {
      cwd: root,
      env: { ...processEnv, ...inherited(), ...compileCache(root), ...plan.env },
      // A process group of its own, so that Ctrl-C reaches only the starter, which stops the processes in
      // order.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  child.stderr?.on('data', (chunk: Buffer) => log.write(chunk));
  let isStopping = false;
  // `close` means that the process has ended and its last lines are in the log.
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  void ended.then(() => log.close());
  await ready(child, ended, plan.name, logFile);
  void ended.then((reason) => {
    if (!isStopping) plan.onExit(plan.name, `${reason}\n${lastWords(logFile)}`);
  });
  return {
    name: plan.name,
    pid: child.pid ?? 0,
    async stop(signal) {
      isStopping = true;
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

async function ready(
  child: ChildProcess,
  ended: Promise<string>,
  name: string,
  logFile: string,
): Promise<void> {
  const said = new Promise<'ready'>((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('"ready":true')) resolve('ready');
    });
  });
  const first = await Promise.race([said, ended]);
  if (first !== 'ready') {
    throw new Error(`${name} did not start (${first}):\n${lastWords(logFile)}`);
  }
  child.stdout?.resume();
}

function lastWords(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-6);
  return lines.map((line) => `  ${line}`).join('\n');
}

// The variables that a process needs from the shell: paths, languages, time, trust. All others stay out,
// such as keys of other services and settings meant for one process.
const named: ReadonlySet<string> = new Set(
  'PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR TMP TEMP NODE_ENV NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR LD_LIBRARY_PATH SYSTEMROOT'.split(
    ' ',
  ),
);

/** Returns the variables of an environment that the processes of a start receive. */
export const inherited = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => named.has(name.toUpperCase()) || /^LC_/.test(name)),
  );
