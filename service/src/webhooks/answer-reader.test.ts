import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerReader, BadAnswer, maxAnswerBytes } from './answer-reader.ts';

/**
 * Pushes the text in pieces that end at these positions; returns what the reader has when it is
 * done.
 */
function readAnswer(text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text, 'latin1');
  const reader = new AnswerReader();
  const shared = Buffer.alloc(bytes.length);
  let isWhole = false;
  const ends = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])];
  let from = 0;
  for (const end of ends.toSorted((a, b) => a - b)) {
    if (isWhole) break;
    // Reuses one buffer, as a socket does.
    const piece = shared.subarray(0, bytes.copy(shared, 0, from, end));
    isWhole = reader.push(piece);
    from = end;
  }
  const { status, retryAfter, date, canStay, keptForMs, body } = reader;
  return { isWhole, status, retryAfter, date, canStay, keptForMs, body: body.toString('latin1') };
}

const headOf = (...lines: string[]) => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;

const whole: [name: string, text: string, body: string][] = [
  ['a length', `${headOf('Content-Length: 5')}hello`, 'hello'],
  ['no length at all', `${headOf('content-length:0')}`, ''],
  ['204', 'HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n', ''],
  ['204 with a length', 'HTTP/1.1 204 \r\nContent-Length: 7\r\n\r\n', ''],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', 'ok'],
  [
    'chunks',
    `${headOf('Transfer-Encoding: chunked')}5\r\nhello\r\n1;a=b\r\n!\r\n0\r\n\r\n`,
    'hello!',
  ],
  [
    'CHUNKS and a trailer',
    `${headOf('TRANSFER-ENCODING: Chunked')}A\r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
    '0123456789',
  ],
  [
    'an interim answer first',
    `HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${headOf('Content-Length: 1')}k`,
    'k',
  ],
];

describe('an answer', () => {
  it.each(whole)('%s: read whole, and the connection can stay', (_, text, body) => {
    expect(readAnswer(text)).toMatchObject({ isWhole: true, canStay: true, body });
  });

  it('is the same wherever its pieces end', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...whole),
        fc.array(fc.nat(160), { maxLength: 12 }),
        ([, text], cuts) => {
          expect(readAnswer(text, cuts)).toEqual(readAnswer(text));
        },
      ),
    );
  });

  it('byte by byte too', () => {
    for (const [, text] of whole) {
      expect(
        readAnswer(
          text,
          [...text].map((_, at) => at + 1),
        ),
      ).toEqual(readAnswer(text));
    }
  });

  it('tells what a pause is measured by, and how long the receiver waits', () => {
    const text = headOf(
      'Retry-After:  7 ',
      'DATE: Mon',
      'Keep-Alive: timeout=5, max=9',
      'Content-Length: 0',
      'Retry-After: 8',
    );
    expect(readAnswer(text)).toMatchObject({ retryAfter: '7', date: 'Mon', keptForMs: 5000 });
  });

  it.each([
    ['Connection: close', headOf('Connection: close', 'Content-Length: 0')],
    ['among others', headOf('Connection: x, Close', 'Content-Length: 0')],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['more bytes than the length', `${headOf('Content-Length: 2')}okHTTP/1.1 200 OK\r\n`],
    ['bytes after the last chunk', `${headOf('Transfer-Encoding: chunked')}0\r\n\r\nmore`],
    ['bytes after 204', 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200'],
    ['a chunk that is none', `${headOf('Transfer-Encoding: chunked')}zz\r\nok\r\n`],
    ['a chunk longer than it says', `${headOf('Transfer-Encoding: chunked')}1\r\nok\r\n0\r\n\r\n`],
    ['a size line without end', `${headOf('Transfer-Encoding: chunked')}${'1'.repeat(2000)}`],
    [
      'trailers without end',
      `${headOf('Transfer-Encoding: chunked')}0\r\n${'a: b\r\n'.repeat(200)}`,
    ],
    [
      'a body beyond what is kept',
      `${headOf('Content-Length: 99999')}${'x'.repeat(maxAnswerBytes)}`,
    ],
  ])('%s: its status counts, and the connection does not stay', (_, text) => {
    expect(readAnswer(text)).toMatchObject({ isWhole: true, canStay: false });
    expect(readAnswer(text).status).toBeGreaterThan(0);
  });

  it.each([
    ['no length', headOf()],
    ['another coding', headOf('Transfer-Encoding: gzip, chunked')],
  ])('%s: lasts until the connection ends', (_, text) => {
    expect(readAnswer(`${text}some`)).toMatchObject({
      isWhole: false,
      canStay: false,
      body: 'some',
    });
  });

  it.each([
    ['another protocol', '220 mail.example ESMTP\r\n'],
    ['its first letters', 'HTTQ'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['no status', 'HTTP/1.1 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 No\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'],
    ['a line that only a line feed ends', headOf('A: b\nContent-Length: 0')],
    ['a lone carriage return', headOf('A: b\rc')],
    ['a null', headOf('A: b\0c')],
    ['a line without a colon', headOf('nothing')],
    ['a name with a blank', headOf('Content-Length : 3')],
    ['a folded line', headOf('A: b', ' c')],
    ['two lengths', headOf('Content-Length: 3', 'Content-Length: 4')],
    ['the same length twice', headOf('Content-Length: 3', 'Content-Length: 3')],
    ['a length of letters', headOf('Content-Length: 0x3')],
    ['a negative length', headOf('Content-Length: -1')],
    ['a length and chunks', headOf('Content-Length: 3', 'Transfer-Encoding: chunked')],
    ['a head without end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(maxAnswerBytes)}`],
    ['interim answers without end', 'HTTP/1.1 100\r\n\r\n'.repeat(2000)],
    ['a head too large', `${headOf(`X: ${'x'.repeat(maxAnswerBytes)}`)}`],
  ])('%s: no answer', (_, text) => {
    expect(() => readAnswer(text)).toThrow(BadAnswer);
  });

  it('whatever comes, in whatever pieces: read, refused or waited for, and bounded', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'HTTP/1.1 200 OK\r\n',
        '\r\n',
        'Content-Length: 3\r\n',
        '0\r\n',
        '5\r\n',
        'abc',
      ),
      fc.constantFrom('Transfer-Encoding: chunked\r\n', 'HTTP/1.1 100 C\r\n\r\n', '\n', ': '),
      fc.string({ maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(300)), (pieces, cuts) => {
        try {
          const { body } = readAnswer(pieces.join(''), cuts);
          expect(body.length).toBeLessThanOrEqual(maxAnswerBytes);
        } catch (error) {
          expect(error).toBeInstanceOf(BadAnswer);
        }
      }),
    );
  });
});
