// The list of keyboard shortcuts, and the switch that turns them off.

import { parts } from '../../kit/addresses.ts';
import { Dialog } from '../../kit/parts/dialog.tsx';
import { areKeysOff, isHelpOpen, jumps, switchKeys } from './keyboard.ts';

const keys: readonly (readonly [string, string])[] = [
  ['/', 'Search'],
  ['Ctrl K', 'Search, also from within a field'],
  ['?', 'This help'],
  ...[...jumps].map(([key, part]) => [`g ${key}`, parts[part].title] as const),
  ['j / k', 'Next or previous row of a list'],
  ['Enter', 'Open the row'],
  ['n', 'Write a note, where notes stand'],
  ['Esc', 'Close what is open'],
];

export function KeyboardHelp() {
  if (!isHelpOpen.value) return null;
  const onClose = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={onClose}>
      {(close) => (
        <>
          <dl class="pairs">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <label class="check">
            <input
              type="checkbox"
              checked={!areKeysOff.value}
              onChange={({ currentTarget }) => switchKeys(!currentTarget.checked)}
            />
            Keys of single letters work in this browser
          </label>
          <div class="ways">
            <button type="button" class="second" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
