// Loaded before anything else (`--import`): applies the changes of `PLANTED_CHANGES` to Node's
// modules.

import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { plantFaultIn } from './changes.ts';

const decoder = new TextDecoder();

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith('file:')) return loaded;
    const sourceText = () =>
      typeof loaded.source === 'string'
        ? loaded.source
        : decoder.decode(loaded.source ?? undefined);
    const source = plantFaultIn(fileURLToPath(url), sourceText);
    return source === undefined ? loaded : { ...loaded, source };
  },
});
