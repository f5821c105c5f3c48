import type { Texts } from './keys.ts';

export const german: Texts = {
  title: 'Kartendaten',
  loading: 'Das Kartenformular wird geladen',
  number: 'Kartennummer',
  expiry: 'Gültig bis',
  expiryPlaceholder: 'MM / JJ',
  cvc: 'Prüfnummer',
  name: 'Name auf der Karte',
  postalCode: 'Postleitzahl',
  cvcHint3: '3 Ziffern auf der Rückseite der Karte',
  cvcHint4: '4 Ziffern auf der Vorderseite der Karte',
  brandDetected: 'Karte von {brand}',
  number_incomplete: 'Geben Sie die vollständige Kartennummer ein.',
  number_invalid: 'Prüfen Sie die Kartennummer; sie enthält einen Fehler.',
  expiry_incomplete: 'Geben Sie das Ablaufdatum mit Monat und Jahr ein.',
  expiry_past: 'Diese Karte ist abgelaufen; verwenden Sie eine andere.',
  cvc_incomplete: 'Geben Sie die Prüfnummer ein: {hint}.',
  name_required: 'Geben Sie den Namen so ein, wie er auf der Karte steht.',
  postal_code_required: 'Geben Sie die Postleitzahl der Rechnungsadresse ein.',
  brand_unsupported:
    'Diese Kartenmarke wird hier nicht angenommen; verwenden Sie eine andere Karte.',
  session_expired: 'Dieser Bezahlvorgang ist abgelaufen; laden Sie die Seite neu.',
  rate_limited: 'Zu viele Versuche; warten Sie etwas und versuchen Sie es dann erneut.',
  card_declined: 'Die Karte wurde abgelehnt; verwenden Sie eine andere oder fragen Sie Ihre Bank.',
  unavailable:
    'Der Kartendienst ist nicht erreichbar; es wurde nichts abgebucht, versuchen Sie es erneut.',
};
