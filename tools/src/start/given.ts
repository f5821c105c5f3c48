// Settings of the service in the environment of `npm start`. Limits are passed to the service, so that a
// test suite can raise them; so are metrics and alerts, to be tried. The others follow from the folder and
// its ports, and a warning names those that are ignored. Contract §10.

import { nearestName } from '@svc/service/domain/protocol/edit-distance';
import { settings } from '@svc/service/start/settings';

type Env = Readonly<Record<string, string | undefined>>;

const passedNames: readonly string[] = Object.values(settings)
  .map(({ name }) => name)
  .filter((name) => /^SVC_(?:LIMIT|METRICS_|ALERT_|OPERATOR_)/.test(name));

/** Set by the entry: when the start began, and the process with which it ends. */
const ours: readonly string[] = ['SVC_STARTED_AT', 'SVC_TIED_TO'];

/** Returns the settings that are passed on, and one line about other SVC_* variables, if there are any. */
export function givenSettings(env: Env): {
  readonly passed: Readonly<Record<string, string>>;
  readonly warning: string | null;
} {
  const given = Object.entries(env).filter(
    ([name]) => name.startsWith('SVC_') && !ours.includes(name),
  );
  const isPassed = ([name]: readonly [string, unknown]) => passedNames.includes(name);
  const passed = Object.fromEntries(given.filter(isPassed)) as Record<string, string>;
  const unused = given.filter((one) => !isPassed(one)).map(([name]) => explain(name));
  const warning =
    unused.length > 0
      ? `npm start does not use ${unused.join(', ')}: of the service’s settings it takes SVC_LIMITS, SVC_LIMIT_*, SVC_METRICS_*, SVC_ALERT_* and SVC_OPERATOR_EMAIL alone`
      : null;
  return { passed, warning };
}

function explain(name: string): string {
  const isMeantAsLimit = name.startsWith('SVC_LIM');
  const nearest = isMeantAsLimit ? nearestName(name, passedNames) : undefined;
  return nearest ? `${name} (did you mean ${nearest}?)` : name;
}
