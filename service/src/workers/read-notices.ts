import type { Ports } from '../engine/ports.ts';
import { readNotices } from '../engine/runs/notices/read-notices.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

/** Processes provider notices; each stored notice wakes it, and a poll. */
export function startReadNotices(
  ports: Ports,
  options: { log: WorkerLog; pollMs?: number; onNudge?: (listener: () => void) => void },
): Worker {
  return startPasses(options, () =>
    readNotices(ports, {
      limit: 20,
      onError: (notice, error) =>
        options.log.error({ noticeId: notice.id, err: error }, 'notice not read'),
    }),
  );
}
