import type { Texts } from './en.ts';

export const it: Texts = {
  title: 'Pagamento',
  backTo: (place) => `Torna a ${place}`,
  back: 'Torna al negozio',
  questions: 'Domande?',
  termsOf: (merchant) => `Condizioni di ${merchant}`,
  sandbox: 'Modalità di prova',
  testMode: 'Modalità di prova',
  sandboxHint: 'Qui non circola denaro vero. Carta di prova: 4242\u00a04242\u00a04242\u00a04242.',
  summary: 'Il tuo ordine',
  showAll: (count) => `Mostra tutti i ${count} articoli`,
  quantity: (count) => `${count} pezzi`,
  total: 'Totale',
  subtotal: 'Subtotale',
  discount: 'Sconto',
  toPay: 'Da pagare',
  toHold: 'Da autorizzare',
  cardTitle: 'Dati della carta',
  cardFrame: 'Numero della carta, scadenza e codice di sicurezza',
  receiptFor: (email) => `Pagamento come ${email}`,
  pay: (amount) => `Paga ${amount}`,
  authorise: (amount) => `Autorizza ${amount}`,
  holdLine:
    'Ora non viene addebitato nulla. L’importo è riservato e il negozio lo addebita più tardi.',
  safe: 'Il numero della carta va solo al modulo del fornitore di pagamenti, mai al negozio.',
  paying: 'Pagamento in corso…',
  authorising: 'Autorizzazione in corso…',
  payingHint: 'Lascia aperta questa pagina.',
  loading: 'Caricamento del pagamento',

  payWith: 'Paga con',
  anyBrand: 'Carta',
  savedCard: (brand, lastFour) => `${brand} che termina con ${lastFour}`,
  otherCard: 'Un’altra carta',
  cardExpires: (date) => `Scade ${date}`,
  cardExpired: (date) => `Scaduta ${date}`,
  cardDeclined: 'Rifiutata',
  keepCard: 'Salva questa carta per i miei prossimi pagamenti in questo negozio',
  repeats: {
    day: (amount) => `poi ${amount} ogni giorno`,
    week: (amount) => `poi ${amount} ogni settimana`,
    month: (amount) => `poi ${amount} ogni mese`,
    year: (amount) => `poi ${amount} ogni anno`,
  },
  keepLine:
    'La carta o il wallet con cui paghi viene salvato e addebitato a ogni rinnovo, finché l’abbonamento non viene disdetto.',
  cancelOnPage: 'Puoi disdirlo nella pagina dei tuoi acquisti.',
  cancelByShop: 'Per disdirlo, rivolgiti al negozio.',

  redirecting: 'Ti portiamo alla tua banca',
  redirectingWallet: 'Ti portiamo al tuo portafoglio',
  challenge: 'La tua banca ti aspetta',
  challengeElsewhere:
    'Completa la conferma dove la tua banca l’ha aperta. Poi questa pagina prosegue da sola.',
  challengeStop: 'Paga in altro modo',

  confirming: 'Conferma con la tua banca',
  confirmingWait: 'Connessione alla tua banca…',
  confirmingFrame: 'Pagina di conferma della tua banca',
  confirmingTrouble: 'La pagina della banca non compare?',
  confirmingHere: 'Aprila in questa finestra',
  cancel: 'Annulla',
  stopTitle: 'Interrompere la conferma?',
  stopText: 'Non viene addebitato nulla e puoi pagare in altro modo.',
  stopYes: 'Interrompi',
  stopNo: 'Continua',

  wallet: 'Il tuo portafoglio ti aspetta',
  walletText: 'Approva questo pagamento nel tuo portafoglio. Prima non viene addebitato nulla.',
  walletOpen: 'Continua nel portafoglio',
  walletStop: 'Paga con la carta',
  walletPay: 'Paga con il tuo portafoglio',
  orCard: 'o con la carta',

  couponOpen: 'Aggiungi un codice sconto',
  couponLabel: 'Codice sconto',
  couponApply: 'Applica',
  couponRemove: (code) => `Rimuovi il codice ${code}`,
  couponApplied: (total) => `Il codice è stato applicato. Nuovo totale: ${total}`,
  couponRemoved: (total) => `Il codice è stato rimosso. Nuovo totale: ${total}`,
  coupons: {
    coupon_unknown: 'Questo codice non esiste. Controlla come è scritto.',
    coupon_inactive: 'Questo codice al momento non si può usare.',
    coupon_not_started: 'Questo codice non è ancora valido.',
    coupon_ended: 'Questo codice non è più valido.',
    coupon_exhausted: 'Questo codice è già stato usato tutte le volte consentite.',
    coupon_currency_differs: 'Questo codice non vale per la valuta del tuo ordine.',
    coupon_repeated: 'Questo codice fa già parte del tuo ordine.',
    coupon_without_effect: 'Questo codice non sconta alcun articolo del tuo ordine.',
    rate_limited: 'Sono stati provati troppi codici. Attendi un minuto.',
    checkout_attempt_in_progress: 'Un pagamento è in corso. Dopo si potrà cambiare il codice.',
  },
  couponOther: 'Questo codice non si può usare per il tuo ordine.',

  payPlain: 'Paga',
  cartComing: 'In attesa del tuo ordine',
  cartComingText:
    'Il negozio sta ancora preparando il tuo ordine. L’importo compare qui tra un momento e prima non viene addebitato nulla.',

  setupLine:
    'Ora non viene addebitato nulla. Il negozio potrà addebitare su questa carta ciò che ordinerai in seguito.',
  saved: 'Carta salvata',
  savedText: 'La tua banca ha confermato la carta. Non è stato addebitato nulla.',
  setup: {
    title: 'Salva una carta',
    loading: 'Caricamento del modulo',
    cardTitle: 'Salva una carta',
    receiptFor: (email) => `Verrà salvata per ${email}`,
    payPlain: 'Salva carta',
    paying: 'Salvataggio…',
    challengeStop: 'Usa un’altra carta',
    stopText: 'La carta non viene salvata e puoi usarne un’altra.',
    checking: 'Stiamo verificando la tua carta',
    checkingText: 'Può volerci un momento. Il risultato appare qui da solo.',
    expired: 'Questo link è scaduto',
    expiredText: 'Nessuna carta è stata salvata. Torna al negozio e ricomincia.',
    canceled: 'L’operazione è stata annullata',
    canceledText: 'Nessuna carta è stata salvata.',
    declineOther: 'La banca ha rifiutato la carta.',
    problemTitle: 'La carta non è stata salvata',
  },

  checking: 'Stiamo verificando il pagamento',
  checkingText: 'Può volerci un momento. Non pagare di nuovo; il risultato appare qui da solo.',
  checkingLong:
    'Ci vuole più del solito. Puoi chiudere questa pagina: comunicheremo il risultato al negozio.',
  checkingOffline: 'La connessione è interrotta. Riprendiamo appena torna.',

  succeeded: 'Pagamento completato',
  succeededText: (amount) => `Hai pagato ${amount}. Grazie.`,
  complete: 'Completa l’ordine',
  completing: 'Completamento in corso…',
  freeLine: 'Non c’è nulla da pagare, non serve alcuna carta.',
  ordered: 'Ordine completato',
  orderedText: 'Non c’era nulla da pagare e non è stato addebitato nulla. Grazie.',
  authorized: 'Pagamento autorizzato',
  authorizedText: (amount) =>
    `${amount} sono riservati sulla tua carta. Non è ancora stato addebitato nulla.`,
  authorizedUntil: (date) => `Il negozio può addebitarlo fino al ${date}; poi la riserva termina.`,
  authorizedBefore: (amount, date) =>
    `In data ${date} sono stati riservati ${amount} sulla tua carta. Il negozio può dirti che cosa è successo dopo.`,
  continueTo: (place) => `Prosegui verso ${place}`,
  continue: 'Prosegui verso il negozio',
  returning: 'Ritorno al negozio…',
  reference: 'Riferimento del pagamento',

  expired: 'Questo link di pagamento è scaduto',
  expiredText: 'Non è stato addebitato nulla. Torna al negozio e ricomincia il pagamento.',
  canceled: 'Questo pagamento è stato annullato',
  canceledText: 'Non è stato addebitato nulla.',
  returned: 'Puoi chiudere questa pagina',
  returnedText:
    'Si continua nella finestra in cui hai iniziato. Anche il negozio viene a sapere il risultato.',
  notFound: 'Questo link di pagamento non funziona',
  notFoundText: 'È incompleto o appartiene a un’altra scheda. Riapri il link del negozio.',
  unusable: 'Questo pagamento non è possibile qui',
  unusableText:
    'Il negozio ha inviato una richiesta incompleta. Non è stato addebitato nulla; torna indietro.',
  unreachable: 'Il servizio di pagamento non è raggiungibile',
  unreachableText: 'Controlla la connessione.',
  retry: 'Riprova',

  formTitle: 'Il modulo della carta non si è caricato',
  formProblems: {
    blocked_by_csp: 'Una regola di sicurezza di questa pagina lo blocca. Avvisa il negozio.',
    blocked_by_extension_or_network:
      'Forse lo blocca un’estensione o la rete. Disattiva i blocchi per questa pagina e riprova.',
    origin_not_allowed: 'Il negozio non ha consentito questo indirizzo. Avvisa il negozio.',
    session_expired: 'Il modulo è rimasto aperto troppo a lungo.',
    version_mismatch: 'Questa pagina non è aggiornata.',
  },

  declineTitle: 'La carta è stata rifiutata',
  declines: {
    insufficient_funds: 'La carta non ha fondi sufficienti.',
    lost_card: 'La banca non accetta questa carta.',
    stolen_card: 'La banca non accetta questa carta.',
    expired_card: 'La carta è scaduta.',
    incorrect_cvc: 'Il codice di sicurezza non è corretto.',
    invalid_cvc: 'Il codice di sicurezza non è corretto.',
    incorrect_number: 'Il numero della carta non è corretto.',
    invalid_number: 'Il numero della carta non è corretto.',
    invalid_expiry_month: 'La data di scadenza non è corretta.',
    invalid_expiry_year: 'La data di scadenza non è corretta.',
    processing_error: 'La banca non ha potuto elaborare il pagamento.',
    authentication_required: 'La tua banca chiede di confermare il pagamento.',
    authentication_failed: 'La tua banca non ha potuto confermare la tua identità.',
    card_not_supported: 'Con questa carta il pagamento non è possibile.',
    currency_not_supported: 'La carta non supporta questa valuta.',
    card_velocity_exceeded: 'La carta ha raggiunto il suo limite.',
    do_not_honor: 'La banca ha rifiutato senza indicare il motivo.',
    generic_decline: 'La banca ha rifiutato senza indicare il motivo.',
  },
  declineOther: 'La banca ha rifiutato il pagamento.',
  advices: {
    try_again_later: 'Non è stato addebitato nulla. Riprova più tardi o usa un’altra carta.',
    confirm_card_data: 'Non è stato addebitato nulla. Controlla i dati della carta e riprova.',
    do_not_try_again:
      'Non è stato addebitato nulla. Usa un’altra carta o rivolgiti alla tua banca.',
  },

  adviceOther: 'Non è stato addebitato nulla. Riprova o usa un’altra carta.',

  problemTitle: 'Il pagamento non è stato effettuato',
  problems: {
    gateway_refused:
      'Il negozio non può accettare pagamenti al momento. Non è stato addebitato nulla; avvisi il negozio.',
    gateway_unavailable:
      'La rete delle carte non è raggiungibile. Non è stato addebitato nulla; riprova.',
    service_unavailable:
      'Il servizio di pagamento è sovraccarico. Non è stato addebitato nulla; riprova.',
    rate_limited: 'Troppi tentativi. Non è stato addebitato nulla; attendi un minuto e riprova.',
    session_locked:
      'Troppi tentativi. Non è stato addebitato nulla e qui non si accettano altre carte. Torna al negozio e ricomincia.',
    not_received: 'Il pagamento non ci è arrivato. Non è stato addebitato nulla; puoi riprovare.',
    card_token_spent: 'Inserisci di nuovo la carta. Non è stato addebitato nulla.',
    form_unavailable:
      'Il modulo della carta non ha ricevuto risposta. Non è stato addebitato nulla; riprova.',
    form_refused:
      'Il modulo della carta non può accettare carte qui. Non è stato addebitato nulla; avvisi il negozio.',
    wallet_declined:
      'Il tuo portafoglio ha rifiutato. Non è stato addebitato nulla; riprova o paga con la carta.',
    amount_not_supported:
      'Questo importo non si può pagare qui con la carta. Non è stato addebitato nulla; modifica il tuo ordine nel negozio.',
    capture_method_not_supported:
      'Il tuo portafoglio non si può usare per questo ordine. Non è stato addebitato nulla; paga con la carta.',
    challenge_canceled:
      'La conferma è stata annullata. Non è stato addebitato nulla; puoi riprovare.',
    challenge_abandoned:
      'Non è stato confermato in tempo. Non è stato addebitato nulla; puoi riprovare.',
    buyer_not_verified:
      'Il negozio deve sapere chi sei prima di poter salvare la tua carta. Non è stato addebitato nulla; accedi al negozio e ricomincia.',
    payment_method_not_found:
      'Questa carta non è più salvata. Non è stato addebitato nulla; scegline un’altra.',
    buyer_mismatch: 'Questo pagamento appartiene a un’altra persona. Non è stato addebitato nulla.',
    checkout_session_total_changed:
      'Il totale del tuo ordine è cambiato. Non è stato addebitato nulla; controllalo, poi paga.',
    coupon_exhausted:
      'Un codice sconto del tuo ordine è esaurito. Non è stato addebitato nulla; rimuovi il codice e poi paga.',
    coupon_inactive:
      'Un codice sconto del tuo ordine non è più valido. Non è stato addebitato nulla; rimuovi il codice e poi paga.',
    subscription_exists:
      'Hai già questo abbonamento, oppure è in corso un altro pagamento. Non è stato addebitato nulla; il negozio può darti informazioni.',
    checkout_session_claim_pending:
      'Il negozio non ha ancora preparato il tuo ordine. Non è stato addebitato nulla; riprova tra un momento o torna al negozio.',
  },
  waitText: (time) => `Troppi tentativi. Non è stato addebitato nulla. Puoi riprovare tra ${time}.`,
  problemOther: 'Qualcosa nella richiesta è stato rifiutato. Non è stato addebitato nulla.',
  problemReference: (code) => `Codice: ${code}`,
};
