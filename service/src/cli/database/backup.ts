// `svc backup`: the whole database in one file, tried before it is called a backup. docs/operating/recovery.md

import { type BackupReport, interruptedCode, type OperatorCommand } from '../line/command.ts';
import { readLine, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';

const help = `svc backup FILE|DIR: the database of service and vault in one file

Dumps one moment by pg_dump, beside the running service, and restores it into a scratch database: only when every
table there has the rows that it had at that moment does the file get its name. It is a tar of database.dump
(pg_restore reads it), manifest.json and SHA256SUMS. The keys are not in it: keep them apart.

It needs DATABASE_ADMIN_URL (or DATABASE_ADMIN_URL_FILE), a role that reads all tables and may create a database,
else DATABASE_OWNER_URL or DATABASE_URL; and pg_dump of the server's version or later. It exits with 0 when the
backup was tried and is good, else with 2.

  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

export const backupCommand: OperatorCommand = {
  name: 'backup',
  summary: 'dump the database into a file and verify the dump',
  help,
  async run(args, around) {
    const { path, database } = readPath('backup', 'FILE|DIR', args);
    const made = await around.backups(database).make(path, around.signal);
    if (around.signal.aborted) return interruptedCode;
    around.out.write(table(describeBackup(made)));
    around.out.write('restored into a scratch database: every table has its rows\n');
    return 0;
  },
};

/** Returns the word of a command that takes one file. Throws UsageError. */
export function readPath(command: string, what: string, args: readonly string[]) {
  const { flags, words } = readLine(args, {
    database: { type: 'string' },
    ...(command === 'restore' ? { 'no-checks': { type: 'boolean' } } : {}),
  });
  const [path, odd] = words;
  if (path === undefined) throw new UsageError(`name it: svc ${command} ${what}`);
  if (odd !== undefined) throw new UsageError(`Unexpected argument '${odd}'`);
  const isChecked = flags['no-checks'] !== true;
  return { path, database: flags.database as string | undefined, isChecked };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export const describeBackup = (one: BackupReport): string[][] => [
  ['backup', `${one.path}, ${megabytes(one.bytes)}`],
  ['of', `${one.madeAt}, version ${one.version}, PostgreSQL ${one.server}`],
  [
    'holds',
    `${one.rows} rows of ${one.tables} tables${one.hasVault ? ', the vault among them' : ''}`,
  ],
  ...(one.hasVault ? [] : [['vault', 'has its tables elsewhere: back that database up too']]),
  [
    'key',
    one.keyFingerprint === null
      ? 'SVC_KEY was not known here: keep it apart'
      : `SVC_KEY with the fingerprint ${one.keyFingerprint}: keep it apart`,
  ],
];
