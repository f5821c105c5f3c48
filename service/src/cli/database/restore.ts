// `svc restore`: puts a backup into an empty database, and looks what the provider has since. docs/operating/recovery.md

import { CommandError, type OperatorCommand, type OperatorSurroundings } from '../line/command.ts';
import { table } from '../line/report.ts';
import { doctorCommand } from '../operator/doctor.ts';
import { reconcileCommand } from '../operator/reconcile.ts';
import { describeBackup, readPath } from './backup.ts';

const help = `svc restore FILE: puts a backup of svc backup into an empty database

It refuses, with a code and a sentence, and changes nothing: a database that holds anything
(database_not_empty), a file that is half a backup, was altered or is of a later version (backup_half,
backup_altered, backup_newer), and another SVC_KEY (key_differs). All is restored in one transaction, or nothing.
Then svc doctor and svc reconcile run. Roles and database are made before by svc prepare database.

It needs DATABASE_ADMIN_URL as svc backup does, and the settings of the service. It exits with 0 when it is
restored and nothing was found, 1 when doctor or reconcile found something, 2 when nothing was restored.

  --no-checks     without svc doctor and svc reconcile
  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

export const restoreCommand: OperatorCommand = {
  name: 'restore',
  summary: 'put a backup into an empty database',
  help,
  async run(args, around) {
    const { path, database, isChecked } = readPath('restore', 'FILE', args);
    const restored = await around.backups(database).restore(path, around.signal);
    around.out.write(table(describeBackup(restored)));
    around.out.write(`restored: every table has its rows. This database is now a copy of the one of before: before
services start, say svc installation keep if it takes that one's place, new if that one goes on.
`);
    if (restored.isBehind) {
      around.out.write(
        'This version has newer migrations: run svc migrate, then svc doctor and svc reconcile\n',
      );
      return 0;
    }
    if (!isChecked) return 0;
    const named = database === undefined ? [] : ['--database', database];
    const doctor = await runCheck('doctor', () => doctorCommand.run(named, around), around);
    const reconcile = await runCheck(
      'reconcile',
      () => reconcileCommand.run(named, around),
      around,
    );
    return Math.max(doctor, reconcile) === 0 ? 0 : 1;
  },
};

/** Runs a command of its own. What stops it does not undo what was restored. */
async function runCheck(
  name: string,
  run: () => Promise<number>,
  { out, err, describeError }: OperatorSurroundings,
): Promise<number> {
  out.write(`\nsvc ${name}\n`);
  try {
    return await run();
  } catch (error) {
    const said = error instanceof CommandError ? error.message : describeError(error);
    if (said === undefined) throw error;
    err.write(`svc ${name} could not run: ${said}\n`);
    return 1;
  }
}
