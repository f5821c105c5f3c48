import { isDatabaseTrouble } from '@svc/contract/servers/database-trouble';
import { DatabaseUnavailable } from '../storage/database/database.ts';

/** True when the database could not answer: nothing was decided, and the request may be repeated. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || isDatabaseTrouble(error);
