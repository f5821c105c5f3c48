// `schema.sql` of service and vault shows the current tables: migrating an empty database must give the
// same text. `node tools/src/checks/schema.ts --write` writes it.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate as migrateService } from '@svc/service/storage/database/migrate';
import { migrate as migrateVault } from '@svc/vault/database';
import { schemaPicture } from '../schema-picture.ts';
import { cloneDatabase, createTemplate } from '../test-database/index.ts';

// The text depends on the version of PostgreSQL, so the embedded one is used, whatever else is set.
delete process.env.DATABASE_URL;

const root = join(import.meta.dirname, '../../..');
const pictures = [
  { file: 'service/schema.sql', schema: 'public' },
  { file: 'vault/schema.sql', schema: 'vault' },
] as const;

const template = `svc_schema_${randomBytes(6).toString('hex')}`;
await createTemplate(template, async (ownerUrl, urls) => {
  await migrateService(ownerUrl);
  await migrateVault(urls.svc_vault);
});
const database = await cloneDatabase(template);
try {
  for (const { file, schema } of pictures) {
    const path = join(root, file);
    const picture = await schemaPicture(database.url('postgres'), [schema]);
    if (process.argv.includes('--write')) writeFileSync(path, picture);
    const shown = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (shown === picture) continue;
    console.error(`${file} does not show what the migrations make.`);
    console.error('Look at the difference, then: node tools/src/checks/schema.ts --write');
    process.exitCode = 1;
  }
} finally {
  await database.drop();
}
