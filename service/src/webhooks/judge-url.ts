// Applies the rules of every delivery to a URL before it is stored. Contract §7, Delivery.
import type { Ports } from '../engine/ports.ts';
import { findTarget, readRules, TargetRefused, type TargetSettings } from './target.ts';

const longestMs = 3000;

/**
 * The port that returns why a URL can never be delivered to. An https URL whose name does not
 * resolve in time is not refused, because each attempt judges it again. Plain http goes only to
 * allowed networks, so its host has to be shown to be in one.
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
