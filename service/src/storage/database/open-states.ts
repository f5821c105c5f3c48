import { drivenStates, openStates } from '../../domain/payments/operation.ts';

const isInStates = (table: string, states: readonly string[]): string =>
  `${table}.state in (${states.map((state) => `'${state}'`).join(', ')})`;

/**
 * The condition that an operation is not finished, in exactly the words of the partial indexes: the
 * planner uses no index whose condition it cannot find in the statement.
 */
export const isOpen = (table = 'o'): string => isInStates(table, openStates);

/** The same for the states that recovery continues by itself, of operations and of set-ups. */
export const recoverableSql = (table = 'c'): string => isInStates(table, drivenStates);

/** The condition that a subscription began here: in a former installation that goes on, it is renewed there. */
export const isRenewedHere = (table: string): string =>
  `not exists (select from installations i where i.status in ('undecided', 'elsewhere')
     and i.ended_at > ${table}.created_at)`;
