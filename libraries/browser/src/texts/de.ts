import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Kartennummer, Ablaufdatum und Prüfnummer',
  confirming: 'Bei Ihrer Bank bestätigen',
  wait: 'Verbindung zu Ihrer Bank …',
  frame: 'Bestätigungsseite Ihrer Bank',
  trouble: 'Die Seite Ihrer Bank erscheint nicht?',
  open: 'In neuem Fenster öffnen',
  elsewhere: 'Ihre Bank öffnet sich in einem neuen Fenster. Danach geht es hier von selbst weiter.',
  checking: 'Ihre Karte wird geprüft …',
  cancel: 'Abbrechen',
  stopTitle: 'Bestätigung abbrechen?',
  stopText: 'Die Karte wird dann nicht gespeichert.',
  stopYes: 'Ja, abbrechen',
  stopNo: 'Fortsetzen',
  declined: 'Ihre Bank hat diese Karte abgelehnt. Sie wurde nicht gespeichert.',
  notConfirmed:
    'Ihre Bank konnte nicht bestätigen, dass Sie es sind. Die Karte wurde nicht gespeichert.',
  reload:
    'Ein Teil dieser Seite konnte nicht geladen werden. Bitte laden Sie die Seite neu und versuchen Sie es noch einmal.',
  paying: {
    stopText: 'Dann wird nichts abgebucht.',
    declined: 'Ihre Bank hat die Zahlung abgelehnt. Es wurde nichts abgebucht.',
    notConfirmed: 'Ihre Bank konnte nicht bestätigen, dass Sie es sind. Es wurde nichts abgebucht.',
  },
};
