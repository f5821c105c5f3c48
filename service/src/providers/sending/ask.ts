// One HTTP exchange with a provider or the vault: a request on a pooled socket and its whole response.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export type ReceivedAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

/**
 * Sends one request and reads its whole response. The timeout covers the wait for a socket, the
 * head and the body together: a slow body cannot exceed it.
 */
export const sendAndRead = (
  pool: Dispatcher,
  asked: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<ReceivedAnswer> =>
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
        // The timeout passed before the request had a socket: nothing is sent.
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
