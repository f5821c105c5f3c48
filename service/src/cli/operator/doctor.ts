// svc doctor: checks everything that can be wrong with an installation, and names how to correct it.

import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cardProviderUrl } from '@svc/contract/servers/modes';
import { oneLine } from '@svc/contract/servers/plain-text';
import { examine } from '../../engine/runs/doctor/examine.ts';
import { type Finding, wrongFinding } from '../../engine/runs/doctor/finding.ts';
import { type DiskFacts, judgeDisk, noDisk } from '../../engine/runs/doctor/judge-disk.ts';
import { judgeNode, judgeSettings } from '../../engine/runs/doctor/judge-settings.ts';
import { judgeVault } from '../../engine/runs/doctor/judge-vault.ts';
import { CommandError, type OperatorCommand, type OperatorSurroundings } from '../line/command.ts';
import { readFlags, UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { examineAddresses, examinePage } from './doctor-addresses.ts';
import { findStrays, judgeStrays, removeStrays } from './stray-databases.ts';

const help = `svc doctor: checks everything that can be wrong, and says how to mend it

Node, settings, addresses with their certificates, proxies, the vault's shared key and clock, the
provider's time, mail, database (version, role, writes, settings, connections, time, migrations),
replication, disks, backups, workers, webhooks, every gateway in use.
Each line is good, note or wrong; the exit code is 1 where one is wrong. It changes nothing, apart from
what svc gateways check does: one setup intent per gateway, which is cancelled, and a notice of its own. It needs the settings of
the service, and is best run where the service runs.

  --csp URL       checks whether the policy of this merchant's page allows the card form
  --backups DIR   reports the age of the newest file in this folder of backups
  --disk DIR      checks the free space of this local folder of the database; repeatable
  --json          the findings as one JSON document
  --remove-databases  removes embedded databases of root whose data folder is gone
  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

export const doctorCommand: OperatorCommand = {
  name: 'doctor',
  summary: 'check the installation, and say how to mend each problem',
  help,
  async run(args, around) {
    const flags = readFlags(args, {
      csp: { type: 'string' },
      backups: { type: 'string' },
      disk: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      'remove-databases': { type: 'boolean' },
      database: { type: 'string' },
    });
    const text = (name: string) => flags[name] as string | undefined;
    const pageUrl = text('csp') ?? null;
    if (pageUrl !== null && !/^https?:$/.test(URL.parse(pageUrl)?.protocol ?? '')) {
      throw new UsageError('--csp takes the address of a page, as https://shop.example/checkout');
    }
    const folder = text('backups');
    const newestBackup = folder === undefined ? null : { ageMs: newestAgeMs(folder) };
    const folders = [...((flags.disk as string[] | undefined) ?? []), ...(folder ? [folder] : [])];
    const disks = folders.map((one) => judgeDisk(one, readDisk(one)));
    const findings = [judgeNode(process.version), ...disks];
    if (flags.disk === undefined) findings.push(noDisk);
    findings.push(...lookAtStrays(around.shelters, flags['remove-databases'] === true));
    try {
      const wanted = { databaseUrl: text('database'), pageUrl, newestBackup };
      for await (const finding of look(around, wanted)) findings.push(finding);
    } catch (error) {
      findings.push(...failureOf(error, around));
    }
    print(findings, around, flags.json === true);
    return findings.some(({ verdict }) => verdict === 'wrong') ? 1 : 0;
  },
};

/** Tells of embedded databases whose data folder is gone, and removes them when asked; nothing where there are none. */
function lookAtStrays(folder: string | undefined, isWanted: boolean): Finding[] {
  const strays = folder === undefined ? [] : findStrays(folder);
  if (isWanted) removeStrays(strays);
  return strays.length === 0 ? [] : [judgeStrays(strays, isWanted)];
}

/** The age in milliseconds of the folder's newest file; null when it has none. Throws UsageError. */
function newestAgeMs(folder: string): number | null {
  try {
    const times = readdirSync(folder, { recursive: true })
      .map((name) => statSync(join(folder, String(name)), { throwIfNoEntry: false }))
      .flatMap((one) => (one?.isFile() ? [one.mtimeMs] : []));
    return times.length === 0 ? null : Date.now() - times.reduce((a, b) => Math.max(a, b));
  } catch {
    throw new UsageError(`--backups: ${folder} cannot be read`);
  }
}

/** Throws UsageError. */
function readDisk(folder: string): DiskFacts {
  try {
    return statfsSync(folder);
  } catch {
    throw new UsageError(`--disk: ${folder} cannot be read`);
  }
}

type Wanted = {
  readonly databaseUrl: string | undefined;
  readonly pageUrl: string | null;
  readonly newestBackup: { readonly ageMs: number | null } | null;
};

/** Yields the findings one by one. Throws what ends the checks. */
async function* look(around: OperatorSurroundings, wanted: Wanted): AsyncGenerator<Finding> {
  const { env } = around;
  const { ports, close } = await around.openPorts(wanted.databaseUrl);
  try {
    const { settings } = ports;
    yield* judgeSettings({
      mode: settings.mode,
      baseUrl: settings.baseUrl,
      formOrigin: settings.formOrigin,
      operatorEmail: settings.operatorEmail ?? null,
      hasLimits: settings.attemptLimits !== null,
      trustedProxies: Number(env.SVC_TRUSTED_PROXIES || 0),
    });
    const addresses = {
      providerUrl: env.SVC_PROVIDER_URL || cardProviderUrl,
      pageUrl: wanted.pageUrl,
      nowMs: Date.now,
    };
    yield* await examineAddresses(ports, addresses);
    yield judgeVault(await ports.vault.look());
    yield* await examinePage(ports, addresses);
    const hasWalletAddress = settings.mode === 'sandbox' || Boolean(env.SVC_WALLET_URL);
    const { newestBackup } = wanted;
    yield* examine(ports, { newestBackup, hasWalletAddress, nowMs: Date.now });
  } finally {
    await close();
  }
}

/** Returns the findings for an error that ended the checks; an error that is a bug is thrown on. */
function failureOf(error: unknown, around: OperatorSurroundings): Finding[] {
  const isTrouble = error instanceof CommandError;
  const said = isTrouble ? error.message : around.describeError(error);
  if (said === undefined) throw error;
  if (!isTrouble && said.startsWith('the database ')) {
    const mend = 'start it, or correct DATABASE_URL; the checks that follow were not made';
    return [wrongFinding('database', said, mend)];
  }
  // Each problem of the settings is a line of its own; other messages may have several lines.
  const lines = isTrouble ? [said.replaceAll('\n', ' ')] : said.split('\n');
  return lines.map((line) =>
    wrongFinding('settings', line, 'correct this first; the checks that follow were not made'),
  );
}

function print(findings: readonly Finding[], { out }: OperatorSurroundings, isJson: boolean): void {
  if (isJson) {
    out.write(`${JSON.stringify({ findings }, null, 2)}\n`);
    return;
  }
  // A finding quotes other hosts, whose control characters could steer a terminal.
  out.write(table(findings.map(({ verdict, what, said }) => [verdict, what, oneLine(said)])));
  const mends = findings.filter(({ mend, verdict }) => mend && verdict !== 'good');
  if (mends.length > 0) out.write('\nto mend:\n');
  for (const { what, mend } of mends) out.write(`  ${what}: ${oneLine(mend ?? '')}\n`);
}
