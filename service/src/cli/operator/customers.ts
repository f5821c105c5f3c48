import { forgottenTables } from '../../domain/people/forgotten-tables.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import {
  type ForgottenCustomer,
  forgetCustomer,
  listToDelete,
  previewForgetting,
} from '../../engine/runs/customers/forget-customer.ts';
import { recordOperatorChange } from '../../engine/steps/audit-log/record-without-request.ts';
import type { Surroundings } from '../line/command.ts';
import { UsageError } from '../line/flags.ts';
import { table } from '../line/report.ts';
import { type FlagReader, operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc customers: erase what is stored of a merchant's customer

  svc customers forget --client ID --customer ID
                  counts, by table, what would be blanked or deleted; changes nothing
  svc customers forget --client ID --customer ID --yes
                  does it, for good: removes the saved cards, and blanks name, email, metadata and card
                  details wherever they are stored. For a customer who was forgotten before: erases
                  what people have written since, as notes and metadata of refunds

Ids, amounts, currencies, countries and times stay, and so do the ledgers of closed months. Who has an open
session, a hold, a payment that is not settled, a running subscription or an open dispute is not forgotten:
the command says what is open, and exits with 1. Sessions that nobody vouched for end instead. Other customers
of the same address are named: forget those who are the same person too. What stays in backups and at the
provider, and how to delete it there: docs/operating/erasure.md. It needs the settings of the service.

  --client ID     the merchant, see svc clients list
  --customer ID   the customer's id: the userId of sessions and payments
  --yes           erases; without it nothing is changed
  --database URL  the database; overrides DATABASE_URL
  --data DIR      the data folder of npm start (default .svc); overrides environment variables
`;

const flags = ['client', 'customer'] as const;
const switches = ['yes'] as const;
type Text = FlagReader<(typeof flags)[number] | (typeof switches)[number]>;

export const customersCommand = operatorCommand<(typeof flags)[number] | (typeof switches)[number]>(
  {
    name: 'customers',
    summary: 'erase the personal data of a customer',
    help,
    flags,
    switches,
    verbs: { forget },
  },
);

function readId(text: Text, flag: (typeof flags)[number]): string {
  const id = text(flag);
  if (id === undefined) throw new UsageError(`--${flag} is missing`);
  if (!uuidPattern.test(id)) throw new UsageError(`--${flag} is no id: ${id}`);
  return id.toLowerCase();
}

/** Tables in the order of their words; one that has none comes last. */
function linesOf(blanked: Readonly<Record<string, number>>): string[][] {
  const known = Object.keys(forgottenTables).filter((name) => name in blanked);
  const names = new Set([...known, ...Object.keys(blanked)]);
  return [...names].map((name) => [name, String(blanked[name]), forgottenTables[name]?.told ?? '']);
}

function tellOthers(others: ForgottenCustomer['others'], around: Surroundings): void {
  for (const { id, externalId } of others) {
    const own = externalId === null ? '' : `, yours: ${externalId}`;
    around.out.write(`same address, not forgotten with this one: customer ${id}${own}\n`);
  }
}

function forget(text: Text, around: Surroundings): VerbWork {
  const wanted = { clientId: readId(text, 'client'), userId: readId(text, 'customer') };
  const isMeant = text('yes') !== undefined;
  return async (ports) => {
    const counted = await previewForgetting(wanted, ports);
    if (counted.kind === 'missing') {
      around.err.write('svc customers: this merchant has no customer of that id\n');
      return 1;
    }
    if (counted.kind === 'before' && Object.keys(counted.blanked).length === 0) {
      around.out.write('forgotten before, and nothing was written down since: nothing to do\n');
      return 0;
    }
    if (counted.kind === 'unfinished') {
      const lines = counted.unfinished.map(({ kind, id, state }) => [kind, id, state]);
      around.out.write(table([['open', 'id', 'state'], ...lines]));
      around.err.write('svc customers: not forgotten: end these first, or wait for their end\n');
      return 1;
    }
    const cards = await listToDelete(wanted, ports);
    around.out.write(table([['table', 'rows', 'what happens'], ...linesOf(counted.blanked)]));
    if (cards.methods > 0) around.out.write(`saved cards to remove: ${cards.methods}\n`);
    for (const id of cards.providerCustomers) {
      around.out.write(`delete at the provider yourself: customer ${id}\n`);
    }
    if (counted.kind === 'forgotten') tellOthers(counted.others, around);
    if (!isMeant) {
      around.out.write('nothing was changed; add --yes to forget the customer\n');
      return 0;
    }
    try {
      await forgetCustomer(
        {
          ...wanted,
          request: null,
          record: (tx, blanked) =>
            recordOperatorChange(
              tx,
              {
                action: 'customer.forgotten',
                resourceType: 'customer',
                resourceId: wanted.userId,
                clientId: wanted.clientId,
                after: blanked,
              },
              ports,
            ),
        },
        ports,
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      around.err.write(`svc customers: not forgotten: ${error.code}: ${error.message}\n`);
      return 1;
    }
    around.out.write(`customer ${wanted.userId} is forgotten\n`);
    return 0;
  };
}
