// The secret that `svc listen` signs with: created once for a project and then kept, so that a
// handler's setting stays valid. Only the folder's owner can read it.

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newWebhookSecret, webhookSecretPrefix } from '../../domain/protocol/webhook-secret.ts';
import { CommandError } from '../line/command.ts';
import { makeFolder } from './project.ts';

const fileOf = (folder: string): string => join(folder, 'listen-secret');

/**
 * Returns the project's secret; when there is none, `wanted` becomes it. Two processes that ask
 * first at the same time get the same secret.
 */
export function readOrCreateListenSecret(
  folder: string,
  wanted = newWebhookSecret(randomBytes(32)),
): string {
  makeFolder(folder);
  const known = readSecret(folder);
  if (known !== undefined) return known;
  const draft = `${fileOf(folder)}.${process.pid}`;
  try {
    writeFileSync(draft, `${wanted}\n`, { mode: 0o600 });
    linkSync(draft, fileOf(folder));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new CommandError(`${fileOf(folder)} cannot be written: ${code}`);
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecret(folder) ?? throwWrongSecret(folder);
}

function readSecret(folder: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(folder), 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${fileOf(folder)} cannot be read: ${code}`);
  }
  const key = Buffer.from(text.slice(webhookSecretPrefix.length), 'base64');
  return text.startsWith(webhookSecretPrefix) && key.length === 32
    ? text
    : throwWrongSecret(folder);
}

function throwWrongSecret(folder: string): never {
  throw new CommandError(
    `${fileOf(folder)} holds no secret. Remove it for a new one; handlers then need the new one too`,
  );
}
