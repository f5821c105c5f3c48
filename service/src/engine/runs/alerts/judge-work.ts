// What of the facts about an installation is a trouble that its operator is told about. The alert rules of
// deploy/prometheus name the same troubles for those who watch with Prometheus.

import type { Alert } from '../../../storage/alerts/alerts.ts';
import type { OpenOperations, Work } from '../../../storage/doctor/read-work.ts';
import type { RefusingGateway } from '../../../storage/gateways/refused-notices.ts';
import { describeRefusals } from '../../steps/notices/refused-notices.ts';
import type { Finding } from '../doctor/finding.ts';
import { judgeWorkers } from '../doctor/judge-lag.ts';

const inDoubtSeconds = 300;
const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

const payments = (count: number): string => (count === 1 ? 'one payment' : `${count} payments`);

/** Judges the gateways that have refused the provider's notices for ten minutes. */
export const judgeRefusing = (gateways: readonly RefusingGateway[]): Alert[] =>
  gateways.map((gateway) => ({
    kind: 'notices_refused',
    subject: gateway.id,
    said: `gateway ${gateway.id} of merchant ${gateway.clientId} refuses the provider's notices: ${describeRefusals(gateway)}`,
    mend: 'correct what is named, then run svc gateways check; payments are settled late until then',
  }));

/** Returns the troubles of the findings that are wrong. */
export const alertsOf = (findings: readonly Finding[]): Alert[] =>
  findings
    .filter(({ verdict }) => verdict === 'wrong')
    .map(({ what, said, mend }) => ({
      kind: what.replaceAll(' ', '_'),
      subject: '',
      said: `${what}: ${said}`,
      mend: mend ?? 'svc doctor shows it',
    }));

/** Judges what waits, fails or differs. Without a mail server mails wait on purpose. */
export function judgeWork(work: Work, { hasMail }: { readonly hasMail: boolean }): Alert[] {
  return [
    ...judgeOperations(work.operations),
    ...judgeMoney(work),
    ...judgeEndpoints(work),
    ...alertsOf(judgeWorkers(work.waiting)),
    ...alertIf(hasMail && work.waiting.lateMails > 0, {
      kind: 'mails_wait',
      said: `mails that could not be sent for an hour: ${work.waiting.lateMails}`,
      mend: 'svc mails shows the last error of each; correct SVC_SMTP_URL',
    }),
  ];
}

const alertIf = (isWrong: boolean, alert: Omit<Alert, 'subject'>): Alert[] =>
  isWrong ? [{ ...alert, subject: '' }] : [];

function judgeOperations(operations: readonly OpenOperations[]): Alert[] {
  const of = (state: string) => operations.find((each) => each.state === state);
  const doubt = of('in_doubt');
  const manual = of('manual');
  const minutes = Math.floor((doubt?.oldestSeconds ?? 0) / 60);
  return [
    ...alertIf((doubt?.oldestSeconds ?? 0) > inDoubtSeconds, {
      kind: 'payment_in_doubt',
      said: `the provider has not said for ${minutes} minutes what became of ${payments(doubt?.count ?? 0)}`,
      mend: 'svc operations list shows them; they settle by themselves once the provider answers',
    }),
    ...alertIf((manual?.count ?? 0) > 0, {
      kind: 'payment_needs_decision',
      said: `the provider could not say for a day what became of ${payments(manual?.count ?? 0)}`,
      mend: 'svc operations list, then svc operations show ID',
    }),
  ];
}

function judgeMoney({ money }: Work): Alert[] {
  return [
    ...alertIf(money.unknownMoney > 0, {
      kind: 'unknown_money',
      said: `${payments(money.unknownMoney)} at the provider that Svc does not know`,
      mend: 'svc reconcile lists them; decide about each with --adopt, --release or --refund',
    }),
    ...alertIf(money.differences > 0, {
      kind: 'reconcile_difference',
      said: `differences from the provider that the hourly comparison could not settle: ${money.differences}`,
      mend: 'svc reconcile names each',
    }),
    ...alertIf(money.refusedGateways > 0, {
      kind: 'gateway_refused',
      said: `gateways whose key the provider refuses: ${money.refusedGateways}. Their merchants cannot be paid`,
      mend: 'svc gateways check names them; svc gateways change --keys gives new ones',
    }),
    ...alertIf(money.holdsWithinDay > 0, {
      kind: 'holds_end',
      said: `holds that end within a day and are not captured: ${money.holdsWithinDay}`,
      mend: 'their merchants see them on the first page of the dashboard',
    }),
  ];
}

const judgeEndpoints = ({ endpoints }: Work): Alert[] =>
  endpoints.flatMap(({ endpointId: subject, clientId, failingSeconds, pending }) => {
    const told = (kind: string, time: string): Alert => ({
      ...{ kind, subject },
      said: `endpoint ${subject} of merchant ${clientId} has failed for ${time}; deliveries that wait: ${pending}`,
      mend: 'tell the merchant; Developers, Webhooks in the dashboard shows each failure',
    });
    return [
      ...(failingSeconds > hourSeconds ? [told('endpoint_fails', 'an hour')] : []),
      ...(failingSeconds > daySeconds ? [told('endpoint_fails_for_a_day', 'a day')] : []),
    ];
  });
