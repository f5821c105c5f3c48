// The checks of `svc doctor` in the database, at the providers and at the mail server.
import { tryWrite } from '../../../storage/database/health.ts';
import { isMigrated } from '../../../storage/database/migrate.ts';
import { SealedUnreadable } from '../../../storage/database/sealed.ts';
import { examineServer } from '../../../storage/doctor/read-facts.ts';
import { readWork, type WaitingWork } from '../../../storage/doctor/read-work.ts';
import { isUnavailable } from '../../is-unavailable.ts';
import type { Ports } from '../../ports.ts';
import { judgeRefusals } from '../../steps/notices/refused-notices.ts';
import { checkGateway } from '../operator/check-gateways.ts';
import { findGateways, findHoldups, type GatewayView } from '../operator/gateways.ts';
import { describeUndecided, findInstallations, undecidedMend } from '../operator/installations.ts';
import { findOpenMoney } from '../unknown-money/find-open-money.ts';
import { checkWallet } from './check-wallet.ts';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';
import { judgeBackups, judgeServer } from './judge-database.ts';
import { judgeReadUrl, judgeReplication, judgeWorkers } from './judge-lag.ts';
import { judgePace } from './judge-pace.ts';

type Wish = {
  /** The newest file of the folder with backups; null when no folder was named. */
  readonly newestBackup: { readonly ageMs: number | null } | null;
  /** False when test or live mode has no SVC_WALLET_URL. */
  readonly hasWalletAddress: boolean;
  readonly nowMs: () => number;
};

/**
 * Yields each finding as soon as it is known, so that those before a lost database are kept. Throws when the
 * database is lost.
 */
export async function* examine(ports: Ports, wish: Wish): AsyncGenerator<Finding> {
  yield await examineMailServer(ports);
  const facts = await examineServer(ports.database);
  const nowMs = wish.nowMs();
  const isWritable = !facts.isReadOnly && (await canWrite(ports));
  yield* judgeServer(facts, { nowMs, isWritable, mode: ports.settings.mode });
  yield* judgeReplication(facts);
  yield* judgeReadUrl(await ports.standby());
  yield judgeBackups(facts, wish.newestBackup);
  if (!(await isMigrated(ports.database))) {
    const mend = 'run svc migrate; the checks of gateways, webhooks and mails follow then';
    yield wrongFinding(
      'migrations',
      'some are missing: the service is not ready without them',
      mend,
    );
    return;
  }
  yield goodFinding('migrations', 'all are applied');
  if (isWritable) yield await examineInstallation(ports);
  const { waiting: work } = await readWork(ports.database);
  yield* judgeWorkers(work);
  yield* judgePace([...(await findHoldups(ports)).values()]);
  yield* examineWork(work, ports.mail !== null);
  if (isWritable) yield* examineGateways(ports, wish);
  else
    yield noteFinding('gateways', 'not checked: their check needs a database that accepts writes');
}

async function canWrite({ database }: Ports): Promise<boolean> {
  try {
    await tryWrite(database);
    return true;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return false;
  }
}

async function examineInstallation(ports: Ports): Promise<Finding> {
  const undecided = await describeUndecided(ports);
  if (undecided) return wrongFinding('installation', undecided, undecidedMend);
  const id = (await findInstallations(ports)).at(-1)?.id ?? '';
  const open = (await findOpenMoney(ports, 1)).reduce((sum, one) => sum + one.ofMerchant, 0);
  if (open === 0) return goodFinding('installation', id);
  const mend =
    'decide by svc reconcile; if the database is a copy and the other installation goes on: svc installation new';
  return noteFinding('installation', `${id}; money with its marks has no payment: ${open}`, mend);
}

/** Connects to the mail server and signs in; no mail is sent. */
async function examineMailServer({ mail, settings }: Ports): Promise<Finding> {
  if (!mail) {
    const missing = settings.isLive ? wrongFinding : noteFinding;
    const mend = 'set SVC_SMTP_URL and SVC_MAIL_FROM (docs/guides/mail.md)';
    return missing(
      'mail',
      'no SMTP server is set: nobody gets an invitation, a link to sign in or a receipt',
      mend,
    );
  }
  const error = await mail.check();
  return error === null
    ? goodFinding('mail', 'the SMTP server accepts a connection and the sign-in')
    : wrongFinding(
        'mail',
        `the SMTP server cannot be used, and mails wait: ${error}`,
        'correct SVC_SMTP_URL',
      );
}

async function* examineGateways(ports: Ports, wish: Wish): AsyncGenerator<Finding> {
  const active = (await findGateways(null, ports)).filter(({ isActive }) => isActive);
  if (active.length === 0) {
    const mend = 'make one: svc gateways create (docs/guides/go-live.md, step 3)';
    yield wrongFinding('gateways', 'no merchant has one in use: nobody can pay', mend);
  }
  for (const one of active) {
    try {
      if (one.provider === 'cardprovider') yield* examineCardGateway(one, ports);
      else {
        yield* checkWallet(one, ports, wish);
        yield* judgeRefusals(one.noticesRefused).map(({ said }) =>
          wrongFinding(`gateway ${one.id}`, said, 'svc gateways change corrects it'),
        );
      }
    } catch (error) {
      // The message names the value that cannot be opened and contains no secret.
      if (!(error instanceof SealedUnreadable)) throw error;
      const mend = 'give the SVC_KEY that this database was filled with (docs/operating/keys.md)';
      yield wrongFinding('keys', `gateway ${one.id}: ${error.message}`, mend);
    }
  }
}

async function* examineCardGateway(one: GatewayView, ports: Ports): AsyncGenerator<Finding> {
  const what = `gateway ${one.id}`;
  const checks = await checkGateway(one, ports);
  const mend = `svc gateways check --gateway ${one.id} shows all; svc gateways change corrects it`;
  if (checks.every(({ verdict }) => verdict !== 'wrong')) {
    yield goodFinding(what, 'account, keys and rights are as they should be');
  }
  for (const check of checks) {
    const said = `${check.what}: ${check.said}`;
    if (check.verdict === 'wrong') yield wrongFinding(what, said, mend);
    if (check.verdict === 'note') yield noteFinding(what, said);
  }
}

/** Without a mail server mails wait, and the line of the server says so. */
function* examineWork(
  { failingEndpoints, lateMails }: WaitingWork,
  hasMail: boolean,
): Generator<Finding> {
  yield failingEndpoints > 0
    ? wrongFinding(
        'webhooks',
        `endpoints that have failed for an hour: ${failingEndpoints}. Their shops do not hear of payments`,
        'tell their merchants; Developers, Webhooks in the dashboard shows each failure',
      )
    : goodFinding('webhooks', 'no endpoint has failed for an hour');
  if (!hasMail) return;
  yield lateMails > 0
    ? wrongFinding(
        'mails',
        `mails that could not be sent for an hour: ${lateMails}. People wait for links and receipts`,
        'svc mails shows the last error of each; correct SVC_SMTP_URL',
      )
    : goodFinding('mails', 'none has waited for an hour');
}
