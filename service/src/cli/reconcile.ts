import type { Ports } from '../operations/ports.ts';
import { hearLostNotices } from '../operations/provider-notices/hear-lost-notices.ts';
import type { Difference } from '../operations/reconcile/compare.ts';
import { describeDifference } from '../operations/reconcile/describe-difference.ts';
import { type GivenUp, runReconcile } from '../operations/reconcile/run-reconcile.ts';
import { type Command, interrupted, type Surroundings } from './command.ts';
import {
  readDuration,
  readFlags,
  readInstant,
  readNumber,
  readTarget,
  reportFlags,
  UsageError,
} from './flags.ts';
import { startProgress } from './progress.ts';
import { counted, openReport, type Row } from './report.ts';

const columns = [
  'paymentId',
  'clientId',
  'type',
  'kind',
  'end',
  'ourStatus',
  'ourAmount',
  'ourCurrency',
  'providerId',
  'providerStatus',
  'providerAmount',
  'providerCurrency',
];

const help = `svc reconcile: compares payments with the provider and prints the exact differences

Compares every unsettled payment that is old enough, and a sample of the settled ones, with their
disputes. Only reads, unless --settle is given: then it also has the providers list what they have told
of disputes, refunds and captures taken back, and takes in what never came. Exits with 1 when a
difference stands, or something could not be read. It needs the settings of the service.

  --since DAY        only payments created since, such as 2026-05-01 or 2026-05-01T10:00:00Z
  --older-than TIME  unsettled payments at least so old, such as 90s, 10m, 2h (default 10m)
  --sample SHARE     of the settled payments, 0 to 1 (default 0.01)
  --all              every settled payment
  --settle           move payments forward to where the provider says they are, with their events
  --rate N           readings of the provider, and of its notices, a second (default 20)
  --database URL     instead of DATABASE_URL
  --json FILE        every difference, as a JSON document
  --csv FILE         every difference, as CSV
`;

const flagTable = {
  ...reportFlags,
  since: { type: 'string' },
  'older-than': { type: 'string' },
  sample: { type: 'string' },
  all: { type: 'boolean' },
  settle: { type: 'boolean' },
  rate: { type: 'string' },
  database: { type: 'string' },
} as const;

function readSettings(args: readonly string[]) {
  const flags = readFlags(args, flagTable);
  const text = (name: keyof typeof flagTable) => flags[name] as string | undefined;
  if (flags.all && flags.sample !== undefined) {
    throw new UsageError('--all and --sample are both given; leave one out');
  }
  return {
    target: readTarget(flags),
    database: text('database'),
    olderThanMs: readDuration('older-than', text('older-than') ?? '10m'),
    sample: flags.all ? 1 : readNumber('sample', text('sample') ?? '0.01', { min: 0, max: 1 }),
    since: flags.since === undefined ? null : readInstant('since', text('since') ?? ''),
    readsPerSecond: readNumber('rate', text('rate') ?? '20', { min: 0.1, max: 1000 }),
    isSettling: flags.settle === true,
  };
}

const toRow = (difference: Difference, end: string): Row => ({
  paymentId: difference.paymentId,
  clientId: difference.clientId,
  type: difference.type,
  kind: difference.kind,
  end,
  ourStatus: difference.ours.status,
  ourAmount: difference.ours.amount,
  ourCurrency: difference.ours.currency,
  providerId: difference.providers.id,
  providerStatus: difference.providers.status,
  providerAmount: difference.providers.amount,
  providerCurrency: difference.providers.currency,
});

function describe(difference: Difference, end: string): string {
  const { paymentId, type, kind } = difference;
  const word = end === 'settled' ? end : kind;
  return `${word}: ${type} ${paymentId}: ${describeDifference(difference)}\n`;
}

