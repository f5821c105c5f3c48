// What the person is mailed about at this merchant, one choice a kind, saved as it is chosen. Additions §6,
// Notifications.

import type { Notifications } from '@svc/contract/settings/notifications';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { type CallFailure, call, failureOf } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { Trouble } from '../../kit/parts/states.tsx';
import { Section } from '../../kit/section.ts';

type Kind = Notifications['data'][number];
type Choice = Kind['choice'];

const choices: readonly (readonly [Choice, string])[] = [
  ['mail', 'Mail'],
  ['daily', 'Daily'],
  ['off', 'Off'],
];

export function NotificationsSection() {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(() => call('GET /v1/account/notifications', { clientId })),
    [clientId],
  );
  return (
    <SectionBox
      section={section}
      title="Notifications"
      intro="Mails that you receive about this merchant. Mail: within minutes, at most one of each kind per hour. Daily: one summary at 7 in the morning."
    >
      {(content) => <KindTable content={content} section={section} />}
    </SectionBox>
  );
}

type TableProps = {
  readonly content: Notifications;
  readonly section: Section<Notifications>;
};

function KindTable({ content, section }: TableProps) {
  const { clientId } = useMerchant();
  const [wishes, setWishes] = useState<Readonly<Partial<Record<Kind['kind'], Choice>>>>({});
  const [said, setSaid] = useState('');
  const [failure, setFailure] = useState<CallFailure | null>(null);
  // One after the other, in the order in which they were chosen.
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const id = useId();

  const choose = ({ kind, title }: Kind, choice: Choice, words: string) => {
    setWishes((before) => ({ ...before, [kind]: choice }));
    setFailure(null);
    saving.current = saving.current.then(async () => {
      try {
        const body = { choices: [{ kind, choice }] };
        section.content.value = await call('PUT /v1/account/notifications', { clientId, body });
        setSaid(`Saved. ${title}: ${words}.`);
      } catch (cause) {
        setSaid('');
        setFailure(failureOf(cause));
      }
      // A later choice of the same kind is still under way.
      setWishes((before) => (before[kind] === choice ? { ...before, [kind]: undefined } : before));
    });
  };

  return (
    <>
      <div class="table-box">
        <table class="notice-table">
          <thead>
            <tr>
              <th scope="col">When</th>
              {choices.map(([choice, words]) => (
                <th key={choice} scope="col" id={`${id}-${choice}`}>
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {content.data.map((each) => (
              <tr key={each.kind}>
                <th scope="row" id={`${id}-${each.kind}`}>
                  {each.title}
                </th>
                {choices.map(([choice, words]) => (
                  <td key={choice}>
                    {each.choices.includes(choice) && (
                      <input
                        type="radio"
                        name={`${id}-${each.kind}`}
                        aria-labelledby={`${id}-${each.kind} ${id}-${choice}`}
                        checked={(wishes[each.kind] ?? each.choice) === choice}
                        onChange={() => choose(each, choice, words)}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="fine" role="status">
        {said}
      </p>
      {failure && <Trouble hasFocus failure={failure} />}
    </>
  );
}
