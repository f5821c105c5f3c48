// Nest reads from decorators what a class is. Node strips types and runs no decorators, so they are applied here
// as the functions that they are.

import { Inject } from '@nestjs/common';

type Decorator = (
  target: object,
  // biome-ignore lint/suspicious/noExplicitAny: the kinds of decorators have no common type.
  ...where: any[]
) => unknown;

/** What Nest puts into a class's fields. */
export function takes(
  target: { readonly prototype: object },
  fields: Record<string, unknown>,
): void {
  for (const [field, token] of Object.entries(fields)) {
    (Inject(token as never) as Decorator)(target.prototype, field);
  }
}

/** A method's decorators, and those of its parameters in order. */
export function method(
  target: { readonly prototype: object },
  name: string,
  decorators: readonly unknown[],
  parameters: readonly unknown[],
): void {
  const { prototype } = target;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  for (const [index, parameter] of parameters.entries()) {
    (parameter as Decorator)(prototype, name, index);
  }
  for (const decorator of decorators) (decorator as Decorator)(prototype, name, descriptor);
}