/** Nothing was found wrong because nothing was looked at: that is no good news. */
function nothingCompared({ sample, since }: { sample: number; since: Date | null }): string {
  const when = since === null ? '' : ` created since ${since.toISOString()}`;
  const unsettled = `no unsettled payment${when} is as old as --older-than`;
  const settled =
    sample === 1
      ? 'and there is no settled one'
      : `and no settled one fell into the sample of ${sample}; --all compares every one`;
  return `nothing was compared: ${unsettled}, ${settled}`;
}

function describeGivenUp({ gatewayId, clientId, error }: GivenUp): string {
  const { message } = error as Error;
  return `gateway ${gatewayId} of client ${clientId} was given up: ${message}. Its other payments were not compared`;
}

/** What the providers told and never came here, of settled payments too, which are only sampled. */
async function hear(ports: Ports, readsPerSecond: number, { out, signal }: Surroundings) {
  const notListed: string[] = [];
  let unread = 0;
  const { lost: lostNotices, left: noticesLeft } = await hearLostNotices(ports, {
    listing: {
      readsPerSecond,
      signal,
      onError({ id, clientId }, error) {
        notListed.push(id);
        const { message } = error as Error;
        out.write(`gateway ${id} of client ${clientId}: ${message}\n`);
      },
    },
    onUnread({ id, gatewayId }, error) {
      unread += 1;
      out.write(`notice ${id} of gateway ${gatewayId} not read: ${(error as Error).message}\n`);
    },
  });
  out.write(`${lostNotices} notices that never came taken in\n`);
  if (noticesLeft > 0) out.write(`${noticesLeft} notices stay: the service reads them again\n`);
  return {
    isWhole: notListed.length + unread === 0,
    said: { lostNotices, noticesLeft, gatewaysNotListed: notListed },
  };
}

export const reconcileCommand: Command = {
  name: 'reconcile',
  summary: 'compare payments with the provider',
  help,
  async run(args, around) {
    const { target, database, ...settings } = readSettings(args);
    const { ports, close } = around.openPorts(database);
    const progress = startProgress('reconcile', around.err);
    const head = { command: 'reconcile' };
    const report =
      target &&
      (await openReport(target, columns, head).catch(async (error) => {
        await close();
        throw error;
      }));
    try {
      const sums = await runReconcile(ports, {
        ...settings,
        signal: around.signal,
        onProgress: progress.at,
        async onDifference(difference, end) {
          progress.end();
          around.out.write(describe(difference, end));
          await report?.add(toRow(difference, end));
        },
      });
      progress.end();
      const { compared, differences, settled, awaited, givenUp, isComplete } = sums;
      const moved = settings.isSettling ? `, ${settled} settled` : '';
      const waiting = awaited > 0 ? `, ${awaited} in doubt until the buyer has acted` : '';
      const seen = `${counted(compared, 'payment')} compared: ${counted(differences, 'difference')}`;
      const counts = `${seen}${moved}${waiting}`;
      const isNothing = compared === 0 && isComplete;
      around.out.write(`${isNothing ? nothingCompared(settings) : counts}\n`);
      for (const gateway of givenUp) around.out.write(`${describeGivenUp(gateway)}\n`);
      if (!isComplete) {
        around.out.write('broken off: the other payments were not compared\n');
        await report?.discard();
        return interrupted;
      }
      const heard = settings.isSettling ? await hear(ports, settings.readsPerSecond, around) : null;
      if (heard && around.signal.aborted) {
        around.out.write('broken off: not every notice was taken in\n');
        await report?.discard();
        return interrupted;
      }
      const gatewaysGivenUp = givenUp.map(({ gatewayId }) => gatewayId);
      const said = { compared, differences, settled, awaitingBuyers: awaited, gatewaysGivenUp };
      await report?.finish({ ...said, ...heard?.said });
      return differences === 0 && heard?.isWhole !== false ? 0 : 1;
    } catch (error) {
      progress.end();
      await report?.discard();
      throw error;
    } finally {
      await close();
    }
  },
};
