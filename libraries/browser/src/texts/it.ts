import type { Texts } from './en.ts';

export const texts: Texts = {
  title: 'Numero della carta, scadenza e codice di sicurezza',
  confirming: 'Conferma con la tua banca',
  wait: 'Connessione alla tua banca…',
  frame: 'Pagina di conferma della tua banca',
  trouble: 'La pagina della banca non compare?',
  open: 'Aprila in una nuova finestra',
  elsewhere: 'La tua banca si apre in una nuova finestra. Poi questa pagina prosegue da sola.',
  checking: 'Verifica della carta…',
  cancel: 'Annulla',
  stopTitle: 'Interrompere la conferma?',
  stopText: 'La carta non verrà salvata.',
  stopYes: 'Interrompi',
  stopNo: 'Continua',
  declined: 'La tua banca ha rifiutato questa carta. Non è stata salvata.',
  notConfirmed:
    'La tua banca non ha potuto confermare la tua identità. La carta non è stata salvata.',
  reload: 'Non è stato possibile caricare una parte di questa pagina. Ricaricatela e riprovate.',
  paying: {
    stopText: 'Non verrà addebitato nulla.',
    declined: 'La tua banca ha rifiutato il pagamento. Non è stato addebitato nulla.',
    notConfirmed:
      'La tua banca non ha potuto confermare la tua identità. Non è stato addebitato nulla.',
  },
};
