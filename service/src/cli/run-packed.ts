// The commands that need no database, for the package @svc/cli.

import type { Surroundings } from './line/command.ts';
import { merchantCommands } from './merchant-commands.ts';
import { operatorNames } from './operator-names.ts';
import { type Program, runLine } from './run-line.ts';

const program: Program<Surroundings> = {
  about: "a merchant's commands for a Svc service",
  commands: merchantCommands,
  footer: `svc <command> --help says more, svc --version prints the version. The service is named by
SVC_API_URL, SVC_CLIENT_ID and SVC_API_TOKEN, or by --api, --client-id and --api-token; without them it
is the one that npm start runs in this folder or in --data DIR.

These need the service's own database or keys, and run where it is installed (npm run -s svc -- …):
${operatorNames.join(', ')}.
`,
  elsewhere: {
    names: operatorNames,
    describe: (name) =>
      `${name} needs the service's own database or keys: run it where the service is installed, ` +
      `npm run -s svc -- ${name}`,
  },
};

/** Runs a command line. Returns its exit code: 0 all is well, 1 something was found, 2 it could not run. */
export const runPackedCommand = (
  args: readonly string[],
  given: Omit<Surroundings, 'tokens' | 'describeError'>,
): Promise<number> =>
  runLine(args, { ...given, tokens: null, describeError: () => undefined }, program);
