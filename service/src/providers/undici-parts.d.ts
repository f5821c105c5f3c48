// The one class of undici 8 that the service uses, from its own file: the package's index loads
// everything, which takes 9 MB of memory. Decision 0083.

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export = Pool;
}
