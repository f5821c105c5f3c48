// Recognises errors of PostgreSQL and its driver that mean that the database could not answer: nothing is
// wrong with the request, and it may be repeated. Shared by service and vault. Contract §1.

// 08 connection, 53 out of resources, 57P shutdown; 57014 statement timeout, 55P03 lock timeout, 25P03 idle
// in transaction, 40001 and 40P01 serialisation and deadlock; 28 and 3D000: the role or database is not
// accepted; 25006 read only, as on a standby; 58030 disk failure.
const states = /^(08...|53...|57P..|57014|55P03|25P03|25006|58030|40001|40P01|28...|3D000)$/;
const systemCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);
// Messages of driver errors that have no code: a socket broke, could not be opened in time, or sent
// nothing.
const driverWords =
  /^(Connection terminated|timeout expired|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** True when the database could not answer. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (code === undefined) return driverWords.test(error.message);
  if (typeof code !== 'string') return false;
  return states.test(code) || systemCodes.has(code) || (code === 'ENOENT' && syscall === 'connect');
}
