import { build } from '../start/build.ts';
import { startCluster } from './cluster.ts';

/** The server, and beside it card form and pages built, which any test or proof may be the first to open. */
export async function openGround(): ReturnType<typeof startCluster> {
  const [cluster] = await Promise.all([startCluster(), build()]);
  return cluster;
}
