// Loaded before each test file of the project `quick` (vitest.config.ts): a test that opens a server or
// starts a process fails by name, even when its imports do not reveal that.
import { ChildProcess } from 'node:child_process';
import { Server } from 'node:net';

const refuse = (what: string) => (): never => {
  throw new Error(
    `A test of the project "quick" ${what}. It belongs to the gate: import what it stands on ` +
      '(tools/src/quick-tests.ts decides by the imports of the test and of its fixtures).',
  );
};

Server.prototype.listen = refuse('opened a server');
Object.assign(ChildProcess.prototype, { spawn: refuse('started a process') });
