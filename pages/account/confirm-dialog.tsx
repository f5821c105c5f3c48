// Asks who is there before money or credentials change. Contract §6.

import { call } from './calls.ts';
import { question } from './confirmation.ts';
import { Dialog } from './dialog.tsx';
import { Field, Form } from './parts.tsx';

export function ConfirmDialog() {
  const open = question.value;
  if (!open) return null;
  return (
    <Dialog title="Is it you?" onClose={() => open.answer(false)}>
      {(close) => (
        <Form
          submit="Confirm"
          send={async (fields) => {
            await call('POST', '/v1/account/confirm', { body: { password: fields('password') } });
            open.answer(true);
          }}
          after={
            <button type="button" class="second" onClick={close}>
              Cancel
            </button>
          }
        >
          <p class="fine">
            This changes money or access. It is some time since you last proved that it is you.
          </p>
          <Field
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            hasFocus
          />
        </Form>
      )}
    </Dialog>
  );
}
