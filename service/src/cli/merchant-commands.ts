import type { Command } from './command.ts';
import { eventsCommand } from './events.ts';
import { listenCommand } from './listen.ts';
import { triggerCommand } from './trigger.ts';
import { webhooksCommand } from './webhooks.ts';

/** What talks to a running service over HTTP with an API token. */
export const merchantCommands: readonly Command[] = [
  listenCommand,
  triggerCommand,
  eventsCommand,
  webhooksCommand,
];
