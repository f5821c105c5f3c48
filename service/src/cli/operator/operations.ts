import { isOneLine, oneLine } from '@svc/contract/servers/plain-text';
import { countCharacters } from '@svc/contract/values/characters';
import { toMajor } from '../../domain/money/money.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import {
  findGoingOn,
  findOperations,
  type ManualResolution,
  type OpenOperationCount,
  type Refusal,
  type SettleReport,
  settleStuckOperation,
} from '../../engine/runs/operator/settle-operation.ts';
import type { Surroundings } from '../line/command.ts';
import { UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { type FlagReader, operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc operations: captures, cancels, refunds and attempts that could not be settled

  svc operations list [--state STATE]
                  those that wait for a person, the oldest first; or all that are active, in_doubt,
                  awaiting_customer or manual
  svc operations settle ID
                  asks the provider once more, and settles by its response
  svc operations settle ID --outcome succeeded|failed --reason TEXT [--provider-id ID]
                  the same; where the provider cannot tell, settles by your outcome

Look the operation up at the provider before you give an outcome: payments and events follow it, and it
is recorded in the audit log. The provider's own state takes precedence, and an operation on which the
provider still works cannot be ended. Exits with 1 when the operation is not settled or your outcome
was refused. It needs the settings of the service.

  --outcome WORD    what happened at the provider: succeeded or failed
  --reason TEXT     how you know the outcome, 1 to 500 characters; kept in the audit log
  --provider-id ID  the provider's id of the intent or refund, if the service has none
  --database URL    the database; overrides DATABASE_URL
  --data DIR        the data folder of npm start (default .svc); overrides environment variables
`;

const flags = ['state', 'outcome', 'reason', 'provider-id'] as const;
const states = ['active', 'in_doubt', 'awaiting_customer', 'manual'] as const;

type Flag = (typeof flags)[number];
type Text = FlagReader<Flag>;

export const operationsCommand = operatorCommand({
  name: 'operations',
  summary: 'list operations without a known outcome, and settle them',
  help,
  flags,
  verbs: { list, settle },
  takesWord: ['settle'],
});

function list(text: Text, { out }: Surroundings): VerbWork {
  refuseOtherFlags('settle', text, ['outcome', 'reason', 'provider-id']);
  const given = text('state');
  const state = states.find((one) => one === given);
  if (given !== undefined && !state) {
    throw new UsageError(`--state is ${states.join(', ')}: ${given}`);
  }
  return async (ports) => {
    const lines = (await findOperations(state ?? null, ports)).map((one) => [
      one.id,
      one.kind,
      one.state,
      `${toMajor(one.amountMinor, one.currency)} ${one.currency}`,
      one.paymentId,
      `${one.provider} ${one.providerIntentId ?? 'no id'}`,
      one.firstSentAt.toISOString(),
      String(one.checks),
      one.lastErrorCode ?? '-',
      `${one.clientId} (${oneLine(one.clientName)})`,
    ]);
    const titles = ['operation', 'kind', 'state', 'amount', 'payment', 'provider', 'first sent'];
    out.write(table([[...titles, 'asked', 'last answer', 'client'], ...lines]));
    if (given === undefined) for (const one of await findGoingOn(ports)) out.write(describe(one));
    return 0;
  };
}

const going: Readonly<Record<string, string>> = {
  active: 'being worked on',
  in_doubt: 'in doubt, and asked about again',
  awaiting_customer: 'waiting for their buyers',
};

/**
 * Names the operations that the service still works on, because a person who sees nothing waiting
 * may still miss a payment.
 */
const describe = ({ state, count, nextCheckAt }: OpenOperationCount): string =>
  `also ${going[state] ?? state}: ${count}, the first due at ${nextCheckAt.toISOString()}: ` +
  `--state ${state}\n`;

function refuseOtherFlags(verb: string, text: Text, names: readonly Flag[]): void {
  const given = names.find((name) => text(name) !== undefined);
  if (given) throw new UsageError(`--${given} belongs to svc operations ${verb}`);
}

function settle(text: Text, around: Surroundings, id: string): VerbWork {
  if (!uuidPattern.test(id)) {
    const what = id === '' ? 'is missing' : `is none: ${id}`;
    throw new UsageError(`the id of the operation ${what}, see svc operations list`);
  }
  refuseOtherFlags('list', text, ['state']);
  const word = readResolution(text);
  return async (ports) => print(await settleStuckOperation({ id, word }, ports), id, around);
}

/** Returns the operator's decision; null means that only the provider is asked. */
function readResolution(text: Text): ManualResolution | null {
  const outcome = text('outcome');
  const reason = text('reason')?.trim();
  const providerId = text('provider-id') ?? null;
  if (outcome === undefined) {
    refuseOtherFlags('settle with --outcome', text, ['reason', 'provider-id']);
    return null;
  }
  if (outcome !== 'succeeded' && outcome !== 'failed') {
    throw new UsageError(`--outcome is succeeded or failed: ${outcome}`);
  }
  if (!reason || countCharacters(reason) > 500 || !isOneLine(reason)) {
    throw new UsageError(
      '--reason is missing: state how you know the outcome, in 1 to 500 characters',
    );
  }
  if (providerId !== null && !/^[\w-]{1,255}$/.test(providerId)) {
    throw new UsageError(`--provider-id is no id of a provider: ${providerId}`);
  }
  return { outcome, reason, providerId };
}

const reasons: Readonly<Record<Refusal, string>> = {
  operation_not_found: 'there is no such operation, see svc operations list',
  operation_not_manual: 'it does not wait for a person: the service asks by itself',
  operation_taken_over: 'a worker or somebody else is asking the provider right now; look again',
  provider_says_otherwise: 'your word is against what the provider shows, which counts',
  still_open_at_provider: 'the provider has it and has not ended it: the money may still move',
  provider_id_differs: 'we know another id of it at the provider',
  provider_id_missing: 'a success needs --provider-id: we do not know its id at the provider',
  just_asked: 'it was asked for within two minutes, and may still happen; wait, then say it again',
  provider_unreadable: 'this is taken only beside what the provider shows, and it cannot be read',
  provider_id_taken: 'that id is of another refund of ours',
  outcome_not_possible: 'a hold that ran out cannot have failed to end',
};

function print(settled: SettleReport, id: string, at: Surroundings) {
  const { said, refusal, operation, paymentStatus, nextCheckAt } = settled;
  const lines: [string, string][] = [];
  if (operation) lines.push(['operation', `${operation.kind} ${id}`]);
  if (said) lines.push(['provider', said.words]);
  if (operation) {
    const by = said && isFinal(operation.state) ? ` by the ${said.by}'s word` : '';
    lines.push(['state', `${operation.state}${by}`]);
    lines.push(['payment', `${operation.paymentId} ${paymentStatus ?? ''}`.trim()]);
    const { checks, lastErrorCode } = operation;
    if (nextCheckAt) {
      lines.push(['asked', `${checks} times, last answer ${lastErrorCode ?? 'none'}`]);
      lines.push(['next look', nextCheckAt.toISOString()]);
    }
  }
  at.out.write(table(lines));
  if (refusal) at.err.write(`svc operations: ${refusal}: ${reasons[refusal]}\n`);
  return refusal || !operation || !isFinal(operation.state) ? 1 : 0;
}

const isFinal = (state: string): boolean => state === 'succeeded' || state === 'failed';
