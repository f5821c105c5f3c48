import type { SandboxFault } from '@svc/contract/developers/sandbox';

/** A planted fault as the sandbox tells it. */
export type PlantedFault = {
  readonly id: string;
  readonly action: string;
  readonly count: number;
  readonly fired: number;
  readonly match: { readonly account?: string };
};

export const showFault = ({ id, action, count, fired }: PlantedFault): SandboxFault => ({
  id,
  action,
  count,
  fired,
});
