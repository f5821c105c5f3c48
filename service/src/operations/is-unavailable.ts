import { DatabaseUnavailable } from '../storage/database.ts';

// 08 connection, 53 out of resources, 57P shutdown; 57014 statement timeout, 55P03 lock timeout,
// 25P03 idle in transaction, 40001 and 40P01 serialisation and deadlock; 28 and 3D000: this role or
// database is not let in; 25006 read only, as a standby is; 58030 its disk fails.
const states = /^(08...|53...|57P..|57014|55P03|25P03|25006|58030|40001|40P01|28...|3D000)$/;
const systemCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);
// What the driver says, without a code, when a socket dies, cannot be opened in time or stays silent.
const driverWords =
  /^(Connection terminated|timeout expired|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** True when the database could not answer: nothing was decided, and the request may be repeated. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return driverWords.test(error.message);
  return states.test(code) || systemCodes.has(code) || (code === 'ENOENT' && syscall === 'connect');
}
