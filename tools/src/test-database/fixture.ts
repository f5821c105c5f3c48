import { build } from '../start/build.ts';
import { startCluster } from './cluster.ts';

/** Starts the server and builds card form and pages, which any test or proof may need first. */
export async function openFixture(): ReturnType<typeof startCluster> {
  const [cluster] = await Promise.all([startCluster(), build()]);
  return cluster;
}
