// Settings of the service in the environment of `npm start`. Limits are passed to the service, so that a
// test suite can raise them. The others follow from the folder and its ports, and a warning names those
// that are ignored. Contract §10; experience §7.

import { nearestName } from '@svc/service/domain/protocol/edit-distance';
import { settings } from '@svc/service/start/settings';

type Env = Readonly<Record<string, string | undefined>>;

const limitNames: readonly string[] = Object.values(settings)
  .map(({ name }) => name)
  .filter((name) => /^SVC_LIMIT/.test(name));

/** Set by the entry: when the start began, and the process with which it ends. */
const ours: readonly string[] = ['SVC_STARTED_AT', 'SVC_TIED_TO'];

/** Returns the given limits, and one line about other SVC_* variables, if there are any. */
export function givenSettings(env: Env): {
  readonly limits: Readonly<Record<string, string>>;
  readonly warning: string | null;
} {
  const given = Object.entries(env).filter(
    ([name]) => name.startsWith('SVC_') && !ours.includes(name),
  );
  const isLimit = ([name]: readonly [string, unknown]) => limitNames.includes(name);
  const limits = Object.fromEntries(given.filter(isLimit)) as Record<string, string>;
  const unused = given.filter((one) => !isLimit(one)).map(([name]) => explain(name));
  const warning =
    unused.length > 0
      ? `npm start does not use ${unused.join(', ')}: of the service’s settings it takes SVC_LIMITS and SVC_LIMIT_* alone`
      : null;
  return { limits, warning };
}

function explain(name: string): string {
  const isMeantAsLimit = name.startsWith('SVC_LIM');
  const nearest = isMeantAsLimit ? nearestName(name, limitNames) : undefined;
  return nearest ? `${name} (did you mean ${nearest}?)` : name;
}
