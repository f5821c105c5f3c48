import type { AuditEntry } from '@svc/contract/settings/audit-log';
import { findClients } from '../../engine/runs/operator/clients.ts';
import { exportAuditLog } from '../../engine/steps/audit-log/export-audit-log.ts';
import type { OperatorCommand } from '../line/command.ts';
import { interruptedCode } from '../line/command.ts';
import { readFlags, readId, readInstant, UsageError } from '../line/flags.ts';
import { csvLine } from '../line/report.ts';

const help = `svc audit-log: who did what, newest first

Prints a merchant's changes of settings, people and catalog, and the captures, cancellations and refunds
that were asked for; or what is in no merchant's log. Writes nothing.

  --client ID       the merchant
  --service         the service's own entries instead: its key, people's accounts and sign-ins
  --since TIME      entries since this day or time; by default all
  --format FORMAT   csv (the default) or json: one object a line
  --database URL    the database; overrides DATABASE_URL
  --data DIR        the data folder of npm start (default .svc); overrides environment variables
`;

const flagTable = {
  client: { type: 'string' },
  service: { type: 'boolean' },
  since: { type: 'string' },
  format: { type: 'string' },
  database: { type: 'string' },
} as const;

export const auditLogCommand: OperatorCommand = {
  name: 'audit-log',
  summary: 'print who did what',
  help,
  async run(args, around) {
    const { client, service, since, format = 'csv', database } = readFlags(args, flagTable);
    if (service && client !== undefined) {
      throw new UsageError('--client and --service are both given; leave one out');
    }
    if (!service && client === undefined) {
      throw new UsageError('name the client: --client ID, see svc clients list; or --service');
    }
    const clientId = service ? null : readId('client', client as string | undefined);
    if (format !== 'csv' && format !== 'json') {
      throw new UsageError(`--format is csv or json: ${format}`);
    }
    const from = since === undefined ? null : readInstant('since', String(since));
    const { ports, close } = await around.openPorts(database as string | undefined);
    try {
      if (clientId && !(await findClients(ports)).some(({ id }) => id === clientId)) {
        around.err.write(`svc audit-log: there is no client ${clientId}; see svc clients list\n`);
        return 1;
      }
      if (format === 'csv') around.out.write(csvLine(columns));
      const asked = { clientId, since: from };
      for await (const entry of exportAuditLog(ports, asked)) {
        if (around.signal.aborted) return interruptedCode;
        around.out.write(format === 'csv' ? csvLine(cellsOf(entry)) : `${JSON.stringify(entry)}\n`);
      }
      return 0;
    } finally {
      await close();
    }
  },
};

/** The columns that the merchant's page exports. */
const columns = [
  'createdAt',
  'action',
  'actorKind',
  'actorUserId',
  'actorEmail',
  'actorCustomerId',
  'actorCredentialId',
  'tokenName',
  'actorApplicationId',
  'applicationName',
  'resourceType',
  'resourceId',
  'userId',
  'before',
  'after',
  'requestId',
  'address',
  'userAgent',
  'id',
];

const facts = (value: object | null): string | null => value && JSON.stringify(value);

const cellsOf = ({ actor, resource, ...entry }: AuditEntry) => [
  entry.createdAt,
  entry.action,
  actor.kind,
  actor.userId,
  actor.email,
  actor.customerId,
  actor.credentialId,
  actor.tokenName,
  actor.applicationId,
  actor.applicationName,
  resource.type,
  resource.id,
  entry.userId,
  facts(entry.before),
  facts(entry.after),
  entry.requestId,
  entry.address,
  entry.userAgent,
  entry.id,
];
