import { outsideTransaction } from '../storage/database/database.ts';
import type { MethodKeeper, Ports, Provider } from './ports.ts';

/**
 * Ports that refuse to leave the process while a transaction is open: such a bug would hold a
 * connection and locks during a network call. The guard comes before every queue.
 */
export function guardPorts(ports: Ports): Ports {
  const { vault, mail, sandbox, sendAlert } = ports;
  return {
    ...ports,
    provider: (gateway, urgency) => guardProvider(ports.provider(gateway, urgency)),
    methodKeeper: (gateway) => guardKeeper(ports.methodKeeper(gateway)),
    vault: {
      isTokenOf: (token, sessionId) => vault.isTokenOf(token, sessionId),
      formUrl: (allowedOrigins) => vault.formUrl(allowedOrigins),
      mount: (call) => vault.mount(call),
      redeem: outsideTransaction('vault.redeem', (call) => vault.redeem(call)),
      forget: outsideTransaction('vault.forget', (call) => vault.forget(call)),
      look: outsideTransaction('vault.look', () => vault.look()),
    },
    prepareOrder: outsideTransaction('prepareOrder', (gateway, call) =>
      ports.prepareOrder(gateway, call),
    ),
    parseNotice: outsideTransaction('parseNotice', (gateway, received) =>
      ports.parseNotice(gateway, received),
    ),
    accounts: {
      check: outsideTransaction('accounts.check', (wish) => ports.accounts.check(wish)),
      tryNotice: outsideTransaction('accounts.tryNotice', (one) => ports.accounts.tryNotice(one)),
      openWebhook: outsideTransaction('accounts.openWebhook', (gateway, url) =>
        ports.accounts.openWebhook(gateway, url),
      ),
    },
    sendWebhook: outsideTransaction('sendWebhook', (call) => ports.sendWebhook(call)),
    judgeWebhookUrl: outsideTransaction('judgeWebhookUrl', (url) => ports.judgeWebhookUrl(url)),
    certificateEnd: outsideTransaction('certificateEnd', (url) => ports.certificateEnd(url)),
    sendAlert: sendAlert && outsideTransaction('sendAlert', sendAlert),
    mail: mail && {
      send: outsideTransaction('mail.send', (call) => mail.send(call)),
      check: outsideTransaction('mail.check', () => mail.check()),
    },
    sandbox: sandbox && { call: outsideTransaction('sandbox.call', sandbox.call) },
  };
}

const guardProvider = (provider: Provider): Provider => ({
  authorize: outsideTransaction('provider.authorize', provider.authorize),
  capture: outsideTransaction('provider.capture', provider.capture),
  cancel: outsideTransaction('provider.cancel', provider.cancel),
  retrieve: outsideTransaction('provider.retrieve', provider.retrieve),
  countDeclines: outsideTransaction('provider.countDeclines', provider.countDeclines),
  refund: outsideTransaction('provider.refund', provider.refund),
  retrieveRefund: outsideTransaction('provider.retrieveRefund', provider.retrieveRefund),
  listRefunds: outsideTransaction('provider.listRefunds', provider.listRefunds),
  retrieveDispute: outsideTransaction('provider.retrieveDispute', provider.retrieveDispute),
  listDisputes: outsideTransaction('provider.listDisputes', provider.listDisputes),
  retrieveSignal: outsideTransaction('provider.retrieveSignal', provider.retrieveSignal),
  listNotices: outsideTransaction('provider.listNotices', provider.listNotices),
  retrieveMarked: outsideTransaction('provider.retrieveMarked', provider.retrieveMarked),
  listMarked: outsideTransaction('provider.listMarked', provider.listMarked),
});

const guardKeeper = (keeper: MethodKeeper): MethodKeeper => ({
  createCustomer: outsideTransaction('methodKeeper.createCustomer', keeper.createCustomer),
  setUp: outsideTransaction('methodKeeper.setUp', keeper.setUp),
  retrieveSetup: outsideTransaction('methodKeeper.retrieveSetup', keeper.retrieveSetup),
  countSetupDeclines: outsideTransaction(
    'methodKeeper.countSetupDeclines',
    keeper.countSetupDeclines,
  ),
  listMethods: outsideTransaction('methodKeeper.listMethods', keeper.listMethods),
  cancelSetup: outsideTransaction('methodKeeper.cancelSetup', keeper.cancelSetup),
  retrieveCustomer: outsideTransaction('methodKeeper.retrieveCustomer', keeper.retrieveCustomer),
  retrieveMethod: outsideTransaction('methodKeeper.retrieveMethod', keeper.retrieveMethod),
  setDefaultMethod: outsideTransaction('methodKeeper.setDefaultMethod', keeper.setDefaultMethod),
  detachMethod: outsideTransaction('methodKeeper.detachMethod', keeper.detachMethod),
});
