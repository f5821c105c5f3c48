import { uuidPattern } from '../../domain/protocol/uuid.ts';
import {
  type ShownColumn,
  type ShownKind,
  type ShownPart,
  shownKinds,
  showThing,
} from '../../engine/runs/operator/show-thing.ts';
import { parseEventId } from '../../engine/steps/events/event-id.ts';
import type { Surroundings } from '../line/command.ts';
import { UsageError } from '../line/flags.ts';
import { operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc show: everything that the database stores about one object, in plain text

  svc show payment ID    with its session, operations, refunds, chargebacks and events
  svc show operation ID  with each call to the provider, the stored answer and its payment
  svc show event ID      with its payload, its deliveries and their responses
  svc show session ID    with its payments, attempts and events

Compressed values are shown as text. The output contains buyers' addresses and names: give it only to
people who may see them. Exits with 1 when there is no such object. It needs the settings of the
service.

  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

export const showCommand = operatorCommand({
  name: 'show',
  summary: 'show a payment, operation, event or session with all its rows',
  help,
  flags: [],
  verbs: Object.fromEntries(
    shownKinds.map((kind) => [kind, (_typed, around, word) => show(kind, word, around)]),
  ),
  takesWord: shownKinds,
});

function show(kind: ShownKind, word: string, { out, err }: Surroundings): VerbWork {
  if (word === '') throw new UsageError(`the id of the ${kind} is missing: svc show ${kind} ID`);
  const id = kind === 'event' ? (parseEventId(word) ?? word) : word;
  if (!uuidPattern.test(id)) {
    const form = kind === 'event' ? 'evt_ and 32 hex digits, or a UUID' : 'a UUID';
    throw new UsageError(`the id of the ${kind} must be ${form}: ${word}`);
  }
  return async (ports) => {
    const parts = await showThing({ kind, id: id.toLowerCase() }, ports);
    if (!parts) {
      err.write(`svc show: there is no ${kind} with the id ${word}\n`);
      return 1;
    }
    out.write(parts.map(describe).join('\n'));
    return 0;
  };
}

/** Writes a title, then a line for each column; further lines of a value are indented below its first. */
function describe({ title, columns }: ShownPart): string {
  const width = Math.max(0, ...columns.map(({ name }) => name.length));
  return `${title}\n${columns.map((column) => formatLine(column, width)).join('')}`;
}

// A buyer's text may contain control characters, which a terminal would execute.
const formatLine = ({ name, value }: ShownColumn, width: number): string => {
  const [first = '', ...more] = value.replace(/[^\P{Cc}\n]/gu, ' ').split('\n');
  const rest = more.map((text) => `  ${' '.repeat(width)}  ${text}\n`).join('');
  return `  ${name.padEnd(width)}  ${first}\n${rest}`;
};
