// `svc break`: an installation of its own is broken in every way, and the provider's ledger stands beside the books.

import { open, writeFile } from 'node:fs/promises';
import {
  type BreakReport,
  type BreakScene,
  interruptedCode,
  type OperatorCommand,
  type OperatorSurroundings,
} from '../line/command.ts';
import { readFlags, readNumber, UsageError } from '../line/flags.ts';
import { countedNoun, table } from '../line/report.ts';

const help = `svc break: break it yourself in ten minutes, and see that no payment moves twice

  svc break                 about five minutes
  svc break --minutes 2     every trouble at least once
  svc break --keep          lets you look at ledger and books before it is removed

Brings up a throw-away installation: service, card form, sandbox of the card provider and a PostgreSQL of their own, in a
temporary folder and on free ports. A shop buys there, captures and gives money back, while the command kills processes,
loses answers, presses twice, stops the database and fills its disk. The sandbox executes whatever it is asked with a new
key: money that is asked for twice moves twice, and stands in its ledger. At the end that ledger is compared with the
books and with what the shop was told.

Nothing of an installation of yours is read or touched. Settings of test or live mode are refused
(installation_not_sandbox). It exits with 0 when everything agrees, 1 when not, 2 when it could not run.

  --minutes N  for all of it, 1 to 60 (default 5); a busy machine may take a little longer
  --seed N     of the random choices, so that they are made again; moments stay those of the machine
  --keep       at the end leaves the installation up until Ctrl-C
  --json FILE  the report as one JSON document
  --data DIR   the data folder whose settings are judged (default .svc); nothing else of it is read
`;

export const breakCommand: OperatorCommand = {
  name: 'break',
  summary: 'break an installation of its own, and compare the ledger with the books',
  help,
  async run(args, around) {
    const flags = readFlags(args, {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      keep: { type: 'boolean' },
      json: { type: 'string' },
    });
    const text = (name: string) => flags[name] as string | undefined;
    const minutes = readNumber('minutes', text('minutes') ?? '5', { min: 1, max: 60 });
    const seed = readSeed(text('seed'));
    const file = text('json');
    if (file !== undefined) await checkWritable(file);
    const { signal, out } = around;
    const say = (line: string) => out.write(`${line}\n`);
    const run = around.openBreak();
    let places = '';
    say('bringing up an installation of its own');
    const report = await run(
      { minutes, seed, signal },
      {
        opened({ server, tookMs, ...of }) {
          places = placesOf(of);
          const up = `up after ${(tookMs / 1000).toFixed(0)} s, with PostgreSQL ${server}`;
          say(`${up}; ${countedNoun(minutes, 'minute')} in all, --seed ${seed}\n`);
        },
        told: (scene) => say(describe(scene)),
        async ended(report) {
          conclude(report, say);
          if (file !== undefined) {
            await writeFile(file, `${JSON.stringify({ minutes, seed, ...report })}\n`);
          }
          if (flags.keep) await stay(places, around);
        },
      },
    );
    return report.problems.length > 0 ? 1 : signal.aborted && !flags.keep ? interruptedCode : 0;
  },
};

/** Throws before anything is broken where the report could not be written afterwards. */
async function checkWritable(file: string): Promise<void> {
  if (file === '') throw new UsageError('--json names no file');
  try {
    await (await open(file, 'a')).close();
  } catch (error) {
    throw new UsageError(`--json: ${(error as Error).message}`);
  }
}

function readSeed(text: string | undefined): number {
  if (text === undefined) return Date.now() % 1_000_000;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--seed is a whole number of at most nine digits: ${text}`);
}

const mostShown = 5;

function describe({ name, did, problems, skipped, ...counts }: BreakScene): string {
  if (skipped !== undefined) return `skipped  ${name}: ${skipped}`;
  const { orders, captured, refunded } = counts;
  const word = problems.length === 0 ? 'right' : 'WRONG';
  const said = `${countedNoun(orders, 'order')}: ${captured} captured once, ${refunded} given back once`;
  const wrong = [
    ...problems.slice(0, mostShown),
    ...(problems.length > mostShown ? [`and ${problems.length - mostShown} more`] : []),
  ];
  return [
    `${word.padEnd(8)} ${name}: ${did}`,
    `         ${problems.length === 0 ? said : countedNoun(orders, 'order')}`,
    ...wrong.map((problem) => `         ${problem}`),
  ].join('\n');
}

function conclude(report: BreakReport, say: (line: string) => void): void {
  const amount = ({ count, minor }: BreakReport['sums'][number]['ledger']) =>
    `${(minor / 100).toFixed(2)} (${count})`;
  const rows = report.sums.map(({ currency, what, ledger, books, shop }) => [
    `${what} ${currency}`,
    ...[amount(ledger), amount(books), amount(shop)],
    ((ledger.minor - books.minor) / 100).toFixed(2),
  ]);
  say(
    `\n${table([['', "provider's ledger", "Svc's books", 'shop was told', 'difference'], ...rows])}`,
  );
  const { wanted, heard } = report.shipped;
  say(`webhooks: the shop heard of ${heard} of ${countedNoun(wanted, 'purchase')}`);
  say(`in doubt: ${report.inDoubt}`);
  for (const { name, said } of report.commands) say(`${name}: ${said}`);
  say('');
  if (report.problems.length === 0) {
    say('Everything agrees: no payment moved twice, and none was lost.');
    return;
  }
  say(`WRONG: ${countedNoun(report.problems.length, 'finding')}`);
  for (const problem of report.problems) say(`  ${problem}`);
}

type Places = Readonly<Record<'apiUrl' | 'clientId' | 'apiToken' | 'providerUrl', string>>;

const placesOf = ({ apiUrl, clientId, apiToken, providerUrl }: Places): string => `
It stays up until Ctrl-C:
  the provider, a page     ${providerUrl}
  its ledger               curl ${providerUrl}/_control/ledger
  Svc's books              curl -u ${clientId}:${apiToken} ${apiUrl}/v1/payments
`;

async function stay(places: string, { signal, out }: OperatorSurroundings): Promise<void> {
  if (signal.aborted) return;
  out.write(places);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
