// The file of a backup: a tar of `database.dump` (pg_restore reads it), `manifest.json` and `SHA256SUMS`, so that
// it can be opened without Svc too. Each sum is checked before anything is restored.

import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { CommandError } from '../../cli/line/command.ts';
import type { Counts } from '../../storage/backups/whole-database.ts';

export type Manifest = {
  readonly format: 1;
  readonly version: string;
  readonly madeAt: string;
  readonly database: string;
  /** The server's version, and that of pg_dump. */
  readonly server: string;
  readonly pgDump: string;
  readonly mode: string | null;
  readonly migrations: readonly string[];
  readonly vaultMigrations: readonly string[];
  /** Of SVC_KEY, without which sealed values do not open; null where it was not known. */
  readonly keyFingerprint: string | null;
  readonly counts: Counts;
};

export type Backup = {
  readonly manifest: Manifest;
  readonly dump: { readonly from: number; readonly size: number };
};

const block = 512;
const names = { dump: 'database.dump', manifest: 'manifest.json', sums: 'SHA256SUMS' } as const;
const padding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

/** A header of POSIX ustar; a size of 8 GiB and more in GNU's way, in base 256. */
function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(block);
  header.write(name, 0);
  header.write('0000600\0' + '0000000\0' + '0000000\0', 100);
  if (size < 8 ** 11) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  const seconds = Math.floor(Date.now() / 1000);
  header.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((a, b) => a + b, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** Writes a backup to an open file; the dump arrives as it is made. Returns the dump's size. */
export async function writeBackup(
  file: FileHandle,
  dump: AsyncIterable<Buffer>,
  manifest: Manifest,
): Promise<number> {
  const digest = createHash('sha256');
  let size = 0;
  await file.write(headerOf(names.dump, 0));
  for await (const part of dump) {
    digest.update(part);
    size += part.length;
    await file.write(part);
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const textSum = createHash('sha256').update(text).digest('hex');
  const sums = `${digest.digest('hex')}  ${names.dump}\n${textSum}  ${names.manifest}\n`;
  await file.write(padding(size));
  for (const [name, body] of [
    [names.manifest, text],
    [names.sums, Buffer.from(sums)],
  ] as const) {
    await file.write(Buffer.concat([headerOf(name, body.length), body, padding(body.length)]));
  }
  await file.write(Buffer.alloc(2 * block));
  await file.write(headerOf(names.dump, size), 0, block, 0);
  await file.sync();
  return size;
}

const refuse = (code: string, path: string, said: string): CommandError =>
  new CommandError(`${code}: ${path} ${said}; nothing was changed`);

/** Reads a backup and checks every sum. Throws CommandError, with a code. */
export async function readBackup(path: string): Promise<Backup> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw refuse('backup_unreadable', path, `cannot be read: ${error.code}`);
  });
  try {
    const { size: end } = await file.stat();
    const dump = await readEntry(file, { path, name: names.dump, at: 0, end });
    const manifest = await readEntry(file, { path, name: names.manifest, at: dump.next, end });
    const sums = await readEntry(file, { path, name: names.sums, at: manifest.next, end });
    const listed = (await readText(file, sums)).trimEnd().split('\n');
    for (const entry of [dump, manifest]) {
      if (listed.includes(`${await sumOf(file, entry)}  ${entry.name}`)) continue;
      throw refuse('backup_altered', path, `was altered: ${entry.name} is not what was written`);
    }
    const read = JSON.parse(await readText(file, manifest)) as Manifest;
    if (read.format !== 1) throw refuse('backup_newer', path, 'has a form of a later version');
    return { manifest: read, dump: { from: dump.from, size: dump.size } };
  } finally {
    await file.close();
  }
}

type Entry = {
  readonly name: string;
  readonly from: number;
  readonly size: number;
  readonly next: number;
};
type Place = {
  readonly path: string;
  readonly name: string;
  readonly at: number;
  readonly end: number;
};

async function readEntry(file: FileHandle, { path, name, at, end }: Place): Promise<Entry> {
  const half = () => refuse('backup_half', path, 'is half a backup: its end is missing');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(block), 0, block, at);
  const isHeader = buffer.toString('latin1', 257, 262) === 'ustar';
  if (at === 0 && !isHeader) throw refuse('not_a_backup', path, 'is no backup of svc backup');
  if (bytesRead < block || !isHeader) throw half();
  const found = buffer.toString('utf8', 0, 100).replace(/\0.*$/s, '');
  if (found !== name) throw refuse('not_a_backup', path, 'is no backup of svc backup');
  const isLong = buffer[124] === 0x80;
  const size = isLong
    ? Number(buffer.readBigUInt64BE(128))
    : Number.parseInt(buffer.toString('latin1', 124, 135), 8);
  const from = at + block;
  const next = from + size + padding(size).length;
  if (!(next <= end)) throw half();
  return { name, from, size, next };
}

async function* chunksOf(file: FileHandle, { from, size }: Entry): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(1 << 20);
  for (let done = 0; done < size; ) {
    const wanted = Math.min(buffer.length, size - done);
    const { bytesRead } = await file.read(buffer, 0, wanted, from + done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function sumOf(file: FileHandle, entry: Entry): Promise<string> {
  const digest = createHash('sha256');
  for await (const part of chunksOf(file, entry)) digest.update(part);
  return digest.digest('hex');
}

async function readText(file: FileHandle, { from, size }: Entry): Promise<string> {
  const { buffer } = await file.read(Buffer.alloc(size), 0, size, from);
  return buffer.toString('utf8');
}
