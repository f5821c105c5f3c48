// Loaded before anything else (`--import`): Node's modules get the changes of `PLANTED_CHANGES`.

import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { plantInto } from './changes.ts';

const decoder = new TextDecoder();

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith('file:')) return loaded;
    const text = () =>
      typeof loaded.source === 'string'
        ? loaded.source
        : decoder.decode(loaded.source ?? undefined);
    const source = plantInto(fileURLToPath(url), text);
    return source === undefined ? loaded : { ...loaded, source };
  },
});
