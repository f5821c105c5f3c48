import type { Ports } from '../../engine/ports.ts';
import { listOld, removeAllOld } from '../../engine/runs/retention/remove-old.ts';
import { interruptedCode, type OperatorCommand, type Surroundings } from '../line/command.ts';
import { readFlags, readTarget, reportFlags } from '../line/flags.ts';
import { startProgress } from '../line/progress.ts';
import { countedNoun, openReport, type Report, table } from '../line/report.ts';

const help = `svc retention: removes now what is older than the settings keep it

The service does the same by itself, in small batches. SVC_KEEP_… say for how many days each kind is
kept (docs/operating/retention.md). Needs the settings of the service. May be broken off and repeated.

  --dry-run       only tell, by table, how many rows would go and about how many bytes; changes nothing
  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
  --json FILE     what would go, or has gone, as a JSON document
  --csv FILE      the same as CSV
`;

const flagTable = {
  ...reportFlags,
  database: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const;

const columns = ['kind', 'table', 'rows', 'bytes', 'endedBefore'];

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** Tells what is old enough, by table. Returns how many rows it is. */
async function tellOld(ports: Ports, { out }: Surroundings, report: Report | null) {
  const old = await listOld(ports);
  const lines = old.map(({ kind, table: name, rows, bytes, before }) => [
    kind,
    name,
    String(rows),
    size(bytes),
    before.toISOString().slice(0, 10),
  ]);
  out.write(table([['kind', 'table', 'rows', 'bytes', 'ended before'], ...lines]));
  const forever = Object.entries(ports.settings.keepDays).filter(([, days]) => days === null);
  if (forever.length > 0) {
    out.write(`kept for ever: ${forever.map(([kind]) => kind).join(', ')}\n`);
  }
  for (const { kind, table: name, rows, bytes, before } of old) {
    await report?.add({ kind, table: name, rows, bytes, endedBefore: before.toISOString() });
  }
  return old.reduce((sum, { rows }) => sum + rows, 0);
}

async function remove(ports: Ports, total: number, around: Surroundings): Promise<number> {
  const progress = startProgress('retention', around.err, { unit: 'rows' });
  const removed = await removeAllOld(ports, {
    signal: around.signal,
    onProgress: (done) => progress.at(done, Math.max(done, total)),
  });
  progress.end();
  const kinds = [...removed]
    .filter(([, rows]) => rows > 0)
    .map(([kind, rows]) => `${kind} ${rows}`);
  around.out.write(kinds.length === 0 ? 'nothing removed\n' : `removed: ${kinds.join(', ')}\n`);
  return [...removed.values()].reduce((sum, rows) => sum + rows, 0);
}

export const retentionCommand: OperatorCommand = {
  name: 'retention',
  summary: 'remove records whose time of retention has passed',
  help,
  async run(args, around) {
    const flags = readFlags(args, flagTable);
    const target = readTarget(flags);
    const isDry = flags['dry-run'] === true;
    const { ports, close } = await around.openPorts(flags.database as string | undefined);
    const head = { command: 'retention', isDryRun: isDry };
    let report: Report | null = null;
    try {
      report = target && (await openReport(target, columns, head));
      const total = await tellOld(ports, around, report);
      if (isDry) around.out.write(`${countedNoun(total, 'row')} would go; nothing was changed\n`);
      const removed = isDry ? 0 : await remove(ports, total, around);
      await report?.finish({ removed, isComplete: !around.signal.aborted });
      return around.signal.aborted ? interruptedCode : 0;
    } catch (error) {
      await report?.discard();
      throw error;
    } finally {
      await close();
    }
  },
};
