// The API versions that a call may name. Since `basil` the objects that the sandbox serves have one shape;
// what a later version removed is refused from that version on.
import { ApiError } from './errors.ts';

export const pinnedVersion = '2026-10-28.endive';

const known: ReadonlySet<string> = new Set([
  '2025-03-31.basil',
  '2025-04-30.basil',
  '2025-05-28.basil',
  '2025-06-30.basil',
  '2025-07-30.basil',
  '2025-08-27.basil',
  '2025-09-30.clover',
  '2025-10-29.clover',
  '2025-11-17.clover',
  '2025-12-15.clover',
  '2026-01-28.clover',
  '2026-02-25.clover',
  '2026-03-25.dahlia',
  '2026-04-22.dahlia',
  '2026-05-27.dahlia',
  '2026-06-24.dahlia',
  '2026-07-29.dahlia',
  '2026-08-26.dahlia',
  '2026-09-30.endive',
  pinnedVersion,
]);

const refuse = (message: string) => new ApiError(400, { type: 'invalid_request_error', message });

/**
 * Reads `Stripe-Version`; throws 400 for a version that the provider, or the sandbox, does not have. Older ones are
 * taken where `takesOlder`, with the pinned one's shapes.
 */
export const readVersion = (header: unknown, takesOlder = false): string => {
  if (typeof header !== 'string' || header === '') return pinnedVersion;
  if (known.has(header)) return header;
  if (/^20(1\d|2[0-4])-\d\d-\d\d(\.acacia)?$|^2025-0[12]-\d\d\.acacia$/.test(header)) {
    if (takesOlder) return header;
    throw refuse(
      `The sandbox does not have the API version ${header}: its oldest is 2025-03-31.basil.`,
    );
  }
  throw refuse(`Invalid Stripe API version: ${header}`);
};

/** The first version that no longer has the parameter. */
export const endOfMethodTypes = '2026-09-30.endive';

/** Returns whether the version is that one or a later one. */
export const isSinceVersion = (version: string, first: string): boolean =>
  version.slice(0, 10) >= first.slice(0, 10);
