#!/usr/bin/env node
// The command `svc` of the package @svc/cli, which libraries/cli/build.ts builds from this file:
// without a database or the service's settings.

import { runPackedCommand } from './cli/run-packed.ts';
import { runProcess } from './start/command-process.ts';

const args = process.argv.slice(2);
await runProcess(args, (around) => runPackedCommand(args, around));
