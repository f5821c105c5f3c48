// The rules of every delivery, applied to a URL before it is kept. Contract §7, Delivery.
import type { Ports } from '../operations/ports.ts';
import { parseNetwork } from './address.ts';
import type { WebhookSettings } from './send.ts';
import { findTarget, resolveName, TargetRefused } from './target.ts';

const longestMs = 3000;

/**
 * The port that says why a URL can never be delivered to. A name that gives no address in time is
 * not refused: each attempt judges anew.
 */
export function webhookUrlJudge(settings: WebhookSettings): Ports['judgeWebhookUrl'] {
  const rules = {
    allow: settings.allow.map(parseNetwork),
    deny: (settings.deny ?? []).map(parseNetwork),
    resolve: settings.resolve ?? resolveName,
  };
  const judge = async (url: string) => {
    // Plain http goes only to networks that are allowed by name.
    const isHopeless = rules.allow.length === 0 && URL.parse(url)?.protocol === 'http:';
    if (isHopeless) return 'url_refused';
    try {
      await findTarget(url, rules);
      return null;
    } catch (error) {
      if (!(error instanceof TargetRefused)) throw error;
      return error.word === 'dns_error' ? null : error.word;
    }
  };
  return async (url) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, longestMs, null);
    });
    try {
      return await Promise.race([judge(url), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
