import { outside } from '../storage/database/database.ts';
import type { MethodKeeper, Ports, Provider } from './ports.ts';

/**
 * Ports that refuse to leave the process while a transaction is open: such a bug would hold a
 * connection and locks during a network call. The guard comes before every queue.
 */
export function guardPorts(ports: Ports): Ports {
  const { vault, mail, sandbox } = ports;
  return {
    ...ports,
    provider: (gateway) => guardProvider(ports.provider(gateway)),
    methodKeeper: (gateway) => guardKeeper(ports.methodKeeper(gateway)),
    vault: {
      isTokenOf: (token, sessionId) => vault.isTokenOf(token, sessionId),
      mount: (call) => vault.mount(call),
      redeem: outside('vault.redeem', (call) => vault.redeem(call)),
      forget: outside('vault.forget', (call) => vault.forget(call)),
      isReady: outside('vault.isReady', () => vault.isReady()),
    },
    prepareOrder: outside('prepareOrder', (gateway, call) => ports.prepareOrder(gateway, call)),
    parseNotice: outside('parseNotice', (gateway, received) =>
      ports.parseNotice(gateway, received),
    ),
    accounts: {
      check: outside('accounts.check', (wish) => ports.accounts.check(wish)),
      openWebhook: outside('accounts.openWebhook', (gateway, url) =>
        ports.accounts.openWebhook(gateway, url),
      ),
    },
    sendWebhook: outside('sendWebhook', (call) => ports.sendWebhook(call)),
    judgeWebhookUrl: outside('judgeWebhookUrl', (url) => ports.judgeWebhookUrl(url)),
    mail: mail && {
      send: outside('mail.send', (call) => mail.send(call)),
      check: outside('mail.check', () => mail.check()),
    },
    sandbox: sandbox && { call: outside('sandbox.call', sandbox.call) },
  };
}

const guardProvider = (provider: Provider): Provider => ({
  authorize: outside('provider.authorize', provider.authorize),
  capture: outside('provider.capture', provider.capture),
  cancel: outside('provider.cancel', provider.cancel),
  retrieve: outside('provider.retrieve', provider.retrieve),
  refund: outside('provider.refund', provider.refund),
  retrieveRefund: outside('provider.retrieveRefund', provider.retrieveRefund),
  listRefunds: outside('provider.listRefunds', provider.listRefunds),
  retrieveDispute: outside('provider.retrieveDispute', provider.retrieveDispute),
  listDisputes: outside('provider.listDisputes', provider.listDisputes),
  listNotices: outside('provider.listNotices', provider.listNotices),
  retrieveMarked: outside('provider.retrieveMarked', provider.retrieveMarked),
  listMarked: outside('provider.listMarked', provider.listMarked),
});

const guardKeeper = (keeper: MethodKeeper): MethodKeeper => ({
  createCustomer: outside('methodKeeper.createCustomer', keeper.createCustomer),
  setUp: outside('methodKeeper.setUp', keeper.setUp),
  retrieveSetup: outside('methodKeeper.retrieveSetup', keeper.retrieveSetup),
  cancelSetup: outside('methodKeeper.cancelSetup', keeper.cancelSetup),
  retrieveCustomer: outside('methodKeeper.retrieveCustomer', keeper.retrieveCustomer),
  retrieveMethod: outside('methodKeeper.retrieveMethod', keeper.retrieveMethod),
  setDefaultMethod: outside('methodKeeper.setDefaultMethod', keeper.setDefaultMethod),
  detachMethod: outside('methodKeeper.detachMethod', keeper.detachMethod),
});
