// `svc keys`: rewraps what the configured key protects. docs/operating/keys.md.

import { rewrapKeys } from '../../engine/runs/operator/rewrap-keys.ts';
import { interrupted, type Surroundings } from '../line/command.ts';
import { operatorCommand, type Typed, type Work } from '../line/verbs.ts';

const help = `svc keys: what SVC_KEY protects

  svc keys rewrap   brings all that a former key protects under SVC_KEY, beside services at work

It needs the settings of the service, SVC_FORMER_KEYS with them; it may be repeated, and broken off. It
ends with 0 once nothing is left under another key: then the former ones may go; with 1, and a line for
each, where no key that it was given opens something.

  --database URL    instead of DATABASE_URL
  --data DIR        the data folder of a start (default .svc); wins over environment variables
`;

export const keysCommand = operatorCommand({
  name: 'keys',
  summary: 'replace the key that protects secrets',
  help,
  flags: [],
  verbs: { rewrap },
});

function rewrap(_: Typed<never>, { out, err, signal }: Surroundings): Work {
  return async (ports) => {
    const { dataKeys, ownSecrets, isComplete } = await rewrapKeys(ports, signal);
    out.write(`data keys    ${dataKeys.renewed} of ${dataKeys.found} wrapped anew\n`);
    out.write(`own secrets  ${ownSecrets.renewed} of ${ownSecrets.found} sealed anew\n`);
    const unreadable = [...dataKeys.unreadable, ...ownSecrets.unreadable];
    for (const message of unreadable) err.write(`${message}\n`);
    if (!isComplete) {
      out.write('broken off: what is under SVC_KEY by now stays so; run it again\n');
      return interrupted;
    }
    if (unreadable.length > 0) return 1;
    out.write('nothing is left under a former key\n');
    return 0;
  };
}
