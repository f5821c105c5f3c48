// The plugin: SvcPlugin.init({ … }) in `plugins` of the Vendure configuration.

import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import { type Svc, SvcSignatureVerificationError, type WebhookEvent } from '@svc/server';
import { remedyOf } from '@svc/server/shops';
import {
  EventBus,
  Logger,
  OrderStateTransitionEvent,
  PluginCommonModule,
  VendurePlugin,
} from '@vendure/core';
import { svcPaymentHandler } from './handler.ts';
import { method, takes } from './inject.ts';
import { Accounts, type SvcKeys, type SvcPluginOptions } from './options.ts';
import { log, SvcOrders } from './orders.ts';
import { adminSchema, SvcAdminResolver, SvcResolver, schema } from './shop-api.ts';
import { startSweep } from './sweep.ts';

export { type SvcKeys, type SvcPluginOptions, svcPaymentHandler };

type Handler = ReturnType<Svc['webhooks']['toExpressHandler']>;
type Request = Parameters<Handler>[0];
type Response = Parameters<Handler>[1];

/** Takes Svc's deliveries at /svc/webhook, and at /svc/webhook/<token> for a channel with keys of its own. */
export class SvcWebhooks {
  readonly svcOrders!: SvcOrders;

  async receive(request: Request, response: Response): Promise<void> {
    await this.receiveOfChannel(request, response, undefined);
  }

  async receiveOfChannel(
    request: Request,
    response: Response,
    token: string | undefined,
  ): Promise<void> {
    const account = this.svcOrders.accounts.ofPath(token);
    if (!account) {
      Logger.error(`A webhook came to /svc/webhook/${token}: add keys for this channel.`, log);
      response.statusCode = 404;
      response.end('{"code":"UnknownChannel"}');
      return;
    }
    const { svc, webhookSecret } = account;
    const apply = (event: WebhookEvent) => this.svcOrders.hear(account, event);
    const onError = (error: unknown) => Logger.error(webhookTrouble(error), log);
    await svc.webhooks.toExpressHandler(apply, webhookSecret, { onError })(request, response);
  }
}

function webhookTrouble(error: unknown): string {
  return error instanceof SvcSignatureVerificationError
    ? `A webhook was refused: ${error.message.split('. ')[0]}. If it came from Svc, webhookSecret is not that of the endpoint at Svc which delivers here: give SvcPlugin.init that one, or a new one, which the dashboard of Svc makes under Developers, Webhooks. Nothing is lost: the shop reads Svc's events each minute.`
    : `A webhook was not taken, and Svc delivers it again: ${remedyOf(error)}`;
}

Controller('svc/webhook')(SvcWebhooks);
takes(SvcWebhooks, { svcOrders: SvcOrders });
method(SvcWebhooks, 'receive', [Post()], [Req(), Res()]);
method(SvcWebhooks, 'receiveOfChannel', [Post(':token')], [Req(), Res(), Param('token')]);

/**
 * A bank may send a refund back after it was settled: Vendure's own process has no way back from there. Nor does it
 * let a handler answer that a refund is pending, which it calls an error in the admin, though the money is on its way.
 */
const refundProcess = {
  transitions: { Pending: { to: ['Pending'] }, Settled: { to: ['Failed'] } },
};

export class SvcPlugin {
  static accounts: Accounts;
  readonly svcOrders!: SvcOrders;
  readonly events!: EventBus;
  #endSweep = () => {};

  /** Throws for options that cannot work, by a sentence that says what mends them. */
  static init(options: SvcPluginOptions): typeof SvcPlugin {
    SvcPlugin.accounts = new Accounts(options);
    return SvcPlugin;
  }

  onApplicationBootstrap(): void {
    const accounts = this.svcOrders.accounts.all();
    this.#endSweep = startSweep(accounts, (account, event) =>
      this.svcOrders.hear(account, event, { isSweep: true }),
    );
    this.events.ofType(OrderStateTransitionEvent).subscribe((event) => {
      const { ctx, order, toState } = event;
      if (toState !== 'AddingItems' && toState !== 'Cancelled') return;
      this.svcOrders.leave(ctx, order, toState).catch((error) => {
        Logger.error(`Order ${order.code}, now ${toState}: ${remedyOf(error)}`, log);
      });
    });
  }

  onApplicationShutdown(): void {
    this.#endSweep();
  }
}

takes(SvcPlugin, { svcOrders: SvcOrders, events: EventBus });
VendurePlugin({
  imports: [PluginCommonModule],
  compatibility: '^3.7.0',
  controllers: [SvcWebhooks],
  providers: [SvcOrders, { provide: Accounts, useFactory: () => SvcPlugin.accounts }],
  configuration(config) {
    const { paymentOptions } = config;
    paymentOptions.paymentMethodHandlers.push(svcPaymentHandler);
    paymentOptions.refundProcess = [...(paymentOptions.refundProcess ?? []), refundProcess];
    return config;
  },
  shopApiExtensions: { schema, resolvers: [SvcResolver] },
  adminApiExtensions: { schema: adminSchema, resolvers: [SvcAdminResolver] },
})(SvcPlugin);
