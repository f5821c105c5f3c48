// Faults in the inbox's code that its merchants must find.

import type { PlantedFault } from '../planting/planted-fault.ts';

const suite = 'proof/merchant/merchants.test.ts';
const caughtBy = /end in the exact state/;
const steps = 'libraries/server/src/inbox/inbox-steps.ts';
const inbox = 'libraries/server/src/inbox/inbox.ts';
const tables = 'libraries/server/src/inbox/inbox-database.ts';
const databases = 'libraries/server/src/inbox/inbox-postgres.ts';

export const inboxFaults: readonly PlantedFault[] = [
  {
    name: 'inbox: an event that comes again is applied again',
    changes: [
      {
        file: steps,
        from: '  if (event.sequence <= last) {',
        to: "  if (event.sequence <= last) event = { ...event, id: event.id + '-' + last, sequence: last + 1 };\n  if (event.sequence <= last) {",
      },
    ],
    ...{ suite, caughtBy },
  },
  {
    name: 'inbox: a gap is not waited for',
    changes: [
      {
        file: steps,
        from: "if (event.sequence > last + 1) return { result: 'gap', last, hasFailed };",
        to: '',
      },
    ],
    ...{ suite, caughtBy },
  },
  {
    name: 'inbox: acknowledged although it was not applied',
    changes: [
      {
        file: inbox,
        from: 'void (await inbox.receive(event as unknown as AnyEvent)),',
        to: 'void (await inbox.receive(event as unknown as AnyEvent).catch(() => false)),',
      },
    ],
    ...{ suite, caughtBy },
  },
  {
    name: 'inbox: applied outside of any transaction',
    changes: [
      { file: databases, from: "query('begin')", to: "query('select 1')" },
      // The savepoint is removed too, because otherwise it would reveal the fault at once.
      { file: tables, from: "'savepoint svc_inbox'", to: "'select 1'" },
      { file: tables, from: "'release savepoint svc_inbox'", to: "'select 1'" },
    ],
    ...{ suite, caughtBy },
  },
  {
    name: 'inbox: the cursor moves on before the events are taken',
    changes: [
      {
        file: inbox,
        from: 'for (const event of data) {',
        to: 'if (data.length > 0) await database.transact(() => moveCursor(this.#name, data.at(-1)?.id ?? cursor ?? beginning));\n      for (const event of data) {',
      },
    ],
    ...{ suite, caughtBy },
  },
];
