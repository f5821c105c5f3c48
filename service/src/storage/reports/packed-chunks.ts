// Chunks of a kept file: compressed, then sealed in their place, so that none opens as another one.

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Sealed } from '../database/sealed.ts';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

type ChunkPlace = { readonly clientId: string; readonly id: string; readonly number: number };

const sealedPlace = ({ clientId, id, number }: ChunkPlace) => ({
  clientId,
  table: 'export_chunks',
  rowId: id,
  field: `chunk ${number}`,
});

export async function packChunk(place: ChunkPlace, text: Buffer, sealed: Sealed) {
  return sealed.seal(sealedPlace(place), (await zip(text)).toString('base64'));
}

/** Returns the text of a chunk. Throws SealedUnreadable for one that was changed or moved. */
export async function unpackChunk(
  place: ChunkPlace,
  packed: Buffer,
  sealed: Sealed,
): Promise<string> {
  const zipped = await sealed.open(sealedPlace(place), packed);
  return (await unzip(Buffer.from(zipped, 'base64'))).toString('utf8');
}
