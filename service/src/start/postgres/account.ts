// The operating system account that runs PostgreSQL: PostgreSQL refuses to run as root, and initdb refuses
// an account without an entry in the user database.
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Empty for the account of this process, under which every user but root runs PostgreSQL. */
export type Account = { uid?: number; gid?: number };

const unprivileged = 65_534;

/** Returns the account of this process; for root, the owner of the data, or `nobody` before there is any. */
export function accountFor(dataFolder: string): Account {
  if (process.getuid?.() !== 0) return {};
  try {
    const { uid, gid } = statSync(dataFolder);
    if (uid !== 0) return { uid, gid };
  } catch {
    // There is no data yet.
  }
  return readNobody();
}

function readNobody(): Required<Account> {
  try {
    const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
    if (line) return { uid: Number(line[1]), gid: Number(line[2]) };
  } catch {
    // Without a user database the usual number is the best guess; initdb reports if it is wrong.
  }
  return { uid: unprivileged, gid: unprivileged };
}

/** Returns whether the account can enter this folder and all folders above it. */
export function canEnter(folder: string, account: Account): boolean {
  try {
    if (account.uid === undefined) {
      accessSync(folder, constants.X_OK);
      return true;
    }
    for (let at = realpathSync(folder); ; at = dirname(at)) {
      const { mode, uid, gid } = statSync(at);
      const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
      if ((mode & bit) === 0) return false;
      if (at === dirname(at)) return true;
    }
  } catch {
    return false;
  }
}
