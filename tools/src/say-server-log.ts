// Loaded before each test file (vitest.config.ts): a failed test carries the servers' log lines of its
// time, which the reporter failures.ts prints.
import { beforeEach } from 'vitest';
import { followLog } from './server-log.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** For a failed test: the servers' last log lines, oldest first. */
    serverLog?: string[];
  }
}

beforeEach(({ task, onTestFailed }) => {
  const said = followLog();
  onTestFailed(() => {
    task.meta.serverLog = said();
  });
});
