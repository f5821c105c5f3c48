import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Kaartnummer, vervaldatum en beveiligingscode',
  confirming: 'Bevestig bij uw bank',
  wait: 'Verbinding met uw bank…',
  frame: 'Bevestigingspagina van uw bank',
  trouble: 'Verschijnt de pagina van uw bank niet?',
  open: 'In een nieuw venster openen',
  elsewhere: 'Uw bank opent in een nieuw venster. Daarna gaat deze pagina vanzelf verder.',
  checking: 'Uw kaart wordt gecontroleerd…',
  cancel: 'Annuleren',
  stopTitle: 'Bevestiging stoppen?',
  stopText: 'De kaart wordt dan niet opgeslagen.',
  stopYes: 'Stoppen',
  stopNo: 'Doorgaan',
  declined: 'Uw bank heeft deze kaart geweigerd. De kaart is niet opgeslagen.',
  notConfirmed: 'Uw bank kon niet bevestigen dat u het bent. De kaart is niet opgeslagen.',
  reload:
    'Een deel van deze pagina kon niet worden geladen. Laad de pagina opnieuw en probeer het nog eens.',
  paying: {
    stopText: 'Er wordt dan niets afgeschreven.',
    declined: 'Uw bank heeft de betaling geweigerd. Er is niets afgeschreven.',
    notConfirmed: 'Uw bank kon niet bevestigen dat u het bent. Er is niets afgeschreven.',
  },
};
