import { drivenStates, openStates } from '../../domain/payments/operation.ts';

const isIn = (table: string, states: readonly string[]): string =>
  `${table}.state in (${states.map((state) => `'${state}'`).join(', ')})`;

/**
 * The condition that an operation is not finished, word for word as the partial indexes have it: the
 * planner takes no index whose condition it cannot find in the statement.
 */
export const isOpen = (table = 'o'): string => isIn(table, openStates);

/** The same for what recovery drives on by itself, of operations and of set-ups. */
export const isDriven = (table = 'c'): string => isIn(table, drivenStates);
