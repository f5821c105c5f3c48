// The document of the driver `own-vault`: the form with our own inputs. Contract §4.
import { CardForm } from './form.ts';
import { startSession } from './session.ts';

startSession(({ options, send, done }) => done(new CardForm(options, send)));
