// Looks for troubles and tells the operator, by mail and at the operator's own URL: when one begins and when
// it is over. What comes together is told together. docs/operating/watching.md.

import {
  type Alert,
  claimOperatorMessage,
  dropOldMessages,
  dropOperatorMessage,
  insertOperatorMessage,
  type KeptAlert,
  keepAlerts,
  listUntoldAlerts,
  markAlertsTold,
  takeAlertTurn,
} from '../../../storage/alerts/alerts.ts';
import { everyClient } from '../../../storage/database/database.ts';
import { examineServer } from '../../../storage/doctor/read-facts.ts';
import { readWork } from '../../../storage/doctor/read-work.ts';
import { listRefusingLong } from '../../../storage/gateways/refused-notices.ts';
import type { Ports } from '../../ports.ts';
import { queueMail } from '../../steps/mails/queue-mail.ts';
import { type Finding, wrongFinding } from '../doctor/finding.ts';
import { judgeServer } from '../doctor/judge-database.ts';
import { judgeReplication } from '../doctor/judge-lag.ts';
import { describeUndecided, undecidedMend } from '../operator/installations.ts';
import { alertsOf, judgeRefusing, judgeWork } from './judge-work.ts';

export type AlertPorts = Pick<
  Ports,
  'database' | 'newId' | 'sealedHere' | 'settings' | 'sendAlert' | 'mail' | 'certificateEnd'
>;

/** Further troubles wait this long for one message. */
const quietSeconds = 300;
const minuteMs = 60_000;
const hourMs = 3_600_000;
/** How many gateways are named one by one. */
const mostGateways = 50;
/** `notify-operator.ts` mails about money that no payment knows, with a line for each payment. */
const ownMail = 'unknown_money';

/** Whether anybody is to be told. */
export const hasOperator = ({ settings, sendAlert }: AlertPorts): boolean =>
  Boolean(settings.operatorEmail || sendAlert);

/** Looks once, and queues what is new. Throws when the database cannot be read. */
export async function lookForTrouble(
  ports: AlertPorts,
  nowMs: number,
  certificates: readonly Finding[] = [],
): Promise<void> {
  const { database, settings } = ports;
  const alerts = [...(await findAlerts(ports, nowMs)), ...alertsOf(certificates)];
  await database.transaction(everyClient, async (tx) => {
    if (!(await takeAlertTurn(tx))) return;
    await keepAlerts(tx, alerts);
    const untold = await listUntoldAlerts(tx, quietSeconds);
    if (untold.length === 0) return;
    const mailed = untold.filter(({ kind }) => kind !== ownMail);
    if (settings.operatorEmail && mailed.length > 0) {
      const mail = { to: settings.operatorEmail, kind: 'operator_alert', clientId: null };
      await queueMail(tx, { ...mail, ...mailWords(mailed) }, ports);
    }
    if (ports.sendAlert) {
      const id = ports.newId();
      await insertOperatorMessage(tx, id, messageBody(id, untold, settings.mode));
    }
    await markAlertsTold(tx, untold);
  });
}

async function findAlerts(ports: AlertPorts, nowMs: number): Promise<Alert[]> {
  const { database, settings } = ports;
  const facts = await examineServer(database);
  const undecided = await describeUndecided(ports);
  return [
    ...judgeWork(await readWork(database), { hasMail: ports.mail !== null }),
    ...judgeRefusing(await listRefusingLong(database, mostGateways)),
    ...alertsOf([
      ...judgeServer(facts, { nowMs, isWritable: true, mode: settings.mode }),
      ...judgeReplication(facts),
      ...(undecided ? [wrongFinding('installation', undecided, undecidedMend)] : []),
    ]),
  ];
}

function mailWords(told: readonly KeptAlert[]) {
  const begun = told.filter(({ endedAt }) => endedAt === null);
  const over = told.filter(({ endedAt }) => endedAt !== null);
  const [first] = begun;
  const more = begun.length > 1 ? `, and ${begun.length - 1} more` : '';
  const line = ({ said, mend }: Alert) => `- ${said}.\n  What to do: ${mend}.`;
  return {
    subject: first ? `Svc: ${first.said}${more}` : `Svc: over: ${over[0]?.said}`,
    text: [
      ...(begun.length > 0 ? ['Since now:', '', ...begun.map(line), ''] : []),
      ...(over.length > 0 ? ['Over:', '', ...over.map(({ said }) => `- ${said}.`), ''] : []),
      'svc doctor checks the whole installation.',
    ].join('\n'),
  };
}

/** The body of a message: docs/operating/watching.md shows its form. */
function messageBody(id: string, told: readonly KeptAlert[], mode: string): string {
  const alerts = told.map(({ kind, subject, said, mend, beganAt, endedAt }) => ({
    ...{ kind, subject: subject || null, message: said, remedy: mend },
    beganAt: beganAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  }));
  return JSON.stringify({ id, type: 'operator.alerts', mode, alerts });
}

/** Sends the oldest message that is due; returns whether there was one. Never throws for a receiver. */
export async function sendOperatorMessage(ports: AlertPorts): Promise<boolean> {
  if (!ports.sendAlert) return false;
  await dropOldMessages(ports.database);
  const message = await claimOperatorMessage(ports.database);
  if (!message) return false;
  const answer = await ports.sendAlert(message);
  const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
  if (isTaken) await dropOperatorMessage(ports.database, message.id);
  return true;
}

/**
 * Follows whether the database answers. An outage is told of when it has lasted a minute, again each hour, and
 * when it is over.
 */
export function watchOutages(ports: AlertPorts) {
  let beganMs: number | undefined;
  let toldMs = Number.NEGATIVE_INFINITY;
  return {
    async isDown(nowMs: number): Promise<void> {
      beganMs ??= nowMs;
      const quietMs = toldMs >= beganMs ? hourMs : quietSeconds * 1000;
      if (nowMs - beganMs < minuteMs || nowMs - toldMs < quietMs) return;
      toldMs = nowMs;
      await tellOfDatabase(ports, { beganAt: new Date(beganMs), endedAt: null });
    },
    async isUp(nowMs: number): Promise<void> {
      const sinceMs = beganMs;
      beganMs = undefined;
      if (sinceMs === undefined || toldMs < sinceMs) return;
      await tellOfDatabase(ports, { beganAt: new Date(sinceMs), endedAt: new Date(nowMs) });
    },
  };
}

/** Nothing can be queued without a database: the mail and the message leave at once, and once only. */
async function tellOfDatabase(
  ports: AlertPorts,
  times: Pick<KeptAlert, 'beganAt' | 'endedAt'>,
): Promise<void> {
  const { operatorEmail, mode } = ports.settings;
  const said = 'the database has not answered for a minute: nobody can pay';
  const mend = 'svc doctor says whether it is down, full or out of connections';
  const id = ports.newId();
  const alert = { kind: 'database_down', subject: '', said, mend, ...times };
  await Promise.all([
    ports.sendAlert?.({ id, body: messageBody(id, [alert], mode) }),
    operatorEmail && ports.mail?.send({ id, to: operatorEmail, ...mailWords([alert]) }),
  ]);
}
