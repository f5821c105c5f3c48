// The bench's own processes, as the starter of processes names them: relative to the project.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '@svc/tools/start/options';

const entryPath = (url: URL): string => relative(root, fileURLToPath(url));

export const entries = {
  stubProvider: entryPath(new URL('./stub-provider.ts', import.meta.url)),
  bareServer: entryPath(new URL('./bare-server.ts', import.meta.url)),
  uncheckedRead: entryPath(new URL('./unchecked-read.ts', import.meta.url)),
};
