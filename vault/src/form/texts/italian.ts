import type { Texts } from './keys.ts';

export const italian: Texts = {
  title: 'Dati della carta',
  loading: 'Caricamento del modulo della carta',
  number: 'Numero della carta',
  expiry: 'Data di scadenza',
  expiryPlaceholder: 'MM / AA',
  cvc: 'Codice di sicurezza',
  name: 'Nome sulla carta',
  postalCode: 'CAP',
  cvcHint3: '3 cifre sul retro della carta',
  cvcHint4: '4 cifre sul fronte della carta',
  brandDetected: 'Carta {brand}',
  number_incomplete: 'Inserisci il numero completo della carta.',
  number_invalid: 'Controlla il numero della carta: contiene un errore.',
  expiry_incomplete: 'Inserisci il mese e l’anno di scadenza.',
  expiry_past: 'Questa carta è scaduta; usane un’altra.',
  cvc_incomplete: 'Inserisci il codice di sicurezza: {hint}.',
  name_required: 'Inserisci il nome come appare sulla carta.',
  postal_code_required: 'Inserisci il CAP dell’indirizzo di fatturazione.',
  brand_unsupported: 'Questo circuito non è accettato qui; usa un’altra carta.',
  session_expired: 'Questo pagamento è scaduto; ricarica la pagina per continuare.',
  rate_limited: 'Troppi tentativi; attendi un momento e riprova.',
  card_declined: 'La carta è stata rifiutata; usane un’altra o contatta la tua banca.',
  unavailable:
    'Il servizio delle carte non è raggiungibile; non è stato addebitato nulla, riprova.',
};
