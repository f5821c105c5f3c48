// The key of the configuration is replaced: what a former one protects comes under the current one.
// Reliability C6; decision 0093.

import { everyClient } from '../../storage/database.ts';
import { ownSecrets, readSecrets, replaceSecret } from '../../storage/own-secrets.ts';
import { type Rewrapped, readable } from '../../storage/sealed.ts';
import type { Ports } from '../ports.ts';
import { recordOperatorChange } from './record-operator-change.ts';

export type RewrappedAll = {
  /** One for each client: they seal its gateways' and endpoints' secrets. */
  readonly dataKeys: Rewrapped;
  /** People's authenticators, mails that wait, and what OAuth flows keep. */
  readonly ownSecrets: Rewrapped;
};

type Given = Pick<Ports, 'database' | 'sealed' | 'sealedHere' | 'newId'>;

/** Wraps and seals anew, beside processes at work; repeatable, and after a break it goes on. */
export async function rewrapKeys(ports: Given): Promise<RewrappedAll> {
  const dataKeys = await ports.sealed.rewrap();
  const done = { dataKeys, ownSecrets: await resealOwn(ports) };
  const renewed = done.dataKeys.renewed + done.ownSecrets.renewed;
  if (renewed > 0) {
    const after = { dataKeys: dataKeys.renewed, ownSecrets: done.ownSecrets.renewed };
    const change = { action: 'service_key.replaced', resourceType: 'service_key', after };
    await ports.database.transaction(everyClient, (tx) =>
      recordOperatorChange(tx, { ...change, resourceId: 'SVC_KEY' }, ports),
    );
  }
  return done;
}

async function resealOwn({ database, sealedHere }: Given): Promise<Rewrapped> {
  const unreadable: string[] = [];
  let [found, renewed] = [0, 0];
  for (const column of ownSecrets) {
    for await (const row of readSecrets(database, column)) {
      found += 1;
      const place = { table: column.table, rowId: row.id, field: column.field };
      const anew = readable(() => sealedHere.reseal(place, row.sealed), unreadable);
      if (anew && (await replaceSecret(database, column, row, anew))) renewed += 1;
    }
  }
  return { found, renewed, unreadable };
}
