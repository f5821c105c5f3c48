#!/usr/bin/env node
// The command `svc` of the package @svc/cli, which libraries/cli/build.ts makes of this file: no
// database, no settings of the service.

import { runPackedCommand } from './cli/run-packed.ts';
import { runProcess } from './command-process.ts';

const args = process.argv.slice(2);
await runProcess(args, (around) => runPackedCommand(args, around));
