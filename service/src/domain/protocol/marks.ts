// The marks that the service writes onto everything that it makes at a provider: which call of which
// merchant made it, in which installation. Pure.

/** The merchant's call. */
export type Marks = {
  readonly paymentId: string;
  readonly sessionId: string | null;
};

/** Who made an object; null where the object does not say. */
export type Maker = {
  readonly installationId: string | null;
  readonly merchantId: string | null;
};

/** The installations that have written the database. docs/decisions/reconciliation.md. */
export type Installations = {
  /** All of them, the oldest first; the last one is the current one. */
  readonly all: readonly string[];
  /** The installations whose objects belong to this database: its own, and former ones that run nowhere else. */
  readonly ours: readonly string[];
  /** Former installations for which the operator has not said whether they still run elsewhere. */
  readonly undecided: readonly string[];
};

/**
 * The installation in which something began, by its id, which begins with the time: a repeated call has
 * the marks of the first one, also when the database was copied in between.
 */
export const installationOf = ({ all }: Installations, id: string): string =>
  all.findLast((one) => one <= id) ?? all[0] ?? '';

/** Who makes objects at an account. */
export type Making = { readonly clientId: string; readonly installations: Installations };

const currentOf = ({ all }: Installations): string => all.at(-1) ?? '';

/** Returns the field `making`; an empty object without installations, when an account is only checked. */
export const makingOf = ({
  clientId,
  installations,
}: {
  readonly clientId: string;
  readonly installations?: Installations;
}): { readonly making?: Making } => (installations ? { making: { clientId, installations } } : {});

/** Returns the name of a maker, the id of its current installation; empty without one. */
export const nameOfMaking = (making: Making | undefined): string =>
  making ? currentOf(making.installations) : '';

/**
 * The metadata of an object that is made for the row `id`; without one, of an object that belongs to no
 * row of ours. Empty where an account is only checked.
 */
export function markMetadata(making: Making | undefined, id?: string): Record<string, string> {
  if (!making) return {};
  const { clientId, installations } = making;
  const installation =
    id === undefined ? currentOf(installations) : installationOf(installations, id);
  return { installation_id: installation, merchant_id: clientId };
}

export const readMaker = (
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): Maker => ({
  installationId: textOrNull(metadata?.installation_id),
  merchantId: textOrNull(metadata?.merchant_id),
});

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * `ours`: this installation made it, or it does not say who. `undecided`: a former one made it that may go on
 * elsewhere. `elsewhere`: another installation made it.
 */
export function judgeMaker(
  { installationId }: Pick<Maker, 'installationId'>,
  { ours, undecided }: Installations,
): 'ours' | 'undecided' | 'elsewhere' {
  if (installationId === null || ours.includes(installationId)) return 'ours';
  return undecided.includes(installationId) ? 'undecided' : 'elsewhere';
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads marks; null unless both ids have the form of ours, because other software uses other ids. */
export function readMarks(said: {
  readonly paymentId: unknown;
  readonly operationId: unknown;
  readonly sessionId?: unknown;
}): Marks | null {
  const { paymentId, operationId, sessionId } = said;
  if (typeof paymentId !== 'string' || !uuid.test(paymentId)) return null;
  if (typeof operationId !== 'string' || !uuid.test(operationId)) return null;
  const isSession = typeof sessionId === 'string' && uuid.test(sessionId);
  return { paymentId, sessionId: isSession ? sessionId : null };
}
