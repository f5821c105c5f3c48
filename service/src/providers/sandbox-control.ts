// Calls the controls of the sandbox that stands in for the providers: JSON without credentials, only on
// loopback. Contract §13.

import type { SandboxControl } from '../engine/ports.ts';

/** The sandbox tells the new time to its listeners, ten seconds each, before it answers. */
const timeoutMs = 30_000;

export const openSandboxControl = (url: string): SandboxControl => ({
  async call(method, path, body) {
    try {
      const response = await fetch(`${url}/_control${path}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    } catch {
      return null;
    }
  },
});
