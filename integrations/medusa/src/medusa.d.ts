// The parts of Medusa that this package uses. Medusa itself is 690 MB and no dependency of the repository:
// `proof/shops` compiles the built package against the real one.

declare module '@medusajs/framework/utils' {
  export abstract class AbstractPaymentProvider<Options = Record<string, unknown>> {
    static identifier: string;
    protected constructor(cradle: Record<string, unknown>, config?: Options);
  }
  export class MedusaError extends Error {
    static Types: Record<'INVALID_DATA' | 'NOT_ALLOWED' | 'UNEXPECTED_STATE', string>;
    constructor(type: string, message: string);
  }
  export class BigNumber {
    constructor(value: unknown);
    readonly numeric: number;
  }
  export function ModuleProvider(module: string, declared: { services: unknown[] }): unknown;
  export const Modules: Record<'PAYMENT' | 'ORDER' | 'WORKFLOW_ENGINE', string>;
}

declare module '@medusajs/framework/http' {
  export function authenticate(actor: string, ways: string[]): unknown;
  export function defineMiddlewares(config: { routes: unknown[] }): unknown;
}
