// A file of the service, read with the merchant's header, which a plain link cannot send.

import { CallFailure, failureFrom, isProvenAnew, signsInFirst } from './calls.ts';

/** A file of many rows takes minutes, so the limit is for the time in which no byte comes. */
const silenceMs = 60_000;

/** How many lines have come so far. */
export type Progress = (lines: number) => void;

/** Reads the file and hands it to the browser to be kept. Throws CallFailure. */
export async function saveFile(
  path: string,
  clientId: string,
  progress: Progress,
): Promise<string> {
  const read = await readProven(path, clientId, progress);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(read.blob);
  link.download = read.name;
  link.click();
  // The browser has taken the address by then; it may still read it for a moment.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return read.name;
}

/** A large file needs a recent proof of identity: the person gives it, and the file is read once more. */
async function readProven(path: string, clientId: string, progress: Progress) {
  for (;;) {
    try {
      return await readFile(path, clientId, progress);
    } catch (failure) {
      if (!(failure instanceof CallFailure && (await isProvenAnew(failure)))) throw failure;
    }
  }
}

async function readFile(path: string, clientId: string, progress: Progress) {
  const silence = new AbortController();
  const startSilenceTimer = () => setTimeout(() => silence.abort(), silenceMs);
  let limit = startSilenceTimer();
  try {
    const answer = await fetch(path, {
      headers: { 'x-svc-client': clientId },
      cache: 'no-store',
      redirect: 'error',
      signal: silence.signal,
    });
    if (!answer.ok || !answer.body) {
      const failure = failureFrom(answer, await answer.json(), true);
      signsInFirst(failure);
      throw failure;
    }
    const named = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '');
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let lines = 0;
    const reader = answer.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      clearTimeout(limit);
      limit = startSilenceTimer();
      parts.push(value as Uint8Array<ArrayBuffer>);
      for (const byte of value) if (byte === 10) lines += 1;
      progress(lines);
    }
    const type = answer.headers.get('content-type') ?? 'text/plain';
    return { name: named?.[1] ?? 'export.csv', blob: new Blob(parts, { type }) };
  } catch (cause) {
    if (cause instanceof CallFailure) throw cause;
    const message = 'The service did not answer, or stopped in the middle. No file was saved.';
    throw new CallFailure(0, { code: 'not_answered', message });
  } finally {
    clearTimeout(limit);
  }
}
