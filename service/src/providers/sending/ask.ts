// One HTTP exchange with a provider or the vault: a request on a pooled socket and its whole answer.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export type Received = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/**
 * One request and its whole answer. The timeout is the call's, over its wait for a socket, head and
 * body together: a body that drips may not outlast it.
 */
export const ask = (
  pool: Dispatcher,
  asked: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | undefined;
    let cut: Error | undefined;
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      cut = new Error('no answer in time');
      request?.abort(cut);
      reject(cut);
    }, timeoutMs);
    pool.dispatch(asked, {
      onRequestStart(controller) {
        request = controller;
        // Its time was over before it had a socket: nothing is sent.
        if (cut) controller.abort(cut);
      },
      onResponseStart(_, statusCode, received) {
        status = statusCode;
        headers = received;
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        clearTimeout(timer);
        const [first] = chunks;
        const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
        resolve({ status, headers, text: bytes.toString() });
      },
      onResponseError(_, error) {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
