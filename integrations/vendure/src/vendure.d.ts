// The parts of Vendure that this plugin uses, as types, so that the repository compiles without Vendure. The proof
// (`proof/shops`) compiles the same sources against the real packages, without this file.

declare module '@vendure/core' {
  export type ID = string | number;
  type Decorator = (
    target: object,
    key?: string | symbol,
    descriptor?: PropertyDescriptor | number,
  ) => void;
  type Token<T> = abstract new (...args: never[]) => T;
  type Row = { id: ID; metadata: Record<string, unknown> };

  export class RequestContext {
    readonly activeUserId: ID | undefined;
    readonly channel: { readonly token: string };
  }
  export class User {
    id: ID;
  }
  export class Customer {
    id: ID;
    emailAddress: string;
    user?: User;
  }
  export class Refund {
    constructor(fields: Partial<Refund>);
    id: ID;
    total: number;
    items: number;
    shipping: number;
    adjustment: number;
    reason: string;
    method: string;
    state: string;
    transactionId: string;
    metadata: Row['metadata'];
    payment: Payment;
  }
  export class Payment {
    id: ID;
    amount: number;
    method: string;
    state: string;
    errorMessage: string | undefined;
    transactionId: string;
    metadata: Row['metadata'];
    refunds: Refund[];
  }
  export class PaymentMethod {
    code: string;
    enabled: boolean;
    handler: { code: string };
  }
  export class Order {
    id: ID;
    code: string;
    state: string;
    active: boolean;
    currencyCode: string;
    totalWithTax: number;
    shippingWithTax: number;
    customer?: Customer;
    channels: { readonly token: string }[];
    payments: Payment[];
    shippingAddress: { countryCode?: string };
    billingAddress: { countryCode?: string };
    surcharges: { description: string; priceWithTax: number }[];
    lines: {
      quantity: number;
      proratedLinePriceWithTax: number;
      productVariant: { name: string };
    }[];
  }
  type OrderModification = {
    readonly isSettled: boolean;
    payment?: Payment;
  };
  type Repository<T> = {
    find(options: object): Promise<T[]>;
    save(row: T): Promise<T>;
    createQueryBuilder(alias: string): {
      setLock(kind: 'pessimistic_write'): ReturnType<Repository<T>['createQueryBuilder']>;
      where(sql: string, values: object): ReturnType<Repository<T>['createQueryBuilder']>;
      getOne(): Promise<T | null>;
    };
  };
  export class TransactionalConnection {
    rawConnection: {
      options: { type: string };
      getRepository<T>(entity: new (...args: never[]) => T): Repository<T>;
    };
    getRepository<T>(ctx: RequestContext, entity: new (...args: never[]) => T): Repository<T>;
    withTransaction<T>(ctx: RequestContext, work: (ctx: RequestContext) => Promise<T>): Promise<T>;
  }
  type ErrorResult = { readonly errorCode: string; readonly message: string };
  export class OrderService {
    findOne(ctx: RequestContext, id: ID): Promise<Order | undefined>;
    findOneByCode(ctx: RequestContext, code: string): Promise<Order | undefined>;
    getOrderPayments(ctx: RequestContext, id: ID): Promise<Payment[]>;
    getOrderModifications(ctx: RequestContext, id: ID): Promise<OrderModification[]>;
    transitionToState(
      ctx: RequestContext,
      id: ID,
      state: 'ArrangingPayment' | 'PaymentAuthorized' | 'PaymentSettled',
    ): Promise<Order | ErrorResult>;
    addPaymentToOrder(
      ctx: RequestContext,
      id: ID,
      input: { method: string; metadata: object },
    ): Promise<Order | ErrorResult>;
    settlePayment(ctx: RequestContext, id: ID): Promise<Payment | ErrorResult>;
    cancelPayment(ctx: RequestContext, id: ID): Promise<Payment | ErrorResult>;
    transitionRefundToState(
      ctx: RequestContext,
      id: ID,
      state: 'Settled' | 'Failed',
      transactionId?: string,
    ): Promise<Refund>;
  }
  export class ActiveOrderService {
    getActiveOrder(ctx: RequestContext, input: undefined): Promise<Order | undefined>;
  }
  export class CustomerService {
    findOneByUserId(ctx: RequestContext, id: ID): Promise<Customer | undefined>;
  }
  export class RequestContextService {
    create(config: { apiType: 'admin'; channelOrToken: string }): Promise<RequestContext>;
  }
  export class PaymentMethodService {
    findAll(ctx: RequestContext): Promise<{ items: PaymentMethod[] }>;
  }
  export class ConfigService {
    entityOptions: { moneyStrategy: { precision?: number } };
    orderOptions: {
      orderByCodeAccessStrategy: {
        canAccessOrder(ctx: RequestContext, order: Order): boolean | Promise<boolean>;
      };
    };
  }
  export class OrderStateTransitionEvent {
    fromState: string;
    toState: string;
    ctx: RequestContext;
    order: Order;
  }
  export class EventBus {
    ofType<T>(type: Token<T>): { subscribe(listener: (event: T) => void): unknown };
  }
  export class UserInputError extends Error {}
  export class Injector {
    get<T>(token: Token<T>): T;
  }
  export const Logger: Record<'error' | 'warn' | 'info', (text: string, context?: string) => void>;
  export const LanguageCode: { readonly en: 'en' };
  export const Permission: { readonly Owner: 'Owner'; readonly UpdateOrder: 'UpdateOrder' };
  export function isGraphQlErrorResult(value: object): value is ErrorResult;
  export function idsAreEqual(one?: ID, other?: ID): boolean;
  export function totalCoveredByPayments(order: Order): number;
  export function Ctx(): Decorator;
  export function Allow(...permissions: string[]): Decorator;

