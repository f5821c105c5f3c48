import { variable } from '@svc/tools/test-database/cluster';
import { openFixture } from '@svc/tools/test-database/fixture';

/** Starts a server for a whole run, or uses that of the test run to which this process belongs. */
export async function openCluster(): Promise<{ stop(): Promise<void> }> {
  if (process.env[variable]) return { stop: async () => undefined };
  const { stop, ...address } = await openFixture();
  process.env[variable] = JSON.stringify(address);
  return {
    stop: async () => {
      delete process.env[variable];
      await stop();
    },
  };
}
