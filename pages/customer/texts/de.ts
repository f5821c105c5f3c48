import type { CustomerTexts } from './en.ts';

export const de: CustomerTexts = {
  title: 'Ihre gespeicherten Karten',
  titleWallets: 'Ihre gespeicherten Wallets',
  at: (merchant) => `bei ${merchant}`,
  signedAs: (email) => `Für ${email}`,
  intro: 'Der Shop kann diese Karten für Ihre Bestellungen belasten. Die Nummern sieht er nie.',
  introWallets: 'Der Shop kann diese Wallets für Ihre Bestellungen belasten.',
  loading: 'Ihre Karten werden geladen',
  empty: 'Keine Karte gespeichert',
  emptyText:
    'Fügen Sie eine hinzu, dann müssen Sie sie bei der nächsten Bestellung nicht wieder eingeben.',
  default: 'Standard',
  wallet: 'Wallet',
  expiresSoon: (date) => `Läuft bald ab: ${date}`,

  add: 'Karte hinzufügen',
  replace: 'Ersetzen',
  replaceNote: (card) => `Sobald die neue Karte gespeichert ist, wird ${card} entfernt.`,
  remove: 'Entfernen',
  removing: 'Wird entfernt …',
  leaving: 'Das Entfernen ist noch nicht abgeschlossen.',
  makeDefault: 'Als Standard',
  changing: 'Wird geändert …',

  askTitle: (card) => `${card} entfernen?`,
  askText: 'Der Shop kann sie dann nicht mehr belasten.',
  askMoves:
    'Abonnements, die damit bezahlt werden, gehen auf eine andere gespeicherte Karte über, wenn eine einspringen kann.',
  askYes: 'Karte entfernen',
  askNo: 'Karte behalten',

  added: 'Die Karte wurde hinzugefügt.',
  replaced: (card) => `Die neue Karte wurde hinzugefügt und ${card} entfernt.`,
  removed: (card) => `${card} wurde entfernt.`,
  defaultChanged: (card) => `${card} ist jetzt der Standard.`,

  titleAll: 'Ihre Käufe und Karten',
  subscriptions: 'Abonnements',
  payments: 'Zahlungen',
  every: {
    day: (sum) => `${sum} jeden Tag`,
    week: (sum) => `${sum} jede Woche`,
    month: (sum) => `${sum} jeden Monat`,
    year: (sum) => `${sum} jedes Jahr`,
  },
  nextPaymentOn: (day) => `Nächste Zahlung am ${day}`,
  renewedOn: (day) => `Wird verlängert am ${day}`,
  triedAgainOn: (day) => `Die Zahlung ist fehlgeschlagen. Neuer Versuch am ${day}.`,
  endsOn: (day) => `Endet am ${day}. Es wird nichts mehr abgebucht.`,
  endedOn: (day) => `Beendet am ${day}`,
  paidWith: (card) => `Bezahlt mit ${card}`,
  end: 'Abonnement kündigen',
  takeBack: 'Abonnement fortsetzen',
  endByShop: 'Wenn Sie dieses Abonnement kündigen möchten, wenden Sie sich an den Shop.',
  endTitle: (name) => `${name} kündigen?`,
  endText: (day) =>
    `Es läuft bis ${day}, und es wird nichts mehr abgebucht. Bis dahin können Sie es hier fortsetzen.`,
  endNowText:
    'Die letzte Zahlung ist fehlgeschlagen, daher endet es sofort. Es wird nichts mehr abgebucht.',
  endYes: 'Jetzt kündigen',
  endNo: 'Abonnement behalten',
  ends: (name, day) => `${name} endet am ${day}.`,
  hasEnded: (name) => `${name} ist beendet.`,
  goesOn: (name, day) => `${name} läuft weiter. Nächste Zahlung am ${day}.`,
  endFailed: 'Das Abonnement wurde nicht gekündigt',
  resumeFailed: 'Das Abonnement wurde nicht fortgesetzt',
  receiptFailed: 'Der Beleg ließ sich nicht öffnen',
  purchasesFailed: 'Ihre Abonnements und Zahlungen konnten nicht geladen werden',
  payment: 'Zahlung',
  refund: 'Erstattung',
  states: {
    held: 'Reserviert, noch nicht abgebucht',
    processing: 'In Bearbeitung',
    paid: 'Bezahlt',
    partly_refunded: 'Teilweise erstattet',
    refunded: 'Erstattet',
  },
  receipt: 'Beleg',
  older: 'Ältere Zahlungen zeigen',

  details: 'Ihre Angaben',
  name: 'Name',
  noName: 'Kein Name',
  language: 'Sprache',
  languageOfBrowser: 'Wie im Browser',
  change: 'Ändern',
  newEmail: 'Neue E-Mail-Adresse',
  newEmailHint: (email) => `Jetzt ${email}. Lassen Sie das Feld leer, wenn es dabei bleiben soll.`,
  save: 'Speichern',
  pending: (email) => `Wartet auf Ihre Bestätigung aus der Mail an ${email}.`,
  pendingDrop: 'Neue Adresse verwerfen',
  detailsSaved: 'Ihre Angaben wurden gespeichert.',
  addressMailed:
    'Eine Mail an die neue Adresse ist unterwegs. Die Adresse gilt, sobald Sie auf der Seite bestätigen, zu der die Mail führt.',
  addressDropped: 'Die neue Adresse wurde verworfen.',
  detailsFailed: 'Ihre Angaben wurden nicht gespeichert',
  detailsUnread: 'Ihre Angaben konnten nicht geladen werden',
  emailWrong: 'Das ist keine E-Mail-Adresse.',
  emailOften: 'Das wurde zu oft verlangt. Versuchen Sie es in einer Stunde wieder.',

  removeFailed: 'Die Karte wurde nicht entfernt',
  addFailed: 'Das Kartenformular ließ sich nicht öffnen',
  defaultFailed: 'Der Standard wurde nicht geändert',
  problems: {
    customer_page_limited:
      'Der Link des Shops erlaubt das nicht. Bitten Sie den Shop darum oder um einen anderen Link.',
    payment_method_in_use:
      'Ein Abonnement wird mit dieser Karte bezahlt, und keine andere gespeicherte Karte kann einspringen. Fügen Sie zuerst eine andere Karte hinzu und entfernen Sie dann diese.',
    payment_method_has_active_payment:
      'Eine Zahlung mit dieser Karte ist noch nicht abgeschlossen. Warten Sie, bis sie es ist, und versuchen Sie es dann noch einmal.',
    payment_method_reassignment_requires_payer_action:
      'Ein Abonnement wird mit diesem Wallet bezahlt, und nur Sie können einen anderen Weg freigeben. Bitten Sie den Shop, die Bezahlung zu ändern, und entfernen Sie dann das Wallet.',
    payment_method_not_found: 'Diese Karte ist nicht mehr gespeichert.',
    unusable: 'Diese Karte wird gerade entfernt, oder sie kann zurzeit nicht verwendet werden.',
    retry_delete:
      'Das Entfernen konnte noch nicht abgeschlossen werden. Bis dahin bleibt die Karte in dieser Liste; versuchen Sie es gleich noch einmal.',
    contact_support:
      'Das Entfernen konnte nicht abgeschlossen werden, und es ist nicht sicher, wie es um die Karte steht. Bitte fragen Sie den Shop, bevor Sie es noch einmal versuchen.',
    update_funding_manually:
      'Was mit dieser Karte bezahlt wird, ließ sich nicht auf eine andere übertragen. Bitten Sie den Shop, die Bezahlung zu ändern, und entfernen Sie dann die Karte.',
    gateway_refused:
      'Der Shop hat gerade keinen Zugang zum Kartennetz. Es wurde nichts geändert; bitte sagen Sie dem Shop Bescheid.',
    gateway_unavailable:
      'Das Kartennetz ist nicht erreichbar. Es wurde nichts geändert; versuchen Sie es noch einmal.',
    gateway_outcome_unknown:
      'Es ist noch nicht bekannt, ob das gelungen ist. Laden Sie diese Seite in einer Minute neu.',
    subscription_ended: 'Das Abonnement ist schon beendet.',
    subscription_end_by_merchant:
      'Der Shop hat dieses Abonnement beendet. Fragen Sie dort, wenn Sie es behalten möchten.',
    customer_page_cancel_off:
      'Wenn Sie dieses Abonnement kündigen möchten, wenden Sie sich an den Shop.',
    rate_limited: 'Zu viele Versuche. Bitte warten Sie eine Minute.',
  },
  problemOther: 'Das wurde abgelehnt. Es wurde nichts geändert.',

  find: 'Ihre Käufe',
  findText:
    'Geben Sie die Adresse ein, mit der Sie gekauft haben. Wir schicken einen Link dorthin.',
  findField: 'E-Mail-Adresse',
  findSend: 'Link schicken',
  findSent: 'Wenn mit dieser Adresse etwas gekauft wurde, ist ein Link dorthin unterwegs.',

  confirm: 'Neue Adresse bestätigen',
  confirmText: 'Mails des Shops gehen dann an diese Adresse und nicht mehr an die bisherige.',
  confirmYes: 'Adresse bestätigen',
  confirmed: 'Ihre Adresse wurde geändert',
  confirmedText: (shop, email) => `Mails von ${shop} gehen jetzt an ${email}.`,
  addressOverText:
    'Er gilt einen Tag lang, und nur der neueste gilt. Verlangen Sie die Änderung auf Ihrer Seite noch einmal.',

  gone: 'Dieser Link funktioniert nicht',
  goneText:
    'Der Link ist unbekannt oder unvollständig. Öffnen Sie ihn dort noch einmal, wo Sie ihn bekommen haben, oder bitten Sie den Shop um einen neuen.',
  linkOver: 'Dieser Link ist abgelaufen',
  linkOverText: 'Ein Link des Shops gilt zehn Minuten. Bitten Sie den Shop um einen neuen.',
  mailOverText:
    'Ein Link in einer E-Mail gilt sieben Tage. Wir können einen neuen an dieselbe Adresse schicken.',
  mailAgain: 'Neuen Link schicken',
  mailed: 'Ein neuer Link ist unterwegs zu Ihnen.',
  expired: 'Diese Seite ist abgelaufen',
  expiredText:
    'Zu Ihrer Sicherheit gilt sie eine halbe Stunde. Öffnen Sie den Link in der E-Mail noch einmal, oder bitten Sie den Shop um einen neuen.',
  unreachableText: 'Bitte prüfen Sie Ihre Verbindung.',
};