  type Found<S> = { success: true } | { success: false; state?: S; errorMessage?: string };
  type Took = {
    amount: number;
    state: 'Authorized' | 'Settled' | 'Declined';
    transactionId?: string;
    errorMessage?: string;
    metadata?: object;
  };
  export class PaymentMethodHandler {
    readonly code: string;
    constructor(options: {
      code: string;
      description: { languageCode: 'en'; value: string }[];
      args: Record<string, never>;
      init(injector: Injector): void;
      createPayment(ctx: RequestContext, order: Order, amount: number): Promise<Took>;
      settlePayment(
        ctx: RequestContext,
        order: Order,
        payment: Payment,
      ): Promise<Found<'Authorized' | 'Cancelled'>>;
      cancelPayment(
        ctx: RequestContext,
        order: Order,
        payment: Payment,
      ): Promise<Found<'Authorized' | 'Settled'>>;
      createRefund(
        ctx: RequestContext,
        input: { reason?: string | null },
        amount: number,
        order: Order,
        payment: Payment,
      ): Promise<{
        state: 'Pending' | 'Settled' | 'Failed';
        transactionId?: string;
        metadata?: object;
      }>;
    });
  }
  type Configuration = {
    paymentOptions: {
      paymentMethodHandlers: PaymentMethodHandler[];
      refundProcess?: object[];
    };
  };
  export const PluginCommonModule: unique symbol;
  export function VendurePlugin(options: {
    imports: unknown[];
    compatibility: string;
    controllers: unknown[];
    providers: unknown[];
    configuration(config: Configuration): Configuration;
    shopApiExtensions: { schema: unknown; resolvers: unknown[] };
    adminApiExtensions: { schema: unknown; resolvers: unknown[] };
  }): Decorator;
}

declare module '@nestjs/common' {
  type Decorator = import('@vendure/core').Decorator;
  export function Controller(path: string): Decorator;
  export function Post(path?: string): Decorator;
  export function Param(name: string): Decorator;
  export function Req(): Decorator;
  export function Res(): Decorator;
  export function Inject(token: unknown): Decorator;
}

declare module '@nestjs/graphql' {
  type Decorator = import('@vendure/core').Decorator;
  export function Resolver(): Decorator;
  export function Query(): Decorator;
  export function Mutation(): Decorator;
  export function Args(name: string): Decorator;
}

declare module 'graphql' {
  export function parse(text: string): object;
}
