// The rules of every delivery, applied to a URL before it is kept. Contract §7, Delivery.
import type { Ports } from '../engine/ports.ts';
import { findTarget, readRules, TargetRefused, type TargetSettings } from './target.ts';

const longestMs = 3000;

/**
 * The port that says why a URL can never be delivered to. Over https a name that gives no address in
 * time is not refused: each attempt judges anew. Plain http goes only to networks that are allowed,
 * so its host has to be shown to be in one.
 */
export function webhookUrlJudge(settings: TargetSettings): Ports['judgeWebhookUrl'] {
  const rules = readRules(settings);
  const judge = async (url: string, unknown: 'url_refused' | null) => {
    const isHopeless = unknown !== null && rules.allow.length === 0 && !rules.ownReceiver(url);
    if (isHopeless) return unknown;
    try {
      await findTarget(url, rules);
      return null;
    } catch (error) {
      if (!(error instanceof TargetRefused)) throw error;
      return error.word === 'dns_error' ? unknown : error.word;
    }
  };
  return async (url) => {
    const unknown = URL.parse(url)?.protocol === 'http:' ? 'url_refused' : null;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'url_refused' | null>((resolve) => {
      timer = setTimeout(resolve, longestMs, unknown);
    });
    try {
      return await Promise.race([judge(url, unknown), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
