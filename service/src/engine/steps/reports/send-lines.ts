import type { SendText } from '@svc/contract/rows/row';

/** Characters of one piece. Lines may be long: other requests are served between two pieces. */
const pieceLength = 65_536;

/** Sends the lines of rows in pieces of a bounded length. */
export async function sendLines<Row>(
  send: SendText,
  rows: readonly Row[],
  lineOf: (row: Row) => string,
): Promise<void> {
  let piece = '';
  for (const row of rows) {
    piece += lineOf(row);
    if (piece.length < pieceLength) continue;
    await send(piece);
    await new Promise((resolve) => setImmediate(resolve));
    piece = '';
  }
  if (piece !== '') await send(piece);
}

/** Sends a text in pieces of the same length: a slow reader has to take one of them within the patience. */
export async function sendText(send: SendText, text: string): Promise<void> {
  for (let at = 0; at < text.length; at += pieceLength) {
    await send(text.slice(at, at + pieceLength));
  }
}
