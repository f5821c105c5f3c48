import { type EventType, eventTypes } from '@svc/contract/rows/event-types';
import { editDistance } from '../../domain/protocol/edit-distance.ts';
import { UsageError } from '../line/flags.ts';

/** Returns the event's type; for an unknown one, the error names the nearest types. */
export function readEventType(text: string): EventType {
  const type = eventTypes.find((one) => one === text);
  if (type !== undefined) return type;
  throw new UsageError(`${text} is no event; ${findNearestTypes(text)}`);
}

const mostNames = 3;

/** Finds types with a similar spelling, or with a word in common: `dispute.created` means a dispute. */
function findNearestTypes(text: string): string {
  const words = new Set(text.split(/[._]/).filter((word) => word.length > 2));
  const countShared = (type: string) => type.split(/[._]/).filter((word) => words.has(word)).length;
  const distanceTo = (type: string) => editDistance(text, type) - 4 * countShared(type);
  const near = eventTypes
    .filter(
      (type) => countShared(type) > 0 || editDistance(text, type) <= Math.ceil(type.length * 0.4),
    )
    .toSorted((a, b) => distanceTo(a) - distanceTo(b))
    .slice(0, mostNames);
  return near.length === 0 ? 'see svc trigger --list' : `did you mean ${near.join(', ')}?`;
}
