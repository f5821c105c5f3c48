import type { Command } from './line/command.ts';
import { eventsCommand } from './merchant/events.ts';
import { listenCommand } from './merchant/listen.ts';
import { webhooksCommand } from './merchant/webhooks.ts';
import { triggerCommand } from './trigger/trigger.ts';

/** The commands that talk to a running service over HTTP with an API token. */
export const merchantCommands: readonly Command[] = [
  listenCommand,
  triggerCommand,
  eventsCommand,
  webhooksCommand,
];
