import type { Texts } from './en.ts';

export const de: Texts = {
  title: 'Bezahlen',
  backTo: (place) => `Zurück zu ${place}`,
  back: 'Zurück zum Shop',
  questions: 'Fragen?',
  termsOf: (merchant) => `Bedingungen von ${merchant}`,
  sandbox: 'Sandbox',
  testMode: 'Testmodus',
  sandboxHint: 'Hier fließt kein echtes Geld. Testkarte: 4242\u00a04242\u00a04242\u00a04242.',
  summary: 'Ihre Bestellung',
  showAll: (count) => `Alle ${count} Artikel zeigen`,
  quantity: (count) => `${count} Stück`,
  total: 'Gesamt',
  subtotal: 'Zwischensumme',
  discount: 'Rabatt',
  toPay: 'Zu zahlen',
  toHold: 'Zu reservieren',
  cardTitle: 'Kartendaten',
  cardFrame: 'Kartennummer, Ablaufdatum und Prüfnummer',
  receiptFor: (email) => `Zahlung als ${email}`,
  pay: (amount) => `${amount} bezahlen`,
  authorise: (amount) => `${amount} reservieren`,
  holdLine:
    'Ihre Karte wird jetzt nicht belastet. Der Betrag wird reserviert und später abgebucht.',
  safe: 'Ihre Kartennummer geht nur an das Kartenformular des Zahlungsanbieters, nie an den Shop.',
  paying: 'Wird bezahlt …',
  authorising: 'Wird reserviert …',
  payingHint: 'Bitte lassen Sie diese Seite offen.',
  loading: 'Ihre Zahlung wird geladen',

  payWith: 'Bezahlen mit',
  anyBrand: 'Karte',
  savedCard: (brand, lastFour) => `${brand} mit Endziffern ${lastFour}`,
  otherCard: 'Andere Karte',
  cardExpires: (date) => `Gültig bis ${date}`,
  cardExpired: (date) => `Abgelaufen ${date}`,
  cardDeclined: 'Abgelehnt',
  keepCard: 'Diese Karte für meine nächsten Zahlungen an diesen Shop speichern',
  repeats: {
    day: (amount) => `danach ${amount} jeden Tag`,
    week: (amount) => `danach ${amount} jede Woche`,
    month: (amount) => `danach ${amount} jeden Monat`,
    year: (amount) => `danach ${amount} jedes Jahr`,
  },
  keepLine:
    'Ihre Karte oder Wallet wird gespeichert und bei jeder Verlängerung belastet, bis das Abonnement gekündigt wird.',
  cancelOnPage: 'Kündigen können Sie es auf der Seite Ihrer Käufe.',
  cancelByShop: 'Zum Kündigen wenden Sie sich an den Shop.',

  redirecting: 'Weiter zu Ihrer Bank',
  redirectingWallet: 'Weiter zu Ihrem Wallet',
  challenge: 'Ihre Bank wartet auf Sie',
  challengeElsewhere:
    'Schließen Sie die Bestätigung dort ab, wo Ihre Bank sie geöffnet hat. Danach geht es hier von selbst weiter.',
  challengeStop: 'Anders bezahlen',

  confirming: 'Bei Ihrer Bank bestätigen',
  confirmingWait: 'Verbindung zu Ihrer Bank …',
  confirmingFrame: 'Bestätigungsseite Ihrer Bank',
  confirmingTrouble: 'Die Seite Ihrer Bank erscheint nicht?',
  confirmingHere: 'In diesem Fenster öffnen',
  cancel: 'Abbrechen',
  stopTitle: 'Bestätigung abbrechen?',
  stopText: 'Dann wird nichts abgebucht, und Sie können anders bezahlen.',
  stopYes: 'Ja, abbrechen',
  stopNo: 'Fortsetzen',

  wallet: 'Ihr Wallet wartet auf Sie',
  walletText: 'Bestätigen Sie die Zahlung in Ihrem Wallet. Vorher wird nichts abgebucht.',
  walletOpen: 'Weiter im Wallet',
  walletStop: 'Mit Karte bezahlen',
  walletPay: 'Mit dem Wallet bezahlen',
  orCard: 'oder mit Karte',

  couponOpen: 'Rabattcode eingeben',
  couponLabel: 'Rabattcode',
  couponApply: 'Einlösen',
  couponRemove: (code) => `Code ${code} entfernen`,
  couponApplied: (total) => `Der Code gilt. Neue Summe: ${total}`,
  couponRemoved: (total) => `Der Code wurde entfernt. Neue Summe: ${total}`,
  coupons: {
    coupon_unknown: 'Diesen Code gibt es nicht. Bitte prüfen Sie die Schreibweise.',
    coupon_inactive: 'Dieser Code gilt derzeit nicht.',
    coupon_not_started: 'Dieser Code gilt noch nicht.',
    coupon_ended: 'Dieser Code gilt nicht mehr.',
    coupon_exhausted: 'Dieser Code wurde schon so oft eingelöst, wie er gilt.',
    coupon_currency_differs: 'Dieser Code gilt nicht für die Währung Ihrer Bestellung.',
    coupon_repeated: 'Dieser Code gehört schon zu Ihrer Bestellung.',
    coupon_without_effect: 'Dieser Code gilt für keinen Artikel Ihrer Bestellung.',
    rate_limited: 'Zu viele Codes wurden versucht. Bitte warten Sie eine Minute.',
    checkout_attempt_in_progress: 'Eine Zahlung läuft. Danach lässt sich der Code ändern.',
  },
  couponOther: 'Dieser Code gilt nicht für Ihre Bestellung.',

  payPlain: 'Bezahlen',
  cartComing: 'Wir warten auf Ihre Bestellung',
  cartComingText:
    'Der Shop stellt Ihre Bestellung noch fertig. Der Betrag erscheint gleich hier, und vorher wird nichts abgebucht.',

  setupLine:
    'Jetzt wird nichts abgebucht. Der Shop kann diese Karte für spätere Bestellungen belasten.',
  saved: 'Karte gespeichert',
  savedText: 'Ihre Bank hat die Karte bestätigt. Es wurde nichts abgebucht.',
  setup: {
    title: 'Karte speichern',
    loading: 'Das Kartenformular wird geladen',
    cardTitle: 'Karte speichern',
    receiptFor: (email) => `Wird für ${email} gespeichert`,
    payPlain: 'Karte speichern',
    paying: 'Wird gespeichert …',
    challengeStop: 'Andere Karte verwenden',
    stopText: 'Dann wird die Karte nicht gespeichert, und Sie können eine andere verwenden.',
    checking: 'Wir prüfen Ihre Karte',
    checkingText: 'Das kann einen Moment dauern. Das Ergebnis erscheint hier von selbst.',
    expired: 'Dieser Link ist abgelaufen',
    expiredText:
      'Es wurde keine Karte gespeichert. Gehen Sie zurück zum Shop und beginnen Sie neu.',
    canceled: 'Der Vorgang wurde abgebrochen',
    canceledText: 'Es wurde keine Karte gespeichert.',
    declineOther: 'Die Bank hat die Karte abgelehnt.',
    problemTitle: 'Die Karte wurde nicht gespeichert',
  },

  checking: 'Wir prüfen Ihre Zahlung',
  checkingText:
    'Das kann einen Moment dauern. Bitte bezahlen Sie nicht noch einmal; das Ergebnis erscheint hier von selbst.',
  checkingLong:
    'Es dauert länger als sonst. Sie können diese Seite schließen: Der Shop erfährt das Ergebnis von uns.',
  checkingOffline: 'Die Verbindung ist unterbrochen. Sobald sie wieder da ist, prüfen wir weiter.',

  succeeded: 'Zahlung abgeschlossen',
  succeededText: (amount) => `Sie haben ${amount} bezahlt. Vielen Dank.`,
  complete: 'Bestellung abschließen',
  completing: 'Wird abgeschlossen…',
  freeLine: 'Es ist nichts zu bezahlen, eine Karte ist nicht nötig.',
  ordered: 'Bestellung abgeschlossen',
  orderedText: 'Es war nichts zu bezahlen, und es wurde nichts abgebucht. Vielen Dank.',
  authorized: 'Zahlung reserviert',
  authorizedText: (amount) =>
    `${amount} sind auf Ihrer Karte reserviert. Abgebucht ist noch nichts.`,
  authorizedUntil: (date) => `Der Shop kann bis ${date} abbuchen; danach endet die Reservierung.`,
  authorizedBefore: (amount, date) =>
    `${amount} wurden am ${date} auf Ihrer Karte reserviert. Was daraus geworden ist, weiß der Shop.`,
  continueTo: (place) => `Weiter zu ${place}`,
  continue: 'Weiter zum Shop',
  returning: 'Sie werden zum Shop zurückgeleitet …',
  reference: 'Zahlungsnummer',

  expired: 'Dieser Zahlungslink ist abgelaufen',
  expiredText:
    'Es wurde nichts abgebucht. Gehen Sie zurück zum Shop und beginnen Sie die Zahlung neu.',
  canceled: 'Diese Zahlung wurde abgebrochen',
  canceledText: 'Es wurde nichts abgebucht.',
  returned: 'Sie können diese Seite schließen',
  returnedText:
    'Es geht in dem Fenster weiter, in dem Sie begonnen haben. Auch der Shop erfährt das Ergebnis.',
  notFound: 'Dieser Zahlungslink funktioniert nicht',
  notFoundText:
    'Er ist unvollständig oder gehört zu einem anderen Tab. Öffnen Sie den Link des Shops noch einmal.',
  unusable: 'Diese Zahlung ist hier nicht möglich',
  unusableText:
    'Der Shop hat unvollständige Angaben geschickt. Es wurde nichts abgebucht; gehen Sie bitte zurück.',
  unreachable: 'Der Zahlungsdienst ist nicht erreichbar',
  unreachableText: 'Bitte prüfen Sie Ihre Verbindung.',
  retry: 'Erneut versuchen',

  formTitle: 'Das Kartenformular wurde nicht geladen',
  formProblems: {
    blocked_by_csp:
      'Eine Sicherheitsregel dieser Seite blockiert es. Bitte informieren Sie den Shop.',
    blocked_by_extension_or_network:
      'Vielleicht blockiert es eine Erweiterung oder das Netz. Schalten Sie Blocker für diese Seite ab und versuchen Sie es erneut.',
    origin_not_allowed:
      'Der Shop hat diese Adresse nicht freigegeben. Bitte informieren Sie den Shop.',
    session_expired: 'Das Formular war zu lange offen.',
    version_mismatch: 'Diese Seite ist veraltet.',
  },

  declineTitle: 'Die Karte wurde abgelehnt',
  declines: {
    insufficient_funds: 'Die Karte ist nicht ausreichend gedeckt.',
    lost_card: 'Die Bank akzeptiert diese Karte nicht.',
    stolen_card: 'Die Bank akzeptiert diese Karte nicht.',
    expired_card: 'Die Karte ist abgelaufen.',
    incorrect_cvc: 'Die Prüfnummer stimmt nicht.',
    invalid_cvc: 'Die Prüfnummer stimmt nicht.',
    incorrect_number: 'Die Kartennummer stimmt nicht.',
    invalid_number: 'Die Kartennummer stimmt nicht.',
    invalid_expiry_month: 'Das Ablaufdatum stimmt nicht.',
    invalid_expiry_year: 'Das Ablaufdatum stimmt nicht.',
    processing_error: 'Die Bank konnte die Zahlung gerade nicht bearbeiten.',
    authentication_required: 'Ihre Bank möchte, dass Sie die Zahlung bestätigen.',
    authentication_failed: 'Ihre Bank konnte Sie nicht bestätigen.',
    card_not_supported: 'Mit dieser Karte geht diese Zahlung nicht.',
    currency_not_supported: 'Die Karte unterstützt diese Währung nicht.',
    card_velocity_exceeded: 'Das Limit der Karte ist erreicht.',
    do_not_honor: 'Die Bank hat ohne Angabe von Gründen abgelehnt.',
    generic_decline: 'Die Bank hat ohne Angabe von Gründen abgelehnt.',
  },
  declineOther: 'Die Bank hat die Zahlung abgelehnt.',
  advices: {
    try_again_later:
      'Es wurde nichts abgebucht. Versuchen Sie es später noch einmal oder nehmen Sie eine andere Karte.',
    confirm_card_data:
      'Es wurde nichts abgebucht. Prüfen Sie die Kartendaten und versuchen Sie es noch einmal.',
    do_not_try_again:
      'Es wurde nichts abgebucht. Bitte nehmen Sie eine andere Karte oder fragen Sie Ihre Bank.',
  },

  adviceOther:
    'Es wurde nichts abgebucht. Versuchen Sie es noch einmal oder nehmen Sie eine andere Karte.',

  problemTitle: 'Die Zahlung wurde nicht ausgeführt',
  problems: {
    gateway_refused:
      'Der Shop kann gerade keine Zahlungen annehmen. Es wurde nichts abgebucht; bitte sagen Sie dem Shop Bescheid.',
    gateway_unavailable:
      'Das Kartennetz ist nicht erreichbar. Es wurde nichts abgebucht; bitte versuchen Sie es erneut.',
    service_unavailable:
      'Der Zahlungsdienst ist ausgelastet. Es wurde nichts abgebucht; bitte versuchen Sie es erneut.',
    rate_limited:
      'Zu viele Versuche. Es wurde nichts abgebucht; warten Sie eine Minute und versuchen Sie es dann erneut.',
    session_locked:
      'Zu viele Versuche. Es wurde nichts abgebucht, und hier wird keine Karte mehr angenommen. Gehen Sie zurück zum Shop und beginnen Sie neu.',
    not_received:
      'Die Zahlung kam nicht bei uns an. Es wurde nichts abgebucht; Sie können es erneut versuchen.',
    card_token_spent: 'Bitte geben Sie Ihre Karte noch einmal ein. Es wurde nichts abgebucht.',
    form_unavailable:
      'Das Kartenformular bekam keine Antwort. Es wurde nichts abgebucht; bitte versuchen Sie es erneut.',
    form_refused:
      'Das Kartenformular kann hier keine Karte annehmen. Es wurde nichts abgebucht; bitte sagen Sie dem Shop Bescheid.',
    wallet_declined:
      'Ihr Wallet hat abgelehnt. Es wurde nichts abgebucht; versuchen Sie es erneut oder zahlen Sie mit Karte.',
    amount_not_supported:
      'Dieser Betrag lässt sich hier nicht mit Karte zahlen. Es wurde nichts abgebucht; bitte ändern Sie Ihre Bestellung im Shop.',
    capture_method_not_supported:
      'Ihr Wallet lässt sich für diese Bestellung nicht verwenden. Es wurde nichts abgebucht; bitte zahlen Sie mit Karte.',
    challenge_canceled:
      'Die Bestätigung wurde abgebrochen. Es wurde nichts abgebucht; Sie können es erneut versuchen.',
    challenge_abandoned:
      'Sie wurde nicht rechtzeitig bestätigt. Es wurde nichts abgebucht; Sie können es erneut versuchen.',
    buyer_not_verified:
      'Der Shop muss wissen, wer Sie sind, bevor er Ihre Karte speichern kann. Es wurde nichts abgebucht; melden Sie sich beim Shop an und beginnen Sie neu.',
    payment_method_not_found:
      'Diese Karte ist nicht mehr gespeichert. Es wurde nichts abgebucht; bitte wählen Sie eine andere.',
    buyer_mismatch: 'Diese Zahlung gehört zu einer anderen Person. Es wurde nichts abgebucht.',
    checkout_session_total_changed:
      'Die Summe Ihrer Bestellung hat sich geändert. Es wurde nichts abgebucht; bitte prüfen Sie sie, dann bezahlen Sie.',
    coupon_exhausted:
      'Ein Rabattcode Ihrer Bestellung ist aufgebraucht. Es wurde nichts abgebucht; entfernen Sie den Code und bezahlen Sie dann.',
    coupon_inactive:
      'Ein Rabattcode Ihrer Bestellung gilt nicht mehr. Es wurde nichts abgebucht; entfernen Sie den Code und bezahlen Sie dann.',
    subscription_exists:
      'Sie haben dieses Abonnement bereits, oder eine andere Zahlung dafür läuft. Es wurde nichts abgebucht; der Shop gibt Ihnen Auskunft.',
    checkout_session_claim_pending:
      'Der Shop hat Ihre Bestellung noch nicht fertiggestellt. Es wurde nichts abgebucht; versuchen Sie es gleich noch einmal oder gehen Sie zurück zum Shop.',
  },
  waitText: (time) =>
    `Zu viele Versuche. Es wurde nichts abgebucht. In ${time} können Sie es erneut versuchen.`,
  problemOther: 'Etwas an der Anfrage wurde abgelehnt. Es wurde nichts abgebucht.',
  problemReference: (code) => `Code: ${code}`,
};
