import type { Ports } from '../../engine/ports.ts';
import { readLostNotices } from '../../engine/runs/notices/read-lost-notices.ts';
import { isBeginning, type UnreadPayments } from '../../engine/runs/reconcile/choose-payments.ts';
import type { Difference } from '../../engine/runs/reconcile/compare.ts';
import { describeDifference } from '../../engine/runs/reconcile/describe-difference.ts';
import { runBounded } from '../../engine/runs/reconcile/run-bounded.ts';
import {
  type AbandonedGateway,
  type Reconciliation,
  runReconcile,
} from '../../engine/runs/reconcile/run-reconcile.ts';
import { interruptedCode, type OperatorCommand, type Surroundings } from '../line/command.ts';
import {
  readDuration,
  readFlags,
  readInstant,
  readNumber,
  readTarget,
  reportFlags,
  UsageError,
} from '../line/flags.ts';
import { startProgress } from '../line/progress.ts';
import { countedNoun, openReport, type Row } from '../line/report.ts';
import { decide, findUnknown, readDecision, toUnknownRow } from './unknown-money.ts';

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
  'buyer',
  'merchant',
];

const help = `svc reconcile: compares payments with the provider and prints the exact differences

Compares every hold, every payment in progress and every payment with an open dispute, if it is old
enough, and a sample of the settled payments: of the newest 20 000, and of the next 100 000 older ones.
With --since, --sample or --all it compares every payment, however many there are. It only reads,
unless --settle is given: then it also lists the providers' notices of disputes, refunds and reversed
captures, and processes those that never arrived. Exits with 1 when a difference remains, money without
a payment is found, something could not be read, or the time was over before the end. It needs the
settings of the service.

  --since DAY        only payments created since, such as 2026-05-01 or 2026-05-01T10:00:00Z
  --older-than TIME  unsettled payments of at least this age, such as 90s, 10m, 2h (default 10m)
  --sample SHARE     of the settled payments, 0 to 1 (default 0.01)
  --all              every settled payment
  --budget TIME      starts no comparison after this time, and prints what was left out (default
                     10m; with --since, --sample or --all none)
  --settle           moves payments to the provider's state, and sends their events
  --adopt ID         creates the missing payment for money that only the provider has
  --release ID       releases a hold that only the provider has
  --refund ID        refunds a charge that only the provider has
  --reason TEXT      the reason for one of these three, for the audit log
  --rate N           at most N requests to the provider per second (default 20)
  --database URL     the database; overrides DATABASE_URL
  --data DIR         the data folder of npm start (default .svc); overrides environment variables
  --json FILE        every difference, as a JSON document
  --csv FILE         every difference, as CSV
`;

const flagTable = {
  ...reportFlags,
  since: { type: 'string' },
  'older-than': { type: 'string' },
  sample: { type: 'string' },
  all: { type: 'boolean' },
  budget: { type: 'string' },
  settle: { type: 'boolean' },
  adopt: { type: 'string' },
  release: { type: 'string' },
  refund: { type: 'string' },
  reason: { type: 'string' },
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
    budgetMs: flags.budget === undefined ? null : readDuration('budget', text('budget') ?? ''),
    isThrough: flags.all === true || flags.sample !== undefined || flags.since !== undefined,
    since: flags.since === undefined ? null : readInstant('since', text('since') ?? ''),
    readsPerSecond: readNumber('rate', text('rate') ?? '20', { min: 0.1, max: 1000 }),
    isSettling: flags.settle === true,
    wish: readDecision(text),
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
  buyer: null,
  merchant: null,
});

function describe(difference: Difference, end: string): string {
  const { paymentId, type, kind } = difference;
  const word = end === 'settled' ? end : kind;
  return `${word}: ${type} ${paymentId}: ${describeDifference(difference)}\n`;
}

/** When nothing was compared, nothing was found wrong: the message must not sound like good news. */
function nothingComparedText({ sample, since }: { sample: number; since: Date | null }): string {
  const when = since === null ? '' : ` created since ${since.toISOString()}`;
  const unsettled = `no unsettled payment${when} is as old as --older-than`;
  const settled =
    sample === 1
      ? 'and there is no settled one'
      : `and no settled one fell into the sample of ${sample}; --all compares every one`;
  return `nothing was compared: ${unsettled}, ${settled}`;
}

function describeGivenUp({ gatewayId, clientId, error }: AbandonedGateway): string {
  const { message } = error as Error;
  return `gateway ${gatewayId} of client ${clientId} was given up: ${message}. Its other payments were not compared`;
}

/** Returns when a payment was made, from its id. */
const createdAtOf = (id: string): string =>
  new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString();

