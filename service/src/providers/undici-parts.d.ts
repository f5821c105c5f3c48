// The one class of undici 8 that the service uses, from its own file: the package's index loads
// everything, which takes 9 MB of memory. docs/decisions/card-provider.md.

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export = Pool;
}
