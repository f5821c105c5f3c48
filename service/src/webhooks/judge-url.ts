// The rules of every delivery, applied to a URL before it is kept. Contract §7, Delivery.
import type { Ports } from '../operations/ports.ts';
import { findTarget, readRules, TargetRefused, type TargetSettings } from './target.ts';

const longestMs = 3000;

/**
 * The port that says why a URL can never be delivered to. A name that gives no address in time is
 * not refused: each attempt judges anew.
 */
export function webhookUrlJudge(settings: TargetSettings): Ports['judgeWebhookUrl'] {
  const rules = readRules(settings);
  const judge = async (url: string) => {
    // Plain http goes only to networks that are allowed by name.
    const isHopeless =
      rules.allow.length === 0 && !rules.ownReceiver(url) && URL.parse(url)?.protocol === 'http:';
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
