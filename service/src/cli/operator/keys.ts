// `svc keys`: rewraps what the configured key protects. docs/operating/keys.md.

import { rewrapKeys } from '../../engine/runs/operator/rewrap-keys.ts';
import { interruptedCode, type Surroundings } from '../line/command.ts';
import { type FlagReader, operatorCommand, type VerbWork } from '../line/verbs.ts';

const help = `svc keys: what SVC_KEY protects

  svc keys rewrap   encrypts with SVC_KEY what a former key protects; services may run meanwhile

It needs the settings of the service with SVC_FORMER_KEYS; it may be interrupted and repeated. It exits
with 0 when SVC_KEY protects everything: then remove the former keys. It exits with 1, and prints a
line for each value, when none of the given keys decrypts a value.

  --database URL    the database; overrides DATABASE_URL
  --data DIR        the data folder of npm start (default .svc); overrides environment variables
`;

export const keysCommand = operatorCommand({
  name: 'keys',
  summary: 'replace the key that protects secrets',
  help,
  flags: [],
  verbs: { rewrap },
});

function rewrap(_: FlagReader<never>, { out, err, signal }: Surroundings): VerbWork {
  return async (ports) => {
    const { dataKeys, ownSecrets, isComplete } = await rewrapKeys(ports, signal);
    out.write(`data keys    ${dataKeys.renewed} of ${dataKeys.found} encrypted again\n`);
    out.write(`own secrets  ${ownSecrets.renewed} of ${ownSecrets.found} encrypted again\n`);
    const unreadable = [...dataKeys.unreadable, ...ownSecrets.unreadable];
    for (const message of unreadable) err.write(`${message}\n`);
    if (!isComplete) {
      out.write('broken off: what SVC_KEY protects by now stays protected by it; run it again\n');
      return interruptedCode;
    }
    if (unreadable.length > 0) return 1;
    out.write('nothing is left under a former key\n');
    return 0;
  };
}
