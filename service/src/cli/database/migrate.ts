// `svc migrate`: applies the migrations only, as the owner of the tables, so that the service never
// needs that role. docs/decisions/runtime.md

import type { OperatorCommand } from '../line/command.ts';
import { readFlags } from '../line/flags.ts';

const help = `svc migrate: brings the database to this version, before services of it start

  DATABASE_OWNER_URL=postgres://svc_owner:…@host/svc npm run -s svc -- migrate

It needs the address of the role that owns the tables and no other setting: DATABASE_OWNER_URL (or
DATABASE_OWNER_URL_FILE), else DATABASE_URL. The services then start without DATABASE_OWNER_URL.
Migrations that are started at once run one after the other; a database of this version is not changed.

  --database URL  instead of both variables
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

export const migrateCommand: OperatorCommand = {
  name: 'migrate',
  summary: 'apply the migrations as the owner of the tables',
  help,
  async run(args, around) {
    const { database } = readFlags(args, { database: { type: 'string' } });
    await around.migrate(database as string | undefined);
    around.out.write('all migrations are applied; the database is up to date\n');
    return 0;
  },
};
