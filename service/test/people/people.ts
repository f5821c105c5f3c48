// People for tests: signed in with a browser, and the headers of such a browser.

import type { LightMyRequestResponse } from 'fastify';
import type { Ports } from '../../src/engine/ports.ts';
import { openSignIn } from '../../src/engine/steps/people/open-sign-in.ts';
import { everyClient } from '../../src/storage/database/database.ts';
import { sql } from '../../src/storage/database/sql.ts';

export type TestSignIn = {
  readonly signInId: string;
  readonly userId: string;
  /** The value of the `Cookie` header. */
  readonly cookie: string;
};

const age = sql(
  'test_age_proof',
  `update sign_ins set proven_at = svc_clock() - $2 * interval '1 minute' where id = $1`,
);
const end = sql(
  'test_end_sign_in',
  `update sign_ins set state = 'ended', ended_at = svc_clock() where id = $1`,
);

/** A browser in which the person has signed in with a password. */
export async function aSignIn(
  ports: Ports,
  user: { readonly id: string },
  given: {
    readonly isHalf?: boolean;
    readonly provenMinutesAgo?: number;
    readonly isEnded?: boolean;
  } = {},
): Promise<TestSignIn> {
  const { cookieValue, signInId } = await ports.database.transaction(everyClient, (tx) =>
    openSignIn(
      tx,
      {
        userId: user.id,
        method: 'password',
        caller: { kind: 'anonymous', requestId: 'req_test', origin: null },
        isHalf: given.isHalf ?? false,
      },
      ports,
    ),
  );
  if (given.provenMinutesAgo) await ports.database.write(age, [signInId, given.provenMinutesAgo]);
  if (given.isEnded) await ports.database.write(end, [signInId]);
  return { signInId, userId: user.id, cookie: `svc_sign_in=${cookieValue}` };
}

/** Returns the headers of a call by our own page, for the client if one is named. */
export const fromOwnPage = (
  signIn: TestSignIn | null,
  clientId?: string,
): Readonly<Record<string, string>> => ({
  origin: 'http://localhost:4000',
  'sec-fetch-site': 'same-origin',
  ...(signIn ? { cookie: signIn.cookie } : {}),
  ...(clientId === undefined ? {} : { 'x-svc-client': clientId }),
});

/** Returns the `Set-Cookie` of a response as text. */
export const cookieSet = (response: LightMyRequestResponse): string =>
  String(response.headers['set-cookie'] ?? '');
