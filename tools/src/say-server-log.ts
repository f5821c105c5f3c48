// Loaded before each test file (vitest.config.ts): a test that fails brings what the servers said while it
// ran. The reporter failures.ts prints it.
import { beforeEach } from 'vitest';
import { followLog } from './server-log.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a test that failed: the last lines of the servers, oldest first. */
    serverLog?: string[];
  }
}

beforeEach(({ task, onTestFailed }) => {
  const said = followLog();
  onTestFailed(() => {
    task.meta.serverLog = said();
  });
});