/** States where the comparison of settled payments stopped, and how it continues. */
function describeOthers(othersAfter: string, isThrough: boolean): string {
  const at = `${othersAfter}, made at ${createdAtOf(othersAfter)}`;
  if (!isThrough) {
    const how = isBeginning(othersAfter) ? 'begins with the oldest' : `goes on after ${at}`;
    return `older settled payments: the next run ${how}\n`;
  }
  return isBeginning(othersAfter)
    ? 'out of time before the first payments were compared: give a longer --budget\n'
    : `out of time: no payment after ${at}, was compared; continue with --since\n`;
}

/** States what a run did not compare: for lack of time, or because a later run continues there. */
function describeLeft({ watched, othersAfter }: UnreadPayments, isThrough: boolean) {
  const said = { unsettledLeftOut: watched, settledGoOnAfter: othersAfter };
  const unsettled = `out of time: ${countedNoun(watched, 'unsettled or disputed payment')} left out\n`;
  const others = othersAfter === null ? '' : describeOthers(othersAfter, isThrough);
  const lines = `${watched > 0 ? unsettled : ''}${others}`;
  return { lines, said, isNone: watched === 0 && !(isThrough && othersAfter !== null) };
}

/**
 * Reads notices that the providers sent and that never arrived, also about settled payments,
 * which are only sampled.
 */
async function reportLostNotices(
  ports: Ports,
  readsPerSecond: number,
  { out, signal }: Surroundings,
) {
  const notListed: string[] = [];
  let unread = 0;
  const { lost: lostNotices, left: noticesLeft } = await readLostNotices(ports, {
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

type Settings = Omit<ReturnType<typeof readSettings>, 'target' | 'database' | 'budgetMs' | 'wish'>;

/** Prints the result of the comparison. */
function printResult(sums: Reconciliation, settings: Settings, { out }: Surroundings) {
  const { compared, differences, settled, awaited, givenUp, isComplete } = sums;
  const moved = settings.isSettling ? `, ${settled} settled` : '';
  const waiting = awaited > 0 ? `, ${awaited} in doubt until the buyer has acted` : '';
  const seen = `${countedNoun(compared, 'payment')} compared: ${countedNoun(differences, 'difference')}`;
  const isNothing = compared === 0 && isComplete;
  out.write(`${isNothing ? nothingComparedText(settings) : `${seen}${moved}${waiting}`}\n`);
  for (const gateway of givenUp) out.write(`${describeGivenUp(gateway)}\n`);
  const left = describeLeft(sums.left, settings.isThrough);
  out.write(left.lines);
  return left;
}

export const reconcileCommand: OperatorCommand = {
  name: 'reconcile',
  summary: 'compare payments with the provider',
  help,
  async run(args, around) {
    const { target, database, budgetMs, wish, ...settings } = readSettings(args);
    const { ports, close } = await around.openPorts(database);
    if (wish) {
      try {
        return await decide(wish, ports, around);
      } finally {
        await close();
      }
    }
    const progress = startProgress('reconcile', around.err);
    const head = { command: 'reconcile' };
    const report =
      target &&
      (await openReport(target, columns, head).catch(async (error) => {
        await close();
        throw error;
      }));
    try {
      const run = settings.isThrough ? runReconcile : runBounded;
      const sums = await run(ports, {
        ...settings,
        ...(budgetMs === null ? {} : { timeUp: AbortSignal.timeout(budgetMs) }),
        signal: around.signal,
        onProgress: progress.at,
        async onDifference(difference, end) {
          progress.end();
          around.out.write(describe(difference, end));
          await report?.add(toRow(difference, end));
        },
      });
      progress.end();
      const left = printResult(sums, settings, around);
      const { compared, differences, awaited, givenUp, isComplete } = sums;
      if (!isComplete) {
        around.out.write('broken off: the other payments were not compared\n');
        await report?.discard();
        return interruptedCode;
      }
      const heard = settings.isSettling
        ? await reportLostNotices(ports, settings.readsPerSecond, around)
        : null;
      if (heard && around.signal.aborted) {
        around.out.write('broken off: not every notice was taken in\n');
        await report?.discard();
        return interruptedCode;
      }
      const gatewaysGivenUp = givenUp.map(({ gatewayId }) => gatewayId);
      const asked = { ...settings, givenUp: new Set(gatewaysGivenUp) };
      const unknown = await findUnknown(ports, asked, around);
      for (const money of unknown.found) await report?.add(toUnknownRow(money));
      const { settled } = sums;
      const said = { compared, differences, settled, awaitingBuyers: awaited, gatewaysGivenUp };
      const unknownMoney = unknown.found.length;
      await report?.finish({ ...said, ...left.said, unknownMoney, ...heard?.said });
      const isWell = differences + unknownMoney === 0 && left.isNone && unknown.isWhole;
      return isWell && heard?.isWhole !== false ? 0 : 1;
    } catch (error) {
      progress.end();
      await report?.discard();
      throw error;
    } finally {
      await close();
    }
  },
};
