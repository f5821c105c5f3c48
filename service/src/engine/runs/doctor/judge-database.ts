// Judges the database server, its settings, its clock and its backups.
import type { Mode } from '@svc/contract/servers/modes';
import type { ServerFacts } from '../../../storage/doctor/read-facts.ts';
import { type Finding, goodFinding, noteFinding, wrongFinding } from './finding.ts';

const oldestVersion = 140_000;
const mostSkewMs = 2_000;
const fewestConnections = 10;
const dayMs = 86_400_000;
/** A nightly backup may begin or end two hours later than the one before. */
const longestNightMs = dayMs + 7_200_000;

const judgeRole = ({ role, isSuperuser, ownsTables }: ServerFacts): Finding => {
  const what = 'database role';
  const mend = 'put the role svc_service into DATABASE_URL (docs/operating/running.md, PostgreSQL)';
  if (isSuperuser)
    return wrongFinding(
      what,
      `${role} is a superuser: row security, which keeps merchants apart, does not apply to it`,
      mend,
    );
  if (ownsTables)
    return wrongFinding(
      what,
      `${role} owns the tables: it could switch off the guards that protect payments`,
      mend,
    );
  return goodFinding(what, role);
};

/** A sandbox may lose payments in a crash. Each connection of the service sets synchronous_commit itself. */
function judgeSettings({ fsync, fullPageWrites }: ServerFacts, mode: Mode): Finding {
  const what = 'database settings';
  const faults = [
    ...(fsync === 'on' ? [] : [`fsync is ${fsync}`]),
    ...(fullPageWrites === 'on' ? [] : [`full_page_writes is ${fullPageWrites}`]),
  ];
  if (faults.length === 0) return goodFinding(what, 'fsync and full_page_writes are on');
  const said = `${faults.join(' and ')}: a crash loses payments that were answered`;
  return (mode === 'sandbox' ? noteFinding : wrongFinding)(
    what,
    said,
    'set fsync and full_page_writes to on',
  );
}

/** SQL_ASCII checks no bytes; other encodings have no place for every name that a buyer may have. */
const judgeEncoding = ({ encoding }: ServerFacts): Finding => {
  const what = 'database encoding';
  if (encoding === 'UTF8') return goodFinding(what, encoding);
  const said =
    encoding === 'SQL_ASCII'
      ? 'SQL_ASCII: the database checks and counts bytes, not letters, so names may be refused or torn'
      : `${encoding}: the database refuses names with letters that it lacks`;
  const mend =
    "make a database with encoding UTF8 (create database svc encoding 'UTF8' template template0), and restore a dump into it";
  return wrongFinding(what, said, mend);
};

const judgeClock = (facts: ServerFacts, nowMs: number): Finding => {
  const skewMs = Math.round(Math.abs(facts.nowMs - nowMs));
  return skewMs > mostSkewMs
    ? wrongFinding(
        'database time',
        `${skewMs} ms away from this machine: leases and repeats are timed by both clocks`,
        'run a time service (chrony, systemd-timesyncd) on both machines',
      )
    : goodFinding('database time', `${skewMs} ms away from this machine`);
};

const judgeWrites = ({ isReadOnly }: ServerFacts, isWritable: boolean): Finding => {
  const what = 'database writes';
  if (isReadOnly) {
    const mend = 'name the primary in DATABASE_URL, or add target_session_attrs=read-write';
    return wrongFinding(what, 'the server is read-only or a standby: nobody can pay', mend);
  }
  return isWritable
    ? goodFinding(what, 'accepted')
    : wrongFinding(
        what,
        'a write failed, so nobody can pay: the disk is full, or the synchronous standby is missing',
        'read the log of the server, then make room or bring the standby back',
      );
};

/** Judges the server's facts, read when this machine's clock showed `nowMs`. */
export function judgeServer(
  facts: ServerFacts,
  {
    nowMs,
    isWritable,
    mode,
  }: { readonly nowMs: number; readonly isWritable: boolean; readonly mode: Mode },
): Finding[] {
  return [
    facts.versionNumber < oldestVersion
      ? wrongFinding(
          'database version',
          `PostgreSQL ${facts.version} is too old: statements of the service may fail`,
          'upgrade to PostgreSQL 14 or later',
        )
      : goodFinding('database version', `PostgreSQL ${facts.version}`),
    judgeEncoding(facts),
    judgeRole(facts),
    judgeWrites(facts, isWritable),
    judgeSettings(facts, mode),
    facts.connectionsLeft < fewestConnections
      ? wrongFinding(
          'database connections',
          `only ${facts.connectionsLeft} are left: without one, requests fail`,
          'raise max_connections, or lower SVC_POOL_SIZE and SVC_PROCESSES',
        )
      : goodFinding('database connections', `${facts.connectionsLeft} are left`),
    judgeClock(facts, nowMs),
  ];
}

const archiveMend =
  'set up base backups with an archive of the log, and restore one once (docs/operating/running.md, Back up)';

/** Judges the backups by the newest file of a named folder, or else by the server's archive of its log. */
export function judgeBackups(
  facts: ServerFacts,
  newest: { readonly ageMs: number | null } | null,
): Finding {
  const what = 'backups';
  if (newest) {
    if (newest.ageMs === null)
      return wrongFinding(
        what,
        'the folder has no file: after the loss of a disk nothing could be restored',
        archiveMend,
      );
    const hours = Math.round(newest.ageMs / 3_600_000);
    return newest.ageMs > longestNightMs
      ? wrongFinding(
          what,
          `the newest file is ${hours} h old: later payments would be lost with the disk`,
          'find out why the nightly backup did not run',
        )
      : goodFinding(what, `the newest file is ${hours} h old`);
  }
  if (facts.archiveFailures > 0) {
    return wrongFinding(
      what,
      'the last attempt to archive the log failed: later payments would be lost with the disk',
      'read the log of the server, and correct archive_command',
    );
  }
  if (facts.archiveMode === 'off') {
    return noteFinding(
      what,
      'the server archives no log, and no folder with backups was named: whether there are backups is not known',
      `name the folder of your dumps with --backups, or ${archiveMend}`,
    );
  }
  if (facts.archivedSecondsAgo === null)
    return wrongFinding(
      what,
      'nothing was archived yet: after the loss of a disk nothing could be restored',
      archiveMend,
    );
  const hours = Math.round(facts.archivedSecondsAgo / 3_600);
  return facts.archivedSecondsAgo * 1000 > dayMs
    ? wrongFinding(
        what,
        `the last archive is ${hours} h old: later payments would be lost with the disk`,
        'read the log of the server, and correct archive_command',
      )
    : goodFinding(what, `the log was archived ${hours} h ago`);
}
