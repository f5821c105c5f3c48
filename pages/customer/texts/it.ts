import type { CustomerTexts } from './en.ts';

export const it: CustomerTexts = {
  title: 'Le tue carte salvate',
  titleWallets: 'I tuoi portafogli salvati',
  at: (merchant) => `presso ${merchant}`,
  signedAs: (email) => `Per ${email}`,
  intro: 'Il negozio può addebitare i tuoi ordini su queste carte. Non ne vede mai i numeri.',
  introWallets: 'Il negozio può addebitare i tuoi ordini su questi portafogli.',
  loading: 'Caricamento delle tue carte',
  empty: 'Nessuna carta salvata',
  emptyText: 'Aggiungine una e non dovrai digitarla al prossimo ordine.',
  default: 'Predefinita',
  wallet: 'Portafoglio',
  expiresSoon: (date) => `Scade presto: ${date}`,

  add: 'Aggiungi una carta',
  replace: 'Sostituisci',
  replaceNote: (card) => `Quando la nuova carta sarà salvata, ${card} verrà rimossa.`,
  remove: 'Rimuovi',
  removing: 'Rimozione…',
  leaving: 'La rimozione non è ancora completa.',
  makeDefault: 'Predefinita',
  changing: 'Modifica in corso…',

  askTitle: (card) => `Rimuovere ${card}?`,
  askText: 'Il negozio non potrà più addebitarla.',
  askMoves:
    'Gli abbonamenti pagati con essa passano a un’altra carta salvata, se ce n’è una che può subentrare.',
  askYes: 'Rimuovi carta',
  askNo: 'Tieni carta',

  added: 'La carta è stata aggiunta.',
  replaced: (card) => `La nuova carta è stata aggiunta e ${card} è stata rimossa.`,
  removed: (card) => `${card} è stata rimossa.`,
  defaultChanged: (card) => `${card} ora è la predefinita.`,

  titleAll: 'I tuoi acquisti e le tue carte',
  subscriptions: 'Abbonamenti',
  payments: 'Pagamenti',
  every: {
    day: (sum) => `${sum} ogni giorno`,
    week: (sum) => `${sum} ogni settimana`,
    month: (sum) => `${sum} ogni mese`,
    year: (sum) => `${sum} ogni anno`,
  },
  nextPaymentOn: (day) => `Prossimo pagamento: ${day}`,
  renewedOn: (day) => `Si rinnova il ${day}`,
  triedAgainOn: (day) => `Il pagamento non è riuscito. Nuovo tentativo: ${day}.`,
  endsOn: (day) => `Termina il ${day}. Non viene addebitato altro.`,
  endedOn: (day) => `Terminato il ${day}`,
  paidWith: (card) => `Pagato con ${card}`,
  end: 'Disdici abbonamento',
  takeBack: 'Continua abbonamento',
  endByShop: 'Per disdire questo abbonamento, rivolgiti al negozio.',
  endTitle: (name) => `Disdire ${name}?`,
  endText: (day) =>
    `Resta attivo fino al ${day} e non viene addebitato altro. Fino ad allora puoi continuarlo qui.`,
  endNowText:
    'L’ultimo pagamento non è riuscito, quindi termina subito. Non viene addebitato altro.',
  endYes: 'Disdici abbonamento',
  endNo: 'Tieni abbonamento',
  ends: (name, day) => `${name} termina il ${day}.`,
  hasEnded: (name) => `${name} è terminato.`,
  goesOn: (name, day) => `${name} continua. Prossimo pagamento: ${day}.`,
  endFailed: 'L’abbonamento non è stato disdetto',
  resumeFailed: 'L’abbonamento non è stato continuato',
  receiptFailed: 'Non è stato possibile aprire la ricevuta',
  purchasesFailed: 'Non è stato possibile caricare i tuoi abbonamenti e pagamenti',
  payment: 'Pagamento',
  refund: 'Rimborso',
  states: {
    held: 'Riservato, non ancora addebitato',
    processing: 'In corso',
    paid: 'Pagato',
    partly_refunded: 'Rimborsato in parte',
    refunded: 'Rimborsato',
  },
  receipt: 'Ricevuta',
  older: 'Mostra pagamenti precedenti',

  details: 'I tuoi dati',
  name: 'Nome',
  noName: 'Nessun nome',
  language: 'Lingua',
  languageOfBrowser: 'Quella del browser',
  change: 'Modifica',
  newEmail: 'Nuovo indirizzo e-mail',
  newEmailHint: (email) => `Ora ${email}. Lascia vuoto per mantenerlo.`,
  save: 'Salva',
  pending: (email) => `In attesa della tua conferma dall’e-mail inviata a ${email}.`,
  pendingDrop: 'Rinuncia al nuovo indirizzo',
  detailsSaved: 'I tuoi dati sono stati salvati.',
  addressMailed:
    'Un’e-mail è in arrivo al nuovo indirizzo. Vale appena lo confermi nella pagina a cui porta l’e-mail.',
  addressDropped: 'Il nuovo indirizzo è stato scartato.',
  detailsFailed: 'I tuoi dati non sono stati salvati',
  detailsUnread: 'Impossibile caricare i tuoi dati',
  emailWrong: 'Questo non è un indirizzo e-mail.',
  emailOften: 'È stato chiesto troppo spesso. Riprova tra un’ora.',

  removeFailed: 'La carta non è stata rimossa',
  addFailed: 'Non è stato possibile aprire il modulo',
  defaultFailed: 'La predefinita non è stata cambiata',
  problems: {
    customer_page_limited:
      'Il link del negozio non lo consente. Lo chieda al negozio, oppure chieda un altro link.',
    payment_method_in_use:
      'Un abbonamento è pagato con questa carta e nessun’altra carta salvata può subentrare. Aggiungi prima un’altra carta, poi rimuovi questa.',
    payment_method_has_active_payment:
      'Un pagamento con questa carta non è ancora concluso. Aspetta che lo sia, poi riprova.',
    payment_method_reassignment_requires_payer_action:
      'Un abbonamento è pagato con questo portafoglio e solo tu puoi approvare un altro modo. Chiedi al negozio di cambiare il pagamento, poi rimuovi il portafoglio.',
    payment_method_not_found: 'Questa carta non è più salvata.',
    unusable: 'Questa carta è in corso di rimozione, oppure al momento non si può usare.',
    retry_delete:
      'Non è stato ancora possibile completare la rimozione. La carta resta in questo elenco fino ad allora; riprova tra un momento.',
    contact_support:
      'Non è stato possibile completare la rimozione e non è certo quale sia lo stato della carta. Chiedi al negozio prima di riprovare.',
    update_funding_manually:
      'Ciò che si paga con questa carta non si è potuto spostare su un’altra. Chiedi al negozio di cambiare il pagamento, poi rimuovi la carta.',
    gateway_refused:
      'Il negozio non ha accesso alla rete delle carte al momento. Non è cambiato nulla; avvisi il negozio.',
    gateway_unavailable: 'La rete delle carte non è raggiungibile. Non è cambiato nulla; riprova.',
    gateway_outcome_unknown:
      'Non si sa ancora se ha funzionato. Ricarica questa pagina tra un minuto.',
    subscription_ended: 'L’abbonamento è già terminato.',
    subscription_end_by_merchant:
      'Il negozio ha messo fine a questo abbonamento. Chiedi al negozio se vuoi tenerlo.',
    customer_page_cancel_off: 'Per disdire questo abbonamento, rivolgiti al negozio.',
    rate_limited: 'Troppi tentativi. Aspetta un minuto.',
  },
  problemOther: 'È stato rifiutato. Non è cambiato nulla.',

  find: 'I tuoi acquisti',
  findText: 'Scrivi l’indirizzo con cui hai acquistato. Ti inviamo un link.',
  findField: 'Indirizzo e-mail',
  findSend: 'Inviami il link',
  findSent: 'Se con questo indirizzo è stato acquistato qualcosa, un link è in arrivo.',

  confirm: 'Conferma il tuo nuovo indirizzo',
  confirmText: 'Il negozio scriverà allora a questo indirizzo e non più al precedente.',
  confirmYes: 'Conferma indirizzo',
  confirmed: 'Il tuo indirizzo è stato cambiato',
  confirmedText: (shop, email) => `${shop} ora scrive a ${email}.`,
  addressOverText:
    'Vale un giorno, e vale solo il più recente. Chiedi di nuovo la modifica nella tua pagina.',

  gone: 'Questo link non funziona',
  goneText:
    'Il link è sconosciuto o incompleto. Aprilo di nuovo da dove l’hai ricevuto, o chiedine uno nuovo al negozio.',
  linkOver: 'Questo link è scaduto',
  linkOverText: 'Un link del negozio vale dieci minuti. Chiedine uno nuovo al negozio.',
  mailOverText:
    'Un link in un’e-mail vale sette giorni. Possiamo inviarne uno nuovo allo stesso indirizzo.',
  mailAgain: 'Inviami un nuovo link',
  mailed: 'Un nuovo link è in arrivo.',
  expired: 'Questa pagina è scaduta',
  expiredText:
    'Per la tua sicurezza vale mezz’ora. Apri di nuovo il link nell’e-mail, o chiedine uno nuovo al negozio.',
  unreachableText: 'Controlla la connessione.',
};
