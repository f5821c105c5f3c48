// What the driver throws when the database ends a connection under a statement.

const message = 'Connection terminated unexpectedly';

/** A new error as the driver throws it, with the stack of the caller. */
export const lostConnection = (): Error => new Error(message);

export const isLostConnection = (error: unknown): boolean =>
  error instanceof Error && error.message === message;
