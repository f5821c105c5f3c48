import type { Texts } from './en.ts';

export const nl: Texts = {
  title: 'Betalen',
  backTo: (place) => `Terug naar ${place}`,
  back: 'Terug naar de winkel',
  questions: 'Vragen?',
  termsOf: (merchant) => `Voorwaarden van ${merchant}`,
  sandbox: 'Testmodus',
  testMode: 'Testmodus',
  sandboxHint: 'Hier gaat geen echt geld om. Testkaart: 4242\u00a04242\u00a04242\u00a04242.',
  summary: 'Uw bestelling',
  showAll: (count) => `Alle ${count} artikelen tonen`,
  quantity: (count) => `${count} stuks`,
  total: 'Totaal',
  subtotal: 'Subtotaal',
  discount: 'Korting',
  toPay: 'Te betalen',
  toHold: 'Te reserveren',
  cardTitle: 'Kaartgegevens',
  cardFrame: 'Kaartnummer, vervaldatum en beveiligingscode',
  receiptFor: (email) => `Betaling als ${email}`,
  pay: (amount) => `${amount} betalen`,
  authorise: (amount) => `${amount} reserveren`,
  holdLine:
    'Uw kaart wordt nu niet belast. Het bedrag wordt gereserveerd en later door de winkel afgeschreven.',
  safe: 'Uw kaartnummer gaat alleen naar het formulier van de betaaldienst, nooit naar de winkel.',
  paying: 'Bezig met betalen…',
  authorising: 'Bezig met reserveren…',
  payingHint: 'Laat deze pagina open.',
  loading: 'Uw betaling wordt geladen',

  payWith: 'Betalen met',
  anyBrand: 'Kaart',
  savedCard: (brand, lastFour) => `${brand} eindigend op ${lastFour}`,
  otherCard: 'Een andere kaart',
  cardExpires: (date) => `Geldig tot ${date}`,
  cardExpired: (date) => `Verlopen ${date}`,
  cardDeclined: 'Geweigerd',
  keepCard: 'Deze kaart bewaren voor mijn volgende betalingen aan deze winkel',
  repeats: {
    day: (amount) => `daarna ${amount} per dag`,
    week: (amount) => `daarna ${amount} per week`,
    month: (amount) => `daarna ${amount} per maand`,
    year: (amount) => `daarna ${amount} per jaar`,
  },
  keepLine:
    'De kaart of wallet waarmee u betaalt wordt bewaard en bij elke verlenging belast, totdat het abonnement wordt opgezegd.',
  cancelOnPage: 'U kunt het opzeggen op de pagina met uw aankopen.',
  cancelByShop: 'Vraag de winkel om het op te zeggen.',

  redirecting: 'Naar uw bank',
  redirectingWallet: 'Naar uw wallet',
  challenge: 'Uw bank wacht op u',
  challengeElsewhere:
    'Rond de bevestiging af waar uw bank die heeft geopend. Daarna gaat deze pagina vanzelf verder.',
  challengeStop: 'Anders betalen',

  confirming: 'Bevestig bij uw bank',
  confirmingWait: 'Verbinding met uw bank…',
  confirmingFrame: 'Bevestigingspagina van uw bank',
  confirmingTrouble: 'Verschijnt de pagina van uw bank niet?',
  confirmingHere: 'In dit venster openen',
  cancel: 'Annuleren',
  stopTitle: 'Bevestiging stoppen?',
  stopText: 'Er wordt dan niets afgeschreven en u kunt anders betalen.',
  stopYes: 'Stoppen',
  stopNo: 'Doorgaan',

  wallet: 'Uw wallet wacht op u',
  walletText: 'Keur deze betaling goed in uw wallet. Eerder wordt niets afgeschreven.',
  walletOpen: 'Verder in uw wallet',
  walletStop: 'Met kaart betalen',
  walletPay: 'Betalen met uw wallet',
  orCard: 'of met kaart',

  couponOpen: 'Kortingscode toevoegen',
  couponLabel: 'Kortingscode',
  couponApply: 'Toepassen',
  couponRemove: (code) => `Code ${code} verwijderen`,
  couponApplied: (total) => `De code is toegepast. Nieuw totaal: ${total}`,
  couponRemoved: (total) => `De code is verwijderd. Nieuw totaal: ${total}`,
  coupons: {
    coupon_unknown: 'Deze code bestaat niet. Controleer hoe hij is geschreven.',
    coupon_inactive: 'Deze code is nu niet te gebruiken.',
    coupon_not_started: 'Deze code is nog niet geldig.',
    coupon_ended: 'Deze code is niet meer geldig.',
    coupon_exhausted: 'Deze code is al zo vaak gebruikt als mag.',
    coupon_currency_differs: 'Deze code geldt niet voor de valuta van uw bestelling.',
    coupon_repeated: 'Deze code hoort al bij uw bestelling.',
    coupon_without_effect: 'Deze code geeft geen korting op de artikelen van uw bestelling.',
    rate_limited: 'Er zijn te veel codes geprobeerd. Wacht een minuut.',
    checkout_attempt_in_progress: 'Er loopt een betaling. Daarna kan de code worden gewijzigd.',
  },
  couponOther: 'Deze code is niet te gebruiken voor uw bestelling.',

  payPlain: 'Betalen',
  cartComing: 'We wachten op uw bestelling',
  cartComingText:
    'De winkel maakt uw bestelling nog af. Het bedrag verschijnt hier zo, en daarvoor wordt niets afgeschreven.',

  setupLine:
    'Er wordt nu niets afgeschreven. De winkel kan deze kaart belasten voor wat u later bestelt.',
  saved: 'Kaart bewaard',
  savedText: 'Uw bank heeft de kaart bevestigd. Er is niets afgeschreven.',
  setup: {
    title: 'Kaart bewaren',
    loading: 'Het kaartformulier wordt geladen',
    cardTitle: 'Kaart bewaren',
    receiptFor: (email) => `Wordt bewaard voor ${email}`,
    payPlain: 'Kaart bewaren',
    paying: 'Bezig met bewaren…',
    challengeStop: 'Een andere kaart gebruiken',
    stopText: 'De kaart wordt dan niet bewaard en u kunt een andere gebruiken.',
    checking: 'We controleren uw kaart',
    checkingText: 'Dit kan even duren. Het resultaat verschijnt hier vanzelf.',
    expired: 'Deze link is verlopen',
    expiredText: 'Er is geen kaart bewaard. Ga terug naar de winkel en begin opnieuw.',
    canceled: 'Dit is geannuleerd',
    canceledText: 'Er is geen kaart bewaard.',
    declineOther: 'De bank heeft de kaart geweigerd.',
    problemTitle: 'De kaart is niet bewaard',
  },

  checking: 'We controleren uw betaling',
  checkingText:
    'Dit kan even duren. Betaal niet nog een keer; het resultaat verschijnt hier vanzelf.',
  checkingLong:
    'Het duurt langer dan anders. U kunt deze pagina sluiten: wij geven het resultaat aan de winkel door.',
  checkingOffline: 'De verbinding is weg. Zodra die terug is, gaan we verder.',

  succeeded: 'Betaling voltooid',
  succeededText: (amount) => `U hebt ${amount} betaald. Dank u wel.`,
  complete: 'Bestelling afronden',
  completing: 'Wordt afgerond…',
  freeLine: 'Er hoeft niets te worden betaald, een kaart is niet nodig.',
  ordered: 'Bestelling afgerond',
  orderedText: 'Er hoefde niets te worden betaald en er is niets afgeschreven. Dank u wel.',
  authorized: 'Betaling gereserveerd',
  authorizedText: (amount) =>
    `${amount} is op uw kaart gereserveerd. Er is nog niets afgeschreven.`,
  authorizedUntil: (date) =>
    `De winkel kan tot ${date} afschrijven; daarna vervalt de reservering.`,
  authorizedBefore: (amount, date) =>
    `${amount} is op ${date} op uw kaart gereserveerd. De winkel kan u vertellen wat er daarna mee is gebeurd.`,
  continueTo: (place) => `Verder naar ${place}`,
  continue: 'Verder naar de winkel',
  returning: 'Terug naar de winkel…',
  reference: 'Betalingskenmerk',

  expired: 'Deze betaallink is verlopen',
  expiredText: 'Er is niets afgeschreven. Ga terug naar de winkel en begin opnieuw.',
  canceled: 'Deze betaling is geannuleerd',
  canceledText: 'Er is niets afgeschreven.',
  returned: 'U kunt deze pagina sluiten',
  returnedText: 'Het gaat verder in het venster waar u begon. Ook de winkel hoort het resultaat.',
  notFound: 'Deze betaallink werkt niet',
  notFoundText:
    'Hij is onvolledig of hoort bij een ander tabblad. Open de link van de winkel opnieuw.',
  unusable: 'Deze betaling kan hier niet',
  unusableText: 'De winkel stuurde een onvolledig verzoek. Er is niets afgeschreven; ga terug.',
  unreachable: 'De betaaldienst is niet bereikbaar',
  unreachableText: 'Controleer uw verbinding.',
  retry: 'Opnieuw proberen',

  formTitle: 'Het kaartformulier is niet geladen',
  formProblems: {
    blocked_by_csp: 'Een beveiligingsregel van deze pagina blokkeert het. Meld het de winkel.',
    blocked_by_extension_or_network:
      'Misschien blokkeert een extensie of het netwerk het. Zet blokkeerders voor deze pagina uit en probeer opnieuw.',
    origin_not_allowed: 'De winkel heeft dit adres niet toegestaan. Meld het de winkel.',
    session_expired: 'Het formulier stond te lang open.',
    version_mismatch: 'Deze pagina is verouderd.',
  },

  declineTitle: 'De kaart is geweigerd',
  declines: {
    insufficient_funds: 'Er staat niet genoeg saldo op de kaart.',
    lost_card: 'De bank accepteert deze kaart niet.',
    stolen_card: 'De bank accepteert deze kaart niet.',
    expired_card: 'De kaart is verlopen.',
    incorrect_cvc: 'De beveiligingscode klopt niet.',
    invalid_cvc: 'De beveiligingscode klopt niet.',
    incorrect_number: 'Het kaartnummer klopt niet.',
    invalid_number: 'Het kaartnummer klopt niet.',
    invalid_expiry_month: 'De vervaldatum klopt niet.',
    invalid_expiry_year: 'De vervaldatum klopt niet.',
    processing_error: 'De bank kon de betaling niet verwerken.',
    authentication_required: 'Uw bank wil dat u de betaling bevestigt.',
    authentication_failed: 'Uw bank kon niet vaststellen dat u het bent.',
    card_not_supported: 'Met deze kaart kan deze betaling niet.',
    currency_not_supported: 'De kaart ondersteunt deze valuta niet.',
    card_velocity_exceeded: 'De limiet van de kaart is bereikt.',
    do_not_honor: 'De bank weigerde zonder reden.',
    generic_decline: 'De bank weigerde zonder reden.',
  },
  declineOther: 'De bank heeft de betaling geweigerd.',
  advices: {
    try_again_later: 'Er is niets afgeschreven. Probeer het later of gebruik een andere kaart.',
    confirm_card_data:
      'Er is niets afgeschreven. Controleer de kaartgegevens en probeer het opnieuw.',
    do_not_try_again: 'Er is niets afgeschreven. Gebruik een andere kaart of vraag uw bank.',
  },

  adviceOther: 'Er is niets afgeschreven. Probeer het opnieuw of gebruik een andere kaart.',

  problemTitle: 'De betaling is niet uitgevoerd',
  problems: {
    gateway_refused:
      'De winkel kan op dit moment geen betalingen aannemen. Er is niets afgeschreven; laat het de winkel weten.',
    gateway_unavailable:
      'Het kaartnetwerk is niet bereikbaar. Er is niets afgeschreven; probeer het opnieuw.',
    service_unavailable: 'De betaaldienst is druk. Er is niets afgeschreven; probeer het opnieuw.',
    rate_limited:
      'Te veel pogingen. Er is niets afgeschreven; wacht een minuut en probeer het opnieuw.',
    session_locked:
      'Te veel pogingen. Er is niets afgeschreven en hier worden geen kaarten meer aangenomen. Ga terug naar de winkel en begin opnieuw.',
    not_received:
      'De betaling is niet bij ons aangekomen. Er is niets afgeschreven; u kunt het opnieuw proberen.',
    card_token_spent: 'Voer uw kaart opnieuw in. Er is niets afgeschreven.',
    form_unavailable:
      'Het kaartformulier kreeg geen antwoord. Er is niets afgeschreven; probeer het opnieuw.',
    form_refused:
      'Het kaartformulier kan hier geen kaart aannemen. Er is niets afgeschreven; laat het de winkel weten.',
    wallet_declined:
      'Uw wallet heeft geweigerd. Er is niets afgeschreven; probeer het opnieuw of betaal met kaart.',
    amount_not_supported:
      'Dit bedrag kan hier niet met een kaart worden betaald. Er is niets afgeschreven; wijzig uw bestelling bij de winkel.',
    capture_method_not_supported:
      'Uw wallet kan niet voor deze bestelling worden gebruikt. Er is niets afgeschreven; betaal met kaart.',
    challenge_canceled:
      'De bevestiging is geannuleerd. Er is niets afgeschreven; u kunt het opnieuw proberen.',
    challenge_abandoned:
      'Er is niet op tijd bevestigd. Er is niets afgeschreven; u kunt het opnieuw proberen.',
    buyer_not_verified:
      'De winkel moet weten wie u bent voordat uw kaart bewaard kan worden. Er is niets afgeschreven; log in bij de winkel en begin opnieuw.',
    payment_method_not_found:
      'Deze kaart is niet meer bewaard. Er is niets afgeschreven; kies een andere.',
    buyer_mismatch: 'Deze betaling hoort bij iemand anders. Er is niets afgeschreven.',
    checkout_session_total_changed:
      'Het totaal van uw bestelling is veranderd. Er is niets afgeschreven; controleer het en betaal dan.',
    coupon_exhausted:
      'Een kortingscode van uw bestelling is opgebruikt. Er is niets afgeschreven; verwijder de code en betaal dan.',
    coupon_inactive:
      'Een kortingscode van uw bestelling geldt niet meer. Er is niets afgeschreven; verwijder de code en betaal dan.',
    subscription_exists:
      'U hebt dit abonnement al, of er loopt een andere betaling voor. Er is niets afgeschreven; de winkel kan u erover vertellen.',
    checkout_session_claim_pending:
      'De winkel heeft uw bestelling nog niet afgemaakt. Er is niets afgeschreven; probeer het zo opnieuw of ga terug naar de winkel.',
  },
  waitText: (time) =>
    `Te veel pogingen. Er is niets afgeschreven. Over ${time} kunt u het opnieuw proberen.`,
  problemOther: 'Iets in het verzoek is geweigerd. Er is niets afgeschreven.',
  problemReference: (code) => `Foutcode: ${code}`,
};
